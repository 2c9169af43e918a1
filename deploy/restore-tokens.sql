-- Ends all CI tokens of a restored copy of the database: some may have been revoked since the copy was made. They stay in
-- the lists, as expired. May be run any number of times.

UPDATE tokens SET expires_at = min(
  coalesce(expires_at, CAST(strftime('%s', 'now') AS INTEGER) * 1000),
  CAST(strftime('%s', 'now') AS INTEGER) * 1000
);
