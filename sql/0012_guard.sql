-- Fair turns of webhooks.

-- When a process last began to send to the webhook. NULL: never.
ALTER TABLE webhooks ADD COLUMN turn_at INTEGER;
