-- Since when the object storage has not answered the work that the lease is for. NULL: it answered the last time.
ALTER TABLE leases ADD COLUMN storage_failed_since INTEGER;
