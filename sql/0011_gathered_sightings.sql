-- How far the sightings that the key-value store gathers are counted here: all up to this number.
CREATE TABLE gathered_sightings (
  -- The name that a key-value store gave itself. An emptied store gives itself another one, and begins again at 1.
  log TEXT PRIMARY KEY,
  folded INTEGER NOT NULL
);
