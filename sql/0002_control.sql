-- Release control: who changed what.

-- One chain for each owner: `hash` covers the hash before it and `entry`, the text that is exported.
CREATE TABLE audit_log (
  -- An account that is removed by hand leaves its log.
  owner_id TEXT NOT NULL,
  -- 1 for the owner's first entry, without gaps.
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  -- Empty if the entry is about no application; it may have been deleted since.
  app_id TEXT NOT NULL DEFAULT '',
  -- Empty if the entry is about no release; it may have been deleted since.
  release_id TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL,
  -- The id of the user or token; empty for the service.
  actor TEXT NOT NULL DEFAULT '',
  entry TEXT NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (owner_id, seq)
) WITHOUT ROWID;

CREATE INDEX audit_log_by_app ON audit_log (owner_id, app_id, seq);

CREATE INDEX audit_log_by_release ON audit_log (owner_id, release_id, seq);
