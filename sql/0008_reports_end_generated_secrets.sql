-- Secrets that the service generates if the setting is empty. The first one generated is kept permanently.
CREATE TABLE generated_secrets (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

-- Groups of failures expire some time after their last event.
CREATE INDEX report_groups_by_age ON report_groups (last_seen);
