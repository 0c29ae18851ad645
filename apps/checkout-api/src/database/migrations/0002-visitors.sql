-- Here and not in the seed: databases that were seeded before need them as well.
CREATE TABLE visitors (
  id text PRIMARY KEY,
  name_en text NOT NULL,
  name_ko text NOT NULL
);

INSERT INTO visitors (id, name_en, name_ko) VALUES
  ('mina', 'Mina', '미나'),
  ('jun', 'Jun', '준');

-- Only the token's SHA-256: whoever reads this table cannot log in with it.
CREATE TABLE sessions (
  token_hash bytea PRIMARY KEY,
  visitor_id text NOT NULL REFERENCES visitors (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

CREATE INDEX sessions_expired ON sessions (expires_at);

-- What was there before there were visitors belongs to the demo's first one. The default goes again:
-- an order of nobody in particular is a mistake, not Mina's.
ALTER TABLE orders ADD COLUMN placed_by text NOT NULL DEFAULT 'mina' REFERENCES visitors (id);
ALTER TABLE orders ALTER COLUMN placed_by DROP DEFAULT;

DROP INDEX orders_newest_first;
CREATE INDEX orders_of_visitor_newest_first ON orders (placed_by, placed_at DESC, id);
