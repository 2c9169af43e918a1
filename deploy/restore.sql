-- Prepares a restored copy of the database for the service; see "Backup and restore" in
-- docs/operations.md. May be run any number of times.

-- A copy made with VACUUM INTO, or from a dump, has lost this mode, without which readers wait for writers.
PRAGMA journal_mode = WAL;

-- Calls that ran when the copy was made are gone, and need not be waited for.
DELETE FROM leases;
UPDATE object_claims SET expires_at = 0;
UPDATE upload_sessions SET busy_until = 0;
UPDATE incoming_uploads SET expires_at = 0;

-- Maintenance compares static answers and signed metadata with the buckets at its next run, instead of once a day.
UPDATE projections SET checked_at = 0;
UPDATE repositories SET checked_at = 0;

-- Installed copies may have seen metadata that is lost. 0: everything that the service signs is signed again, with higher
-- numbers. NULL: it waits for offline signatures.
UPDATE repositories SET due_at = 0 WHERE due_at IS NOT NULL;

-- Logins that were ended since the copy was made do not work again. The number is larger than any that the lost database
-- can have had.
UPDATE users SET epoch = max(epoch + 1, CAST(strftime('%s', 'now') AS INTEGER));
DELETE FROM logins;

-- Invitations may have been used or revoked since the copy was made.
UPDATE invitations SET revoked_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
