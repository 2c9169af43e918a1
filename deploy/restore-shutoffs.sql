-- Shuts off the updates of every application in a restored copy of the database, before the service opens it: releases
-- that were withdrawn or halted since the copy was made would be offered again. `spindrift shutoff lift --restored` lifts
-- all of these shut-offs. May be run any number of times.

INSERT INTO shutoffs (id, owner_id, app_id, reason, created_by, created_at)
SELECT lower(hex(randomblob(16))), owner_id, id, 'The service was restored from a backup', 'spindrift restore',
  CAST(strftime('%s', 'now') AS INTEGER) * 1000
FROM apps WHERE true
ON CONFLICT (app_id, channel_id, platform_id) DO NOTHING;
