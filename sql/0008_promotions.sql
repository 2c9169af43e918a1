-- Releases that are also offered in further channels.

-- A release in a channel other than that of its upload. The columns from `published` on are those of `releases`.
CREATE TABLE promotions (
  release_id TEXT NOT NULL REFERENCES releases (id),
  channel_id TEXT NOT NULL REFERENCES channels (id),
  -- The application of the release.
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- Whether clients get copies of its files, because signed metadata names a file with its channel.
  has_copies INTEGER NOT NULL,
  published INTEGER NOT NULL DEFAULT 0,
  rollout INTEGER NOT NULL,
  rollout_bp INTEGER,
  rollout_state TEXT NOT NULL,
  rollout_plan TEXT,
  next_at INTEGER,
  offered_at INTEGER,
  publish_at INTEGER,
  guard TEXT,
  round_at INTEGER,
  health TEXT,
  let_in TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (release_id, channel_id)
) WITHOUT ROWID;

CREATE INDEX promotions_by_channel ON promotions (channel_id);

CREATE INDEX promotions_by_app ON promotions (app_id);

-- The channel for whose clients the artifact is a copy of another one of its release. NULL: it is no copy.
ALTER TABLE artifacts ADD COLUMN copied_to TEXT;

-- Releases in the channels in which they are offered: each in its own, and promotions in theirs. The files of an offer are the
-- artifacts with its `copied_to`.
CREATE VIEW offers AS
  SELECT id, owner_id, app_id, version, version_key, channel_id, 0 AS is_promoted, NULL AS copied_to, published, critical,
    intermediate, rollout, rollout_bp, rollout_state, rollout_plan, rollout_seed, next_at, offered_at, publish_at, guard,
    round_at, health, let_in, revision, withdrawn_at, withdraw_reason, changelog, created_at, updated_at
  FROM releases
  UNION ALL
  SELECT p.release_id, r.owner_id, p.app_id, r.version, r.version_key, p.channel_id, 1, iif(p.has_copies, p.channel_id, NULL),
    p.published, r.critical, r.intermediate, p.rollout, p.rollout_bp, p.rollout_state, p.rollout_plan, r.rollout_seed,
    p.next_at, p.offered_at, p.publish_at, p.guard, p.round_at, p.health, p.let_in, p.revision, r.withdrawn_at,
    r.withdraw_reason, r.changelog, r.created_at, r.updated_at
  FROM promotions p JOIN releases r ON r.id = p.release_id;
