-- State of the static answers, which are objects in the CDN bucket, and the versions that they exist for.

-- Every version that was ever published in a scope, even if its release is deleted: installed copies of it still ask.
-- The key is ordered so that the newest versions of a scope are read first.
CREATE TABLE scope_versions (
  app_id TEXT NOT NULL,
  version_key TEXT NOT NULL,
  channel_id TEXT NOT NULL DEFAULT '',
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  version TEXT NOT NULL,
  PRIMARY KEY (app_id, version_key, channel_id, platform_id, arch_id)
) WITHOUT ROWID;

-- The folders that hold, or will hold, static answers.
CREATE TABLE projections (
  -- '{owner}/{app}/{channel}/{platform}/{arch}', as in the keys of the objects.
  folder TEXT PRIMARY KEY,
  -- When the content of the folder last changed, or the previous value plus one; set in the transaction of the change.
  changed INTEGER NOT NULL,
  -- The value of `changed` whose answers are known to be stored.
  written INTEGER NOT NULL DEFAULT 0,
  -- A digest of the settings and the format that the answers were made with.
  made_with INTEGER NOT NULL DEFAULT 0,
  -- When the answers were last compared with the objects.
  checked_at INTEGER NOT NULL DEFAULT 0,
  -- The current writer, and when none of its requests can arrive any more; 0 after it has finished.
  writer TEXT NOT NULL DEFAULT '',
  writer_until INTEGER NOT NULL DEFAULT 0,
  -- The same time for all other writers that started meanwhile.
  others_until INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- An unpublished release may have been published before.
INSERT OR IGNORE INTO scope_versions (app_id, version_key, channel_id, platform_id, arch_id, version)
SELECT DISTINCT x.app_id, r.version_key, r.channel_id, x.platform_id, x.arch_id, r.version
FROM artifacts x JOIN releases r ON r.id = x.release_id;

INSERT OR IGNORE INTO projections (folder, changed)
SELECT DISTINCT u.username || '/' || a.name || '/' || coalesce(c.name, 'default') || '/' || coalesce(p.name, 'default')
  || '/' || coalesce(h.name, 'default'), 1
FROM scope_versions s JOIN apps a ON a.id = s.app_id JOIN users u ON u.id = a.owner_id
LEFT JOIN channels c ON c.id = s.channel_id
  OR c.id IN (SELECT channel_id FROM channel_includes WHERE included_id = s.channel_id)
LEFT JOIN platforms p ON p.id = s.platform_id
LEFT JOIN archs h ON h.id = s.arch_id
WHERE a.cdn = 1;
