-- A random name of this database, which a marker in the private bucket repeats. A restored backup has the name of the
-- database that it is a copy of.
CREATE TABLE database_identity (
  id TEXT PRIMARY KEY
);
INSERT INTO database_identity (id) VALUES (lower(hex(randomblob(16))));

-- Since when maintenance has found the marker of another database in the private bucket. NULL: the last run found none.
ALTER TABLE leases ADD COLUMN foreign_bucket_since INTEGER;

-- SHA-256 of report keys that were replaced or deleted, with their owner. Installed copies may still send such a key, so
-- nobody else may take it. owner_id: users.id, which is not reused.
CREATE TABLE retired_report_keys (
  key_hash TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  retired_at INTEGER NOT NULL
);
