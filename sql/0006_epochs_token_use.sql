-- A login token holds the epoch of its user, and ends when the user gets another one.
ALTER TABLE users ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;

-- The beginning of the hour in which the token was used last; NULL: never yet.
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;
