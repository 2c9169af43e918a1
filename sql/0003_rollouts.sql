-- Rollouts that grow by themselves, and can be halted. `rollout` stays what earlier versions read: the whole percentage,
-- rounded down, and 0 while the rollout is halted.

-- Rises with every change of how the release is offered.
ALTER TABLE releases ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;

-- Hundredths of a percent; NULL: as many as `rollout` says.
ALTER TABLE releases ADD COLUMN rollout_bp INTEGER;

-- 'on', 'paused' or 'halted'.
ALTER TABLE releases ADD COLUMN rollout_state TEXT NOT NULL DEFAULT 'on';

-- {"steps": [...], "step": place, "since": when it began, or "elapsed": milliseconds of it, if the plan stands still}
ALTER TABLE releases ADD COLUMN rollout_plan TEXT;

-- When the plan's next step begins by itself.
ALTER TABLE releases ADD COLUMN next_at INTEGER;

-- When clients first could see the release.
ALTER TABLE releases ADD COLUMN offered_at INTEGER;

CREATE INDEX releases_under_way ON releases (app_id, next_at) WHERE next_at IS NOT NULL;
