-- Feeds of releases, from which native updaters are answered: the part of an uploaded feed that belongs to the release.
-- The uploaded feed itself is an object in the storage; see feed_files.
CREATE TABLE release_feeds (
  release_id TEXT NOT NULL REFERENCES releases (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  updater TEXT NOT NULL,
  -- The name it was uploaded under.
  file_name TEXT NOT NULL,
  -- JSON.
  feed TEXT NOT NULL,
  PRIMARY KEY (release_id, platform_id, arch_id, updater)
) WITHOUT ROWID;

CREATE INDEX release_feeds_by_scope ON release_feeds (app_id, updater, platform_id, arch_id);

-- A channel whose clients are also offered the releases of another channel.
CREATE TABLE channel_includes (
  channel_id TEXT NOT NULL REFERENCES channels (id),
  included_id TEXT NOT NULL REFERENCES channels (id),
  PRIMARY KEY (channel_id, included_id)
) WITHOUT ROWID;

CREATE INDEX channel_includes_by_included ON channel_includes (included_id);
