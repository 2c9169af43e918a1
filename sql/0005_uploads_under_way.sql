-- The time until which a call may be publishing the upload; its staged objects are not deleted before.
ALTER TABLE upload_sessions ADD COLUMN busy_until INTEGER NOT NULL DEFAULT 0;

-- JSON object: maps a file name to the object's tag and the digests that its bytes were compared with.
ALTER TABLE upload_sessions ADD COLUMN verified TEXT NOT NULL DEFAULT '{}';

-- Uploads through the service whose files are still arriving. Files may be staged for them; nothing else is known yet.
CREATE TABLE incoming_uploads (
  id TEXT PRIMARY KEY,
  -- When the call counts as dead.
  expires_at INTEGER NOT NULL
);
