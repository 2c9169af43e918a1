-- Figures of days that are over: so many devices reported this. Maintenance folds `telemetry` into it, so that a page reads
-- a few rows a day instead of one for each device.
CREATE TABLE telemetry_days (
  day INTEGER NOT NULL,
  app_id TEXT NOT NULL,
  version TEXT NOT NULL,
  channel TEXT NOT NULL,
  platform TEXT NOT NULL,
  arch TEXT NOT NULL,
  is_latest INTEGER NOT NULL,
  devices INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (day, app_id, version, channel, platform, arch, is_latest)
) WITHOUT ROWID;

-- Each device once, with what it reported on the last folded day on which it was seen.
CREATE TABLE telemetry_devices (
  app_id TEXT NOT NULL,
  device INTEGER NOT NULL,
  day INTEGER NOT NULL,
  version TEXT NOT NULL,
  channel TEXT NOT NULL,
  platform TEXT NOT NULL,
  arch TEXT NOT NULL,
  is_latest INTEGER NOT NULL,
  PRIMARY KEY (app_id, device)
) WITHOUT ROWID;

CREATE INDEX telemetry_devices_by_day ON telemetry_devices (day);

-- One row: how far `telemetry` is folded, in the order of its primary key.
CREATE TABLE telemetry_fold (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- This day and all before it are folded.
  day INTEGER NOT NULL,
  -- The last row of the next day that is folded. An empty app_id: none.
  app_id TEXT NOT NULL,
  device INTEGER NOT NULL
);
INSERT INTO telemetry_fold (id, day, app_id, device) VALUES (1, -1, '', 0);
