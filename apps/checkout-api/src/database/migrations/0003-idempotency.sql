-- One row for each idempotency key: who may execute it now, and what it answers for ever.

CREATE TABLE idempotency_records (
  -- The principal. The same key of somebody else is another key.
  scope text NOT NULL,
  key text NOT NULL,
  operation text NOT NULL,
  -- Null where the key was fenced before any request came: it then matches every request.
  fingerprint bytea,
  -- What was asked, so that the operation can be finished without its client. Gone with the answer.
  request jsonb,

  phase text NOT NULL CHECK (phase IN ('claimed', 'started', 'done', 'review')),
  -- The fencing token: raised whenever the row changes hands. A worker writes only under its own.
  epoch integer NOT NULL DEFAULT 1,
  -- Until then nobody else may take it over. Null: it is free.
  lease_until timestamptz,
  -- From then on it is finished without its client. Null: it waits for its client.
  resume_at timestamptz,
  attempts integer NOT NULL DEFAULT 1,
  -- The name of the effect at whoever performs it. Drawn once, never changed.
  effect_key uuid NOT NULL UNIQUE,

  status integer,
  headers jsonb,
  body bytea,

  claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,
  done_at timestamptz,
  body_expires_at timestamptz,
  expires_at timestamptz,

  PRIMARY KEY (scope, key),
  CHECK ((phase = 'done') = (status IS NOT NULL AND done_at IS NOT NULL))
);

CREATE INDEX idempotency_records_to_resume ON idempotency_records (resume_at)
  WHERE resume_at IS NOT NULL;
CREATE INDEX idempotency_records_bodies_to_drop ON idempotency_records (body_expires_at)
  WHERE body IS NOT NULL;
CREATE INDEX idempotency_records_to_drop ON idempotency_records (expires_at)
  WHERE expires_at IS NOT NULL;
