-- Addresses that are told of an owner's entries in the audit log.

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  -- Only entries about this application; empty: all of the owner's.
  app_id TEXT NOT NULL DEFAULT '',
  url TEXT NOT NULL,
  -- JSON array of kinds, such as "rollout.halt", and beginnings, such as "health.*".
  kinds TEXT NOT NULL,
  -- The place in the log up to which entries were sent, or are of other kinds.
  delivered_seq INTEGER NOT NULL,
  -- When deliveries began to fail; NULL: the last one did not.
  failing_since INTEGER,
  -- The last failure, for people: a status or a reason.
  last_failure TEXT,
  -- Before this time it is not tried again; NULL: it may be tried at once.
  next_try INTEGER,
  -- When it was switched off, after days of failures; NULL: it is on.
  off_at INTEGER,
  created_at INTEGER NOT NULL
);

CREATE INDEX webhooks_by_owner ON webhooks (owner_id);
