-- Repositories of signed update metadata (TUF). Roles are `root`, `targets`, `snapshot`, `timestamp` and
-- `channel-<name>`.

CREATE TABLE repositories (
  app_id TEXT PRIMARY KEY REFERENCES apps (id),
  -- `{owner}/{app}` at the start; renames of either do not change it.
  name TEXT NOT NULL UNIQUE,
  -- Raised by every change of what is current. A settle commits only if it is what it began with.
  revision INTEGER NOT NULL,
  -- The revision whose timestamp is in the bucket; smaller than `revision`: it has to be written.
  written_revision INTEGER NOT NULL,
  -- The revision by which artifacts are marked as listed or not; smaller than `revision`: they have to be marked.
  marked_revision INTEGER NOT NULL,
  -- Counts the changes of releases and of what they are called.
  changes INTEGER NOT NULL DEFAULT 0,
  -- The value of `changes` that what the service lists follows.
  followed_changes INTEGER NOT NULL DEFAULT 0,
  -- Generations of the service's keys that the current root names.
  online_generation INTEGER NOT NULL,
  targets_generation INTEGER NOT NULL,
  -- Newest releases that are listed in each channel, platform and architecture. 0: all.
  keep INTEGER NOT NULL,
  -- Lifetimes in days: of root as people should choose it, and of what the service signs.
  root_days INTEGER NOT NULL,
  targets_days INTEGER NOT NULL,
  snapshot_days INTEGER NOT NULL,
  timestamp_days INTEGER NOT NULL,
  -- When the service signs again. NULL: it waits for people's signatures.
  due_at INTEGER,
  -- When root, or targets that people sign, are over. NULL: there are none.
  expires_at INTEGER,
  -- When a refresh failed last.
  refresh_failed_at INTEGER,
  -- When maintenance last compared the bucket with what is current.
  checked_at INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);

CREATE INDEX repositories_by_due ON repositories (due_at);

-- Metadata that was accepted, as it is sent.
CREATE TABLE repository_metadata (
  app_id TEXT NOT NULL REFERENCES repositories (app_id),
  role TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- Every role has one current file.
  is_current INTEGER NOT NULL,
  -- The repository's revision that it came with.
  revision INTEGER NOT NULL,
  -- The event that tells of it.
  event_id TEXT NOT NULL,
  -- The end that it names.
  expires_at INTEGER NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, role, version)
);

CREATE INDEX repository_metadata_current ON repository_metadata (app_id, is_current);

CREATE INDEX repository_metadata_former ON repository_metadata (app_id, role, version) WHERE is_current = 0;

-- Metadata that lacks signatures: one file a role. Files that came in one call have the same event, and become current
-- together.
CREATE TABLE repository_staged (
  app_id TEXT NOT NULL REFERENCES repositories (app_id),
  role TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- The version of the current list (targets; for a channel's own list, that one) that it was made from; 0: there was
  -- none, and for root.
  base INTEGER NOT NULL,
  content TEXT NOT NULL,
  -- The event that tells of it.
  event_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, role)
);

-- What happened to repositories. An event's id is the id of a task. It outlives the repository.
CREATE TABLE repository_events (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  message TEXT NOT NULL,
  -- JSON object of texts.
  details TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE INDEX repository_events_by_app ON repository_events (app_id, created_at);

-- Whether an artifact is in the current metadata: `listed`; `unlisted`: checks do not answer it; `legacy`: it is not,
-- but was recorded before the repository began, or there is none.
ALTER TABLE artifacts ADD COLUMN listing TEXT NOT NULL DEFAULT 'legacy';

-- Whether the service leaves it out of its lists, because somebody asked for that or it is being deleted.
ALTER TABLE artifacts ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;

-- Whether `sha256` and `sha512` were compared with the stored bytes, or computed from them. 0: they are what the
-- uploader declared, or absent.
ALTER TABLE artifacts ADD COLUMN digests_verified INTEGER NOT NULL DEFAULT 0;
