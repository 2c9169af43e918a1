-- Secrets that the service makes for itself where the setting is empty: the first one made is kept for good.
CREATE TABLE generated_secrets (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

-- Groups of failures end some time after their last event.
CREATE INDEX report_groups_by_age ON report_groups (last_seen);
