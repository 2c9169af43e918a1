-- Promotions that were halted when they ended. A promotion to the same channel begins halted.
CREATE TABLE ended_halts (
  release_id TEXT NOT NULL REFERENCES releases (id),
  channel_id TEXT NOT NULL REFERENCES channels (id),
  PRIMARY KEY (release_id, channel_id)
) WITHOUT ROWID;

CREATE INDEX ended_halts_by_channel ON ended_halts (channel_id);
