-- The audit log is filtered by what its entries say. These columns follow from the text that the hashes cover, so nobody
-- can hide an entry by changing another column. They are NULL if the text is not JSON.

DROP INDEX audit_log_by_app;

DROP INDEX audit_log_by_release;

ALTER TABLE audit_log DROP COLUMN at;

ALTER TABLE audit_log DROP COLUMN app_id;

ALTER TABLE audit_log DROP COLUMN release_id;

ALTER TABLE audit_log DROP COLUMN kind;

ALTER TABLE audit_log DROP COLUMN actor;

-- Milliseconds since 1970, in whole seconds.
ALTER TABLE audit_log ADD COLUMN at INTEGER
  AS (CASE WHEN json_valid(entry) THEN strftime('%s', json_extract(entry, '$.at')) * 1000 END);

ALTER TABLE audit_log ADD COLUMN kind TEXT
  AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.kind') END);

-- The application may have been deleted since. Its name is the one of that moment.
ALTER TABLE audit_log ADD COLUMN app_id TEXT
  AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.app_id') END);

ALTER TABLE audit_log ADD COLUMN app TEXT
  AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.app') END);

-- The release may have been deleted since.
ALTER TABLE audit_log ADD COLUMN release_id TEXT
  AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.release.id') END);

ALTER TABLE audit_log ADD COLUMN version TEXT
  AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.release.version') END);

-- The user or token, which may have been deleted since. Without a name: the type, such as 'clock'.
ALTER TABLE audit_log ADD COLUMN actor_id TEXT
  AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.actor.id') END);

ALTER TABLE audit_log ADD COLUMN actor TEXT
  AS (CASE WHEN json_valid(entry)
    THEN coalesce(json_extract(entry, '$.actor.name'), json_extract(entry, '$.actor.type')) END);

CREATE INDEX audit_log_by_app ON audit_log (owner_id, app_id, seq);

CREATE INDEX audit_log_by_release ON audit_log (owner_id, release_id, seq);
