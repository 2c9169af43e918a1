-- Data that devices send: usage and failure reports. None of these rows prevents an application from being deleted.
-- Rows of a deleted application are never shown, and are deleted by age.

-- One device of one application on one day. The key begins with the day, so that a day is one range for reading and
-- deleting.
CREATE TABLE telemetry (
  -- Days since 1970-01-01 in UTC.
  day INTEGER NOT NULL,
  app_id TEXT NOT NULL,
  -- 64 bits of a keyed digest; the identifier itself is not stored.
  device INTEGER NOT NULL,
  -- The last values reported on that day.
  version TEXT NOT NULL,
  channel TEXT NOT NULL DEFAULT '',
  platform TEXT NOT NULL DEFAULT '',
  arch TEXT NOT NULL DEFAULT '',
  is_latest INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (day, app_id, device)
) WITHOUT ROWID;

-- The key with which an application sends failure reports. It only allows reporting failures, and its owner needs to
-- see it repeatedly, so it is stored in plain text.
CREATE TABLE report_keys (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL UNIQUE,
  key_value TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);

-- Groups of failures that are counted together.
CREATE TABLE report_groups (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL,
  -- Lower-case hex SHA-256 of the seven fields below.
  group_hash TEXT NOT NULL,
  app_name TEXT NOT NULL,
  version TEXT NOT NULL,
  channel TEXT NOT NULL,
  platform TEXT NOT NULL,
  arch TEXT NOT NULL,
  event_type TEXT NOT NULL,
  reason TEXT NOT NULL,
  event_count INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  details_stored INTEGER NOT NULL DEFAULT 0,
  details_rejected INTEGER NOT NULL DEFAULT 0,
  -- 'open', 'resolved' or 'muted'.
  status TEXT NOT NULL DEFAULT 'open',
  -- JSON array of texts.
  tags TEXT NOT NULL DEFAULT '[]',
  note TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (app_id, group_hash)
);

CREATE INDEX report_groups_by_owner ON report_groups (owner_id, last_seen);

CREATE INDEX report_groups_by_hash ON report_groups (owner_id, group_hash);

-- Details of single reports, stored in the private bucket.
CREATE TABLE report_blobs (
  id TEXT PRIMARY KEY,
  group_id TEXT NOT NULL REFERENCES report_groups (id),
  storage_key TEXT NOT NULL UNIQUE,
  -- Bytes, compressed and uncompressed.
  compressed_size INTEGER NOT NULL,
  decompressed_size INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE INDEX report_blobs_by_group ON report_blobs (group_id, created_at);

CREATE INDEX report_blobs_by_age ON report_blobs (created_at);
