-- How clients downloaded a version, as they say: one row for each day, version and way.
CREATE TABLE telemetry_downloads (
  day INTEGER NOT NULL,
  app_id TEXT NOT NULL,
  -- The version that was downloaded.
  version TEXT NOT NULL,
  -- 'patch', 'whole', or 'fallback': the whole file, because a patch could not be used.
  way TEXT NOT NULL,
  downloads INTEGER NOT NULL,
  PRIMARY KEY (day, app_id, version, way)
) WITHOUT ROWID;
