-- Releases that are published at a time set before, withdrawn releases, applications whose updates are shut off, and CI
-- tokens that may do more than upload.

-- When a draft is published by itself; NULL: not by itself. `next_at` then holds the same time.
ALTER TABLE releases ADD COLUMN publish_at INTEGER;

-- When the release was withdrawn from all clients; NULL: it was not. A withdrawn release is not published.
ALTER TABLE releases ADD COLUMN withdrawn_at INTEGER;

-- Why; clients of the version are told.
ALTER TABLE releases ADD COLUMN withdraw_reason TEXT;

CREATE INDEX releases_withdrawn ON releases (app_id, withdrawn_at) WHERE withdrawn_at IS NOT NULL;

-- While there is a row, no client of the application that asks with this channel and platform is offered anything newer
-- than what it has.
CREATE TABLE shutoffs (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- Empty: all channels. The same for platforms.
  channel_id TEXT NOT NULL DEFAULT '',
  platform_id TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL,
  -- The name of the user or token.
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (app_id, channel_id, platform_id)
);

-- JSON array of what the token may do: "upload", "publish", "stop", "roll".
ALTER TABLE tokens ADD COLUMN may TEXT NOT NULL DEFAULT '["upload"]';
