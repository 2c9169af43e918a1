-- The channel, platform and architecture that clients mean who name none: at most one of each for an owner.
ALTER TABLE channels ADD COLUMN is_default INTEGER NOT NULL DEFAULT 0;
ALTER TABLE platforms ADD COLUMN is_default INTEGER NOT NULL DEFAULT 0;
ALTER TABLE archs ADD COLUMN is_default INTEGER NOT NULL DEFAULT 0;
