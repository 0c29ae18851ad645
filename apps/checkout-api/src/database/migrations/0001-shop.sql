-- Money is an integer in the currency's minor unit (KRW has none: 12000 is 12,000 won).

CREATE TABLE products (
  id text PRIMARY KEY,
  position integer NOT NULL UNIQUE,
  name_en text NOT NULL,
  name_ko text NOT NULL,
  description_en text NOT NULL,
  description_ko text NOT NULL,
  price integer NOT NULL CHECK (price > 0),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  tile_emoji text NOT NULL,
  tile_from text NOT NULL,
  tile_to text NOT NULL
);

CREATE TABLE carts (
  id text PRIMARY KEY,
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$')
);

CREATE TABLE cart_lines (
  cart_id text NOT NULL REFERENCES carts (id) ON DELETE CASCADE,
  position integer NOT NULL,
  product_id text NOT NULL REFERENCES products (id),
  quantity integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (cart_id, product_id)
);

CREATE TABLE orders (
  id text PRIMARY KEY,
  status text NOT NULL CHECK (status IN ('open', 'paid', 'cancelled')),
  amount integer NOT NULL CHECK (amount > 0),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  placed_at timestamptz NOT NULL
);

CREATE INDEX orders_newest_first ON orders (placed_at DESC, id);

-- The price as it was when the order was placed; a later price change leaves orders alone.
CREATE TABLE order_lines (
  order_id text NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
  position integer NOT NULL,
  product_id text NOT NULL REFERENCES products (id),
  quantity integer NOT NULL CHECK (quantity > 0),
  unit_price integer NOT NULL CHECK (unit_price > 0),
  PRIMARY KEY (order_id, position)
);
