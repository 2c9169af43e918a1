-- Times are Unix milliseconds, booleans 0 or 1, ids UUID v7 as text.
-- An unused channel, platform or architecture is stored as an empty text, so that UNIQUE applies to it.
-- Each statement ends with a semicolon at the end of a line: statements are run one by one.

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  -- The admin that a team user works for; NULL for an admin.
  owner_id TEXT REFERENCES users (id),
  password_hash TEXT NOT NULL,
  -- JSON, NULL for an admin.
  permissions TEXT,
  -- Grows with every change to the data behind this owner's update checks.
  revision INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);

CREATE INDEX users_by_owner ON users (owner_id);

CREATE TABLE apps (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  -- Key in the public bucket; empty without a logo.
  logo_key TEXT NOT NULL DEFAULT '',
  private INTEGER NOT NULL DEFAULT 0,
  tuf INTEGER NOT NULL DEFAULT 0,
  reports INTEGER NOT NULL DEFAULT 0,
  cdn INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

CREATE TABLE channels (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

CREATE TABLE platforms (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- JSON array of {"type", "default"}.
  updaters TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

CREATE TABLE archs (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- Lower-case hex SHA-256 of the token.
  token_hash TEXT NOT NULL UNIQUE,
  token_prefix TEXT NOT NULL,
  -- JSON array of app ids.
  allowed_apps TEXT NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL
);

CREATE INDEX tokens_by_owner ON tokens (owner_id);

CREATE TABLE releases (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  version TEXT NOT NULL,
  -- Sorts in version order; equal for two spellings of one version.
  version_key TEXT NOT NULL,
  channel_id TEXT NOT NULL DEFAULT '',
  published INTEGER NOT NULL DEFAULT 0,
  critical INTEGER NOT NULL DEFAULT 0,
  intermediate INTEGER NOT NULL DEFAULT 0,
  -- Percent of devices, 0 to 100.
  rollout INTEGER NOT NULL DEFAULT 100,
  rollout_seed TEXT NOT NULL,
  changelog TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (app_id, version_key)
);

CREATE INDEX releases_by_owner ON releases (owner_id, app_id, version_key);

CREATE INDEX releases_by_channel ON releases (channel_id);

CREATE TABLE artifacts (
  id TEXT PRIMARY KEY,
  release_id TEXT NOT NULL REFERENCES releases (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  package TEXT NOT NULL,
  -- The key that is unique within the release's platform and architecture: the package, or the file name if the package
  -- may repeat.
  slot TEXT NOT NULL,
  updater TEXT NOT NULL,
  file_name TEXT NOT NULL,
  -- 'public' or 'private'.
  bucket TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  size INTEGER NOT NULL,
  -- Lower-case hex, as declared by the uploader; the storage verified md5.
  md5 TEXT NOT NULL,
  sha256 TEXT,
  sha512 TEXT,
  signature TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (bucket, storage_key),
  UNIQUE (release_id, platform_id, arch_id, slot)
);

CREATE INDEX artifacts_by_scope ON artifacts (app_id, platform_id, arch_id);

CREATE INDEX artifacts_by_platform ON artifacts (platform_id);

CREATE INDEX artifacts_by_arch ON artifacts (arch_id);

-- Feed files of a release, as uploaded.
CREATE TABLE feed_files (
  id TEXT PRIMARY KEY,
  release_id TEXT NOT NULL REFERENCES releases (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  updater TEXT NOT NULL,
  file_name TEXT NOT NULL,
  bucket TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  size INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (bucket, storage_key)
);

CREATE INDEX feed_files_by_release ON feed_files (release_id);

-- One presigned upload, from init until its staged objects are deleted.
CREATE TABLE upload_sessions (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- The starter: 'user:<id>' or 'token:<id>'.
  started_by TEXT NOT NULL,
  channel_id TEXT NOT NULL DEFAULT '',
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  -- JSON of the release metadata and of the files.
  metadata TEXT NOT NULL,
  files TEXT NOT NULL,
  -- 'staged': nothing is recorded yet. 'expired': maintenance is deleting the staged objects. 'recorded': the release
  -- has the artifacts, staged objects may still exist.
  -- 'finished': no work remains.
  state TEXT NOT NULL,
  release_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);

CREATE INDEX upload_sessions_by_expiry ON upload_sessions (state, expires_at);

CREATE INDEX upload_sessions_by_app ON upload_sessions (app_id);

-- Claims: who may currently write or delete an object outside pending/. Inserted before the object is touched; deleted
-- in the transaction that records the object, or after the object is deleted.
CREATE TABLE object_claims (
  bucket TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  -- 'upload:<session id>' or 'delete'.
  holder TEXT NOT NULL,
  -- When another holder may take over the claim.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (bucket, storage_key)
);

-- Applications that have, or had, static answers in the CDN bucket, by the names in the object keys.
CREATE TABLE static_answers (
  owner TEXT NOT NULL,
  app TEXT NOT NULL,
  PRIMARY KEY (owner, app)
);

-- Leases for work that only one process may do at a time.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL
);
