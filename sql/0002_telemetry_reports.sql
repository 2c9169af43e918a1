-- What devices report about themselves and about failures. None of these rows keeps an application from being deleted:
-- those of a deleted one are seen by nobody and end by their age.

-- One device of one application on one day. Days first: a day is read, and an old one deleted, in one piece.
CREATE TABLE telemetry (
  -- Days since 1970-01-01 in UTC.
  day INTEGER NOT NULL,
  app_id TEXT NOT NULL,
  -- 64 bits of a keyed digest; the identifier itself is not kept.
  device INTEGER NOT NULL,
  -- The last that was reported on the day.
  version TEXT NOT NULL,
  channel TEXT NOT NULL DEFAULT '',
  platform TEXT NOT NULL DEFAULT '',
  arch TEXT NOT NULL DEFAULT '',
  is_latest INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (day, app_id, device)
) WITHOUT ROWID;

-- The key that an application sends failure reports with. It lets a sender count failures and nothing else, and its
-- owner reads it again and again, so it is stored as it is.
CREATE TABLE report_keys (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL UNIQUE,
  key_value TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);

-- Failures that are counted together.
CREATE TABLE report_groups (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL,
  -- Lower-case hex SHA-256 of the seven fields that follow.
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

-- Details of single reports, in the private bucket.
CREATE TABLE report_blobs (
  id TEXT PRIMARY KEY,
  group_id TEXT NOT NULL REFERENCES report_groups (id),
  storage_key TEXT NOT NULL UNIQUE,
  -- Bytes as stored and as unpacked.
  compressed_size INTEGER NOT NULL,
  decompressed_size INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE INDEX report_blobs_by_group ON report_blobs (group_id, created_at);

CREATE INDEX report_blobs_by_age ON report_blobs (created_at);
