-- Groups of devices, which releases let in besides their rollout, and requirements on the client's system.

CREATE TABLE device_groups (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  name TEXT NOT NULL,
  -- The first 16 bytes of the SHA-256 of its key.
  key_digest BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (app_id, name)
);

-- The first 8 bytes of SHA-256("group:<app id>:<device id>") as a number.
CREATE TABLE device_group_members (
  group_id TEXT NOT NULL REFERENCES device_groups (id),
  device INTEGER NOT NULL,
  PRIMARY KEY (group_id, device)
) WITHOUT ROWID;

-- JSON array of the names of groups that are let in.
ALTER TABLE releases ADD COLUMN let_in TEXT NOT NULL DEFAULT '[]';

CREATE TABLE release_requirements (
  release_id TEXT NOT NULL REFERENCES releases (id),
  -- Empty: the owner does not use the dimension.
  platform_id TEXT NOT NULL,
  arch_id TEXT NOT NULL,
  -- JSON: see `Requirements` in `crates/core`.
  requires TEXT NOT NULL,
  PRIMARY KEY (release_id, platform_id, arch_id)
) WITHOUT ROWID;
