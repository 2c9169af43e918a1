-- A login token carries the epoch of its user, and becomes invalid when the user's epoch changes.
ALTER TABLE users ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;

-- The start of the hour in which the token was last used; NULL: never.
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;
