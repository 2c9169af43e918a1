-- The health of releases: which devices failed, what a guard run found, and what it may do.

-- The order for a guard run that finds the release unhealthy: JSON object. NULL: do nothing.
ALTER TABLE releases ADD COLUMN guard TEXT;

-- Since when failures of the release count: since clients see it, or somebody let its rollout go on. NULL: they do not.
ALTER TABLE releases ADD COLUMN round_at INTEGER;

-- The findings of the last guard run: JSON object. NULL: none has looked.
ALTER TABLE releases ADD COLUMN health TEXT;

-- Devices whose first report of a day, about the version and the series of the group, is in this group: JSON object, maps a
-- day to a number.
ALTER TABLE report_groups ADD COLUMN failing_days TEXT NOT NULL DEFAULT '{}';

-- The same by round of a release: JSON object, maps '<beginning>:<release>:<set of devices>' to a number.
ALTER TABLE report_groups ADD COLUMN failing_rounds TEXT NOT NULL DEFAULT '{}';

UPDATE releases SET round_at = offered_at WHERE published = 1 AND offered_at IS NOT NULL;

CREATE INDEX releases_by_round ON releases (round_at) WHERE round_at IS NOT NULL;
