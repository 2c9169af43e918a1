-- Counting the releases of all applications, and listing their versions, must not read rows: they hold the notes. Lists of
-- an owner's releases use it too, as they did its predecessor.
DROP INDEX releases_by_owner;

CREATE INDEX releases_by_owner ON releases (owner_id, app_id, version_key, version, published, updated_at);
