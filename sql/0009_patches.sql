-- Files that make another file of their release from that of an older one.

-- What the artifact is good for as a patch, as JSON: {"package", "format", "base_version", "base_sha256"}. NULL: it is none.
ALTER TABLE artifacts ADD COLUMN patch TEXT;
