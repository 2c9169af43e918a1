-- Reports of the last 30 days of a group: JSON object, maps a day (days since 1970-01-01 in UTC) to a number. A column and
-- no table of its own, so that the statement that counts a report counts it here too.
ALTER TABLE report_groups ADD COLUMN days TEXT NOT NULL DEFAULT '{}';

-- Groups of an application by what people have done with them.
CREATE INDEX report_groups_by_status ON report_groups (app_id, status);

-- When the work that the lease is for last ended without a failure. NULL: it has not since this column is there.
ALTER TABLE leases ADD COLUMN ended_at INTEGER;
