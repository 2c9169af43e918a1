-- Files that make another file of their release from that of an older one.

-- The description of a patch, as JSON: {"package", "format", "base_version", "base_sha256"}. NULL: the artifact is none.
ALTER TABLE artifacts ADD COLUMN patch TEXT;
