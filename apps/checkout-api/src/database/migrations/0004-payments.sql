CREATE TABLE charges (
  id text PRIMARY KEY,
  order_id text NOT NULL REFERENCES orders (id),
  -- The idempotency key that the payment provider gets, never the one of the browser.
  effect_key uuid NOT NULL UNIQUE,
  amount integer NOT NULL CHECK (amount > 0),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  status text NOT NULL CHECK (status IN ('pending', 'captured', 'declined')),
  decline_code text,
  -- What the provider calls it, once it has said so.
  provider_charge_id text UNIQUE,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  settled_at timestamptz
);

-- The business guard: whatever the keys say, an order has one charge that counts.
CREATE UNIQUE INDEX one_live_charge_per_order ON charges (order_id)
  WHERE status IN ('pending', 'captured');

ALTER TABLE orders ADD COLUMN paid_at timestamptz;
