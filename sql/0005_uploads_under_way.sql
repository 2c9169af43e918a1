-- Until when a call may be publishing the upload: nobody takes its staged objects away before.
ALTER TABLE upload_sessions ADD COLUMN busy_until INTEGER NOT NULL DEFAULT 0;

-- JSON object: for a file name, the object's tag and the digests that its bytes were compared with.
ALTER TABLE upload_sessions ADD COLUMN verified TEXT NOT NULL DEFAULT '{}';

-- Uploads through the service whose files are still arriving: what is staged for one, and nothing else is known of it yet.
CREATE TABLE incoming_uploads (
  id TEXT PRIMARY KEY,
  -- When the call counts as dead.
  expires_at INTEGER NOT NULL
);
