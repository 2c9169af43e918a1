-- Who may download the files of a private application; NULL: the setting of the service decides.
ALTER TABLE apps ADD COLUMN download_mode TEXT;

-- Download tokens for clients of a private application: one for the whole application, and one for each of its
-- channels.
CREATE TABLE download_tokens (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- Empty: for all channels.
  channel_id TEXT NOT NULL DEFAULT '',
  -- Lower-case hex SHA-256 of the token.
  token_hash TEXT NOT NULL UNIQUE,
  token_prefix TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (app_id, channel_id)
);

CREATE INDEX download_tokens_by_channel ON download_tokens (channel_id);
