-- Times are Unix milliseconds, booleans 0 or 1, identifiers UUID v7 texts.
-- An absent channel, platform or architecture is the empty text, so that UNIQUE sees it.
-- Each statement ends with a semicolon at the end of a line: statements are run one by one.

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  -- The admin that a team user works for; NULL for an admin.
  owner_id TEXT REFERENCES users (id),
  password_hash TEXT NOT NULL,
  -- JSON, NULL for an admin.
  permissions TEXT,
  -- Grows with every change to what this owner's update checks answer.
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
  -- Sorts as versions do; equal for two spellings of one version.
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
  -- What must be unique in a release's platform and architecture: the package, or, where a package may repeat, the file name.
  slot TEXT NOT NULL,
  updater TEXT NOT NULL,
  file_name TEXT NOT NULL,
  -- 'public' or 'private'.
  bucket TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  size INTEGER NOT NULL,
  -- Lower-case hex, as the uploader declared them; md5 was checked by the storage.
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

-- Updater feed files of a release, as uploaded.
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

-- One presigned upload, from init until its staged objects are gone.
CREATE TABLE upload_sessions (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- Who started it: 'user:<id>' or 'token:<id>'.
  started_by TEXT NOT NULL,
  channel_id TEXT NOT NULL DEFAULT '',
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  -- JSON of the release metadata and of the files.
  metadata TEXT NOT NULL,
  files TEXT NOT NULL,
  -- 'staged': nothing is recorded yet. 'expired': maintenance is taking the staged objects away. 'recorded': the release has the artifacts, staged objects may remain.
  -- 'finished': nothing is left to do.
  state TEXT NOT NULL,
  release_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);

CREATE INDEX upload_sessions_by_expiry ON upload_sessions (state, expires_at);

CREATE INDEX upload_sessions_by_app ON upload_sessions (app_id);

-- Who may write or delete an object outside pending/ right now. Written before the object is touched, removed in the
-- transaction that records (or in the step that has deleted) it.
CREATE TABLE object_claims (
  bucket TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  -- 'upload:<session id>' or 'delete'.
  holder TEXT NOT NULL,
  -- When another holder may take over.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (bucket, storage_key)
);

-- Applications that have, or had, static answers in the CDN bucket, by name, as the keys there say it.
CREATE TABLE static_answers (
  owner TEXT NOT NULL,
  app TEXT NOT NULL,
  PRIMARY KEY (owner, app)
);

-- Work that only one process may do at a time.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL
);
