-- Times are Unix milliseconds, days are counted since 1970-01-01 in UTC, booleans are 0 or 1, ids are UUID v7
-- as text. An unused channel, platform or architecture is stored as an empty text, so that UNIQUE applies to
-- it.

-- Accounts.

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  -- The admin for whom a team user works; NULL for an admin.
  owner_id TEXT REFERENCES users (id),
  password_hash TEXT NOT NULL,
  -- JSON, NULL for an admin.
  permissions TEXT,
  -- In lower case; with it, a user first signs in at the provider for single sign-on.
  email TEXT UNIQUE,
  -- The account at the provider; NULL until the user has signed in there.
  sso_issuer TEXT,
  sso_subject TEXT,
  -- Whether the team users of this admin may not log in with a password.
  password_login_off INTEGER NOT NULL DEFAULT 0,
  -- Whether the team users of this admin need passkeys.
  require_passkeys INTEGER NOT NULL DEFAULT 0,
  -- A login token carries the epoch of its user, and becomes invalid when the user's epoch changes.
  epoch INTEGER NOT NULL DEFAULT 0,
  -- Rises with every change to the data behind this owner's update checks.
  revision INTEGER NOT NULL DEFAULT 0,
  -- The start of the hour in which a login of the user was last used; NULL if never.
  last_seen_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);

CREATE INDEX users_by_owner ON users (owner_id);
CREATE UNIQUE INDEX users_by_sso ON users (sso_issuer, sso_subject) WHERE sso_subject IS NOT NULL;

-- Logins that have not ended. A login token names its login, and is invalid without this row.
CREATE TABLE logins (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The start of the hour in which the login was last used; NULL if never.
  last_used_at INTEGER,
  -- When the user last proved who they are: at first with the login, later with a passkey.
  proved_at INTEGER NOT NULL
);

CREATE INDEX logins_by_user ON logins (user_id);

-- Passkeys of users.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- Given by the user.
  name TEXT NOT NULL,
  -- Base64url, as are the next two. Authenticators know the passkey by it.
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  -- The counter of signatures, and other facts that may change with each use.
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
);

CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Recovery codes that were not used.
CREATE TABLE recovery_codes (
  -- Lower-case hex SHA-256 of the code.
  digest TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id)
) WITHOUT ROWID;

CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

-- Logins that a program asks for, and that a person allows in a browser.
CREATE TABLE device_logins (
  -- Lower-case hex SHA-256 of the code that only the program knows.
  digest TEXT PRIMARY KEY,
  -- The code that the person compares.
  user_code TEXT NOT NULL UNIQUE,
  -- The program's own words about its machine.
  machine TEXT NOT NULL,
  -- Where the program asked from; empty if that is not known.
  address TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When the program last asked for its login.
  polled_at INTEGER,
  -- 'waiting', 'allowed' or 'denied'.
  state TEXT NOT NULL DEFAULT 'waiting',
  -- The user who allowed it.
  user_id TEXT REFERENCES users (id)
) WITHOUT ROWID;

-- Invitations to the team of an admin. An invitation is over when it is accepted or revoked, or has expired.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  -- NULL: the person chooses a name.
  username TEXT,
  -- JSON, as in users.
  permissions TEXT NOT NULL,
  -- Lower-case hex SHA-256 of the secret in the link.
  secret_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  accepted_at INTEGER,
  revoked_at INTEGER
);

CREATE INDEX invitations_by_owner ON invitations (owner_id);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- Lower-case hex SHA-256 of the token.
  token_hash TEXT NOT NULL UNIQUE,
  token_prefix TEXT NOT NULL,
  -- JSON array of app ids.
  allowed_apps TEXT NOT NULL,
  -- JSON array of what the token may do: "upload", "publish", "stop", "roll".
  may TEXT NOT NULL,
  expires_at INTEGER,
  -- The start of the hour in which the token was last used; NULL if never.
  last_used_at INTEGER,
  -- JSON of the CI job that it was made for: its name, publishers, rights and build; NULL if a person made it.
  job TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

-- Applications, and the names that their releases are published under.

CREATE TABLE apps (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  -- Key in the public bucket; empty if there is no logo.
  logo_key TEXT NOT NULL DEFAULT '',
  private INTEGER NOT NULL DEFAULT 0,
  -- Selects the clients that may download the files of a private application; NULL: the setting of the
  -- service decides.
  download_mode TEXT,
  tuf INTEGER NOT NULL DEFAULT 0,
  reports INTEGER NOT NULL DEFAULT 0,
  cdn INTEGER NOT NULL DEFAULT 0,
  -- Whether users have a page to download the application from.
  get_page INTEGER NOT NULL DEFAULT 0,
  -- The accent color of that page, `#rrggbb`; NULL: that of the service.
  get_page_color TEXT,
  -- Whether only publishers may upload.
  require_publisher INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

-- CI jobs that get a token by proving who they are.
CREATE TABLE publishers (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- JSON of what must hold in the identity token of a job; "provider" is 'github', 'gitlab' or 'oidc'.
  conditions TEXT NOT NULL,
  -- JSON of what the job may do, and in which channels.
  granted TEXT NOT NULL,
  -- JSON object of the ids behind the names; NULL until a job has come.
  pinned TEXT,
  last_used_at INTEGER,
  created_at INTEGER NOT NULL
);

CREATE INDEX publishers_by_app ON publishers (app_id);

-- Identity tokens that were exchanged, and challenges that a passkey answered: each is good once.
CREATE TABLE used_proofs (
  -- Lower-case hex SHA-256 of what names it.
  digest TEXT PRIMARY KEY,
  -- When it has certainly expired.
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE channels (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- Whether clients that name no channel get this one: at most one for each owner. Platforms and
  -- architectures have the same column.
  is_default INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

-- A channel whose clients are also offered the releases of another channel.
CREATE TABLE channel_includes (
  channel_id TEXT NOT NULL REFERENCES channels (id),
  included_id TEXT NOT NULL REFERENCES channels (id),
  PRIMARY KEY (channel_id, included_id)
) WITHOUT ROWID;

CREATE INDEX channel_includes_by_included ON channel_includes (included_id);

CREATE TABLE platforms (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  is_default INTEGER NOT NULL DEFAULT 0,
  -- JSON array of {"type", "default"}.
  updaters TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

CREATE TABLE archs (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  is_default INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);

-- Download tokens for clients of a private application: one for the whole application, and one for each of
-- its channels.
CREATE TABLE download_tokens (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- Empty if the token is for all channels.
  channel_id TEXT NOT NULL DEFAULT '',
  -- Lower-case hex SHA-256 of the token.
  token_hash TEXT NOT NULL UNIQUE,
  token_prefix TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (app_id, channel_id)
);

CREATE INDEX download_tokens_by_channel ON download_tokens (channel_id);

-- Groups of devices, which releases let in besides their rollout.
CREATE TABLE device_groups (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  name TEXT NOT NULL,
  -- The first 16 bytes of the SHA-256 of its key.
  key_digest BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (app_id, name)
);

CREATE TABLE device_group_members (
  group_id TEXT NOT NULL REFERENCES device_groups (id),
  -- The first 8 bytes of SHA-256("group:<app id>:<device id>") as a number.
  device INTEGER NOT NULL,
  PRIMARY KEY (group_id, device)
) WITHOUT ROWID;

-- While a row exists, no client of the application with this channel and platform is offered anything newer
-- than what it has.
CREATE TABLE shutoffs (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- Empty for all channels. Likewise for platforms.
  channel_id TEXT NOT NULL DEFAULT '',
  platform_id TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL,
  -- The name of the user or token that created it.
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (app_id, channel_id, platform_id)
);

-- Until it ends, steps of rollouts and scheduled publications wait.
CREATE TABLE freezes (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  -- Empty for all of the owner's applications.
  app_id TEXT NOT NULL DEFAULT '',
  begins_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  -- The name of the user or token that created it.
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE INDEX freezes_by_owner ON freezes (owner_id, ends_at);

-- Releases, the channels that offer them, and their files.

CREATE TABLE releases (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  version TEXT NOT NULL,
  -- Sorts in version order; equal for all spellings of one version.
  version_key TEXT NOT NULL,
  channel_id TEXT NOT NULL DEFAULT '',
  critical INTEGER NOT NULL DEFAULT 0,
  intermediate INTEGER NOT NULL DEFAULT 0,
  -- JSON array of the versions whose copies are offered the release regardless of its rollout.
  cures TEXT NOT NULL DEFAULT '[]',
  -- Gives each release an order of devices of its own.
  rollout_seed TEXT NOT NULL,
  -- When the release was withdrawn from all clients; NULL if it was not. A withdrawn release is not
  -- published.
  withdrawn_at INTEGER,
  -- Why the release was withdrawn; clients that run it are shown this.
  withdraw_reason TEXT,
  -- How the release is offered in its own channel. `promotions` has the same columns.
  published INTEGER NOT NULL DEFAULT 0,
  -- When a draft is scheduled to be published; NULL if it is not scheduled. `next_at` then holds the same
  -- time.
  publish_at INTEGER,
  -- The time that was ordered for the publication, if freezes have moved `publish_at`; otherwise NULL.
  planned_at INTEGER,
  -- The part of the devices in basis points, as of the last write, even if there is a plan. 10000 is all
  -- devices.
  rollout_bp INTEGER NOT NULL,
  -- 'on', 'paused' or 'halted'. A halted release reaches no further devices, whatever its part.
  rollout_state TEXT NOT NULL DEFAULT 'on',
  -- JSON: {"plan": the plan, "step": index, "since": when the step began, or "elapsed": how many milliseconds
  -- of it have passed, if the plan stands still, "freezes": [{"from", "to"}] that hold later steps}. NULL if
  -- there is no plan.
  rollout_plan TEXT,
  -- When the plan's next step begins.
  next_at INTEGER,
  -- When clients could first see the release. NULL if they never could.
  offered_at INTEGER,
  -- JSON array of the names of device groups that are let in.
  let_in TEXT NOT NULL DEFAULT '[]',
  -- The order for a guard run that finds the release unhealthy: JSON object. NULL: do nothing.
  guard TEXT,
  -- Since when failures count: since clients have seen the release, or since its rollout was last continued.
  -- NULL if they do not count.
  round_at INTEGER,
  -- The findings of the last guard run: JSON object. NULL if no run has looked at the release.
  health TEXT,
  -- Rises with every change to how the release is offered.
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The last column, because it is long: SQLite reads everything that precedes a column.
  changelog TEXT NOT NULL DEFAULT '',
  UNIQUE (app_id, version_key)
);

CREATE INDEX releases_by_channel ON releases (channel_id);

-- Counting the releases of all applications, and listing their versions, must not read rows, because rows
-- contain the notes. Lists of an owner's releases use this index too.
CREATE INDEX releases_by_owner ON releases (owner_id, app_id, version_key, version, published, updated_at);

CREATE INDEX releases_under_way ON releases (app_id, next_at) WHERE next_at IS NOT NULL;

CREATE INDEX releases_withdrawn ON releases (app_id, withdrawn_at) WHERE withdrawn_at IS NOT NULL;

CREATE INDEX releases_by_round ON releases (round_at) WHERE round_at IS NOT NULL;

-- Requirements that clients' systems have to meet before they are offered a release.
CREATE TABLE release_requirements (
  release_id TEXT NOT NULL REFERENCES releases (id),
  -- Empty if the owner does not use the dimension.
  platform_id TEXT NOT NULL,
  arch_id TEXT NOT NULL,
  -- JSON: see `Requirements` in `crates/core`.
  requires TEXT NOT NULL,
  PRIMARY KEY (release_id, platform_id, arch_id)
) WITHOUT ROWID;

-- A release in a channel other than that of its upload. The columns from `published` on are those of
-- `releases`.
CREATE TABLE promotions (
  release_id TEXT NOT NULL REFERENCES releases (id),
  channel_id TEXT NOT NULL REFERENCES channels (id),
  -- The application of the release.
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- Whether clients get copies of the files, because signed metadata names a file together with its channel.
  has_copies INTEGER NOT NULL,
  published INTEGER NOT NULL DEFAULT 0,
  publish_at INTEGER,
  planned_at INTEGER,
  rollout_bp INTEGER NOT NULL,
  rollout_state TEXT NOT NULL,
  rollout_plan TEXT,
  next_at INTEGER,
  offered_at INTEGER,
  let_in TEXT NOT NULL,
  guard TEXT,
  round_at INTEGER,
  health TEXT,
  revision INTEGER NOT NULL,
  PRIMARY KEY (release_id, channel_id)
) WITHOUT ROWID;

CREATE INDEX promotions_by_channel ON promotions (channel_id);

CREATE INDEX promotions_by_app ON promotions (app_id);

-- Promotions that were halted when they ended. A new promotion to the same channel starts halted.
CREATE TABLE ended_halts (
  release_id TEXT NOT NULL REFERENCES releases (id),
  channel_id TEXT NOT NULL REFERENCES channels (id),
  PRIMARY KEY (release_id, channel_id)
) WITHOUT ROWID;

CREATE INDEX ended_halts_by_channel ON ended_halts (channel_id);

-- Releases in the channels in which they are offered: each release in its own channel, and promotions in
-- theirs. The files of an offer are the artifacts with its `copied_to`.
CREATE VIEW offers AS
  SELECT id, owner_id, app_id, version, version_key, channel_id, 0 AS is_promoted, NULL AS copied_to,
    critical, intermediate, cures, changelog, rollout_seed, withdrawn_at, withdraw_reason, published,
    publish_at, planned_at, rollout_bp, rollout_state, rollout_plan, next_at, offered_at, let_in, guard, round_at, health,
    revision, created_at, updated_at
  FROM releases
  UNION ALL
  SELECT p.release_id, r.owner_id, p.app_id, r.version, r.version_key, p.channel_id, 1,
    iif(p.has_copies, p.channel_id, NULL), r.critical, r.intermediate, r.cures, r.changelog, r.rollout_seed,
    r.withdrawn_at, r.withdraw_reason, p.published, p.publish_at, p.planned_at, p.rollout_bp, p.rollout_state,
    p.rollout_plan, p.next_at, p.offered_at, p.let_in, p.guard, p.round_at, p.health, p.revision,
    r.created_at, r.updated_at
  FROM promotions p JOIN releases r ON r.id = p.release_id;

CREATE TABLE artifacts (
  id TEXT PRIMARY KEY,
  release_id TEXT NOT NULL REFERENCES releases (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  package TEXT NOT NULL,
  -- The key that is unique within the release's platform and architecture: the package, or the file name if
  -- several files may have the same package.
  slot TEXT NOT NULL,
  updater TEXT NOT NULL,
  file_name TEXT NOT NULL,
  -- 'public' or 'private'.
  bucket TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  size INTEGER NOT NULL,
  -- Lower-case hex, as declared by the uploader; the storage verified md5.
  md5 TEXT NOT NULL,
  sha256 TEXT,
  sha512 TEXT,
  -- Whether `sha256` and `sha512` were compared with the stored bytes, or computed from them. 0: they are
  -- missing, or only what the uploader declared.
  digests_verified INTEGER NOT NULL DEFAULT 0,
  signature TEXT,
  -- Whether the artifact is in the current signed metadata. `listed`: it is. `unlisted`: it is not, and
  -- checks do not answer with it. `legacy`: it is not, but it was recorded before the repository began, or
  -- there is no repository.
  listing TEXT NOT NULL DEFAULT 'legacy',
  -- Whether the service leaves the artifact out of its lists, because a user asked for that or it is being
  -- deleted.
  left_out INTEGER NOT NULL DEFAULT 0,
  -- Until when the service leaves the artifact out of its lists because a call is about to delete it. NULL if
  -- no call is. After that time the call counts as dead, and maintenance lists the artifact again.
  leaving_until INTEGER,
  -- The channel for whose clients this is a copy of another artifact of its release. NULL if it is not a
  -- copy.
  copied_to TEXT,
  -- The description of a patch, which makes another file of its release from that of an older release: JSON
  -- {"package", "format", "base_version", "base_sha256"}. NULL if it is not a patch.
  patch TEXT,
  -- JSON of the CI job that uploaded it; NULL if somebody else did.
  built_by TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (bucket, storage_key),
  UNIQUE (release_id, platform_id, arch_id, slot)
);

CREATE INDEX artifacts_by_scope ON artifacts (app_id, platform_id, arch_id);

CREATE INDEX artifacts_by_platform ON artifacts (platform_id);

CREATE INDEX artifacts_by_arch ON artifacts (arch_id);

CREATE INDEX artifacts_leaving ON artifacts (leaving_until) WHERE leaving_until IS NOT NULL;

-- Feed files of a release, as uploaded.
CREATE TABLE feed_files (
  release_id TEXT NOT NULL REFERENCES releases (id),
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  updater TEXT NOT NULL,
  file_name TEXT NOT NULL,
  bucket TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  PRIMARY KEY (bucket, storage_key)
) WITHOUT ROWID;

CREATE INDEX feed_files_by_release ON feed_files (release_id);

-- Feeds of releases, from which native updaters are answered: those parts of uploaded feeds that belong to
-- the release.
CREATE TABLE release_feeds (
  release_id TEXT NOT NULL REFERENCES releases (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  updater TEXT NOT NULL,
  -- The name under which the feed was uploaded.
  file_name TEXT NOT NULL,
  -- JSON.
  feed TEXT NOT NULL,
  PRIMARY KEY (release_id, platform_id, arch_id, updater)
) WITHOUT ROWID;

CREATE INDEX release_feeds_by_scope ON release_feeds (app_id, updater, platform_id, arch_id);

-- Uploads, and the objects that they write.

-- One presigned upload, from init until its staged objects are deleted.
CREATE TABLE upload_sessions (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL REFERENCES apps (id),
  -- The user, token or publisher that started it: 'user:<id>', 'token:<id>' or 'publisher:<id>'.
  started_by TEXT NOT NULL,
  channel_id TEXT NOT NULL DEFAULT '',
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  -- JSON of the release metadata and of the files.
  metadata TEXT NOT NULL,
  files TEXT NOT NULL,
  -- JSON object: maps a file name to the object's tag and the digests that its bytes were compared with.
  verified TEXT NOT NULL DEFAULT '{}',
  -- 'staged': nothing is recorded yet. 'expired': maintenance is deleting the staged objects. 'recorded': the
  -- release has the artifacts, and staged objects may still exist. 'finished': nothing is left to do.
  state TEXT NOT NULL,
  release_id TEXT,
  -- The time until which a call may be publishing the upload; its staged objects are not deleted before then.
  busy_until INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER NOT NULL
);

CREATE INDEX upload_sessions_by_expiry ON upload_sessions (state, expires_at);

CREATE INDEX upload_sessions_by_app ON upload_sessions (app_id);

-- Uploads through the service whose files are still arriving. Files may have been staged for them, but
-- nothing else is known yet.
CREATE TABLE incoming_uploads (
  id TEXT PRIMARY KEY,
  -- When the call counts as dead.
  expires_at INTEGER NOT NULL
);

-- Claims: the upload or deletion that may currently write or delete an object outside pending/. Inserted
-- before the object is touched; deleted in the transaction that records the object, or after the object is
-- deleted.
CREATE TABLE object_claims (
  bucket TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  -- 'upload:<session id>' or 'delete'.
  holder TEXT NOT NULL,
  -- When another holder may take over the claim.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (bucket, storage_key)
);

-- State of the static answers, which are objects in the CDN bucket, and the versions for which they exist.

-- Every version that was ever published in a scope, even if its release has been deleted, because installed
-- copies of it still check. The key is ordered so that the newest versions of a scope are read first.
CREATE TABLE scope_versions (
  app_id TEXT NOT NULL,
  version_key TEXT NOT NULL,
  channel_id TEXT NOT NULL DEFAULT '',
  platform_id TEXT NOT NULL DEFAULT '',
  arch_id TEXT NOT NULL DEFAULT '',
  version TEXT NOT NULL,
  PRIMARY KEY (app_id, version_key, channel_id, platform_id, arch_id)
) WITHOUT ROWID;

-- The folders that contain, or will contain, static answers.
CREATE TABLE projections (
  -- '{owner}/{app}/{channel}/{platform}/{arch}', as in the keys of the objects.
  folder TEXT PRIMARY KEY,
  -- When the content of the folder last changed, or the previous value plus one; set in the transaction of
  -- the change.
  changed INTEGER NOT NULL,
  -- The value of `changed` for which the answers are known to be stored.
  written INTEGER NOT NULL DEFAULT 0,
  -- A digest of the settings and the format with which the answers were made.
  made_with INTEGER NOT NULL DEFAULT 0,
  -- When the answers were last compared with the objects.
  checked_at INTEGER NOT NULL DEFAULT 0,
  -- The current writer, and the time after which none of its requests can arrive; 0 once it has finished.
  writer TEXT NOT NULL DEFAULT '',
  writer_until INTEGER NOT NULL DEFAULT 0,
  -- The same time for all other writers that have started in the meantime.
  others_until INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Repositories of signed update metadata (TUF). Roles are `root`, `targets`, `snapshot`, `timestamp` and
-- `channel-<name>`.

CREATE TABLE repositories (
  app_id TEXT PRIMARY KEY REFERENCES apps (id),
  -- `{owner}/{app}` as named at the start; renaming either does not change it.
  name TEXT NOT NULL UNIQUE,
  -- Raised by every change of the current metadata. A commit fails unless this is still the value with which
  -- it began.
  revision INTEGER NOT NULL,
  -- The revision whose timestamp is in the bucket. If it is less than `revision`, the bucket has to be
  -- written.
  written_revision INTEGER NOT NULL,
  -- The revision whose listing the artifacts have. If it is less than `revision`, the listing has to be
  -- applied.
  applied_revision INTEGER NOT NULL,
  -- The number of changes of releases and of their names.
  changes INTEGER NOT NULL DEFAULT 0,
  -- The value of `changes` up to which the targets that the service signs include the changes.
  synced_changes INTEGER NOT NULL DEFAULT 0,
  -- Generations of the service's keys that the current root names.
  online_generation INTEGER NOT NULL,
  targets_generation INTEGER NOT NULL,
  -- Number of newest releases that are listed in each channel, platform and architecture. 0 means all.
  keep INTEGER NOT NULL,
  -- Lifetimes in days: a recommendation to the signers of root, and those of the files that the service
  -- signs.
  root_days INTEGER NOT NULL,
  targets_days INTEGER NOT NULL,
  snapshot_days INTEGER NOT NULL,
  timestamp_days INTEGER NOT NULL,
  -- When the service has to sign again. NULL if an offline signature is needed first.
  due_at INTEGER,
  -- When root, or targets that are signed offline, expire. NULL if there are none.
  expires_at INTEGER,
  -- When a refresh last failed.
  refresh_failed_at INTEGER,
  -- When maintenance last compared the bucket with the current metadata.
  checked_at INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);

CREATE INDEX repositories_by_due ON repositories (due_at);

-- Accepted metadata, as it is sent.
CREATE TABLE repository_metadata (
  app_id TEXT NOT NULL REFERENCES repositories (app_id),
  role TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- Every role has one current file.
  is_current INTEGER NOT NULL,
  -- The repository's revision with which it became current.
  revision INTEGER NOT NULL,
  -- The event that recorded it.
  event_id TEXT NOT NULL,
  -- Its `expires` field.
  expires_at INTEGER NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, role, version)
);

CREATE INDEX repository_metadata_current ON repository_metadata (app_id, is_current);

CREATE INDEX repository_metadata_former ON repository_metadata (app_id, role, version) WHERE is_current = 0;

-- Metadata that lacks signatures: one file for each role. Files sent in one call have the same event, and
-- become current together.
CREATE TABLE repository_staged (
  app_id TEXT NOT NULL REFERENCES repositories (app_id),
  role TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- The version of the list from which it was made: of the current targets or, for a channel's own list, of
  -- that list. 0 if there was none, and for root.
  base INTEGER NOT NULL,
  content TEXT NOT NULL,
  -- The event that recorded it.
  event_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, role)
);

-- The history of repositories, which is kept after they end. An event's id is also the id of a task.
CREATE TABLE repository_events (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  message TEXT NOT NULL,
  -- JSON object of texts.
  details TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE INDEX repository_events_by_app ON repository_events (app_id, created_at);

-- Data sent by devices: usage and failure reports. None of these rows prevents an application from being
-- deleted. Rows of a deleted application are never shown, and are deleted once they are old enough.

-- One device of one application on one day. The key begins with the day, so that a day is one range for
-- reading and deleting.
CREATE TABLE telemetry (
  day INTEGER NOT NULL,
  app_id TEXT NOT NULL,
  -- 64 bits of a keyed digest; the identifier itself is not stored.
  device INTEGER NOT NULL,
  -- The last values reported on that day.
  version TEXT NOT NULL,
  channel TEXT NOT NULL DEFAULT '',
  platform TEXT NOT NULL DEFAULT '',
  arch TEXT NOT NULL DEFAULT '',
  is_latest INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (day, app_id, device)
) WITHOUT ROWID;

-- Figures of past days: how many devices reported each combination. Maintenance folds `telemetry` into this
-- table, so that a page reads a few rows for each day instead of one for each device.
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

-- Each device once, with its report of the last folded day on which it was seen.
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

-- A single row: how far `telemetry` has been folded, in the order of its primary key.
CREATE TABLE telemetry_fold (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- This day and all earlier ones have been folded.
  day INTEGER NOT NULL,
  -- The last row of the next day that has been folded. An empty app_id means that there is none.
  app_id TEXT NOT NULL,
  device INTEGER NOT NULL
);

INSERT INTO telemetry_fold (id, day, app_id, device) VALUES (1, -1, '', 0);

-- The number up to which the sightings gathered in the key-value store have been counted here.
CREATE TABLE gathered_sightings (
  -- The name that a key-value store gave itself. A store that was emptied gives itself a new name, and starts
  -- over at 1.
  log TEXT PRIMARY KEY,
  folded INTEGER NOT NULL
);

-- How clients downloaded a version, according to their own reports: one row for each day, version and way.
CREATE TABLE telemetry_downloads (
  day INTEGER NOT NULL,
  app_id TEXT NOT NULL,
  -- The version that was downloaded.
  version TEXT NOT NULL,
  -- 'patch', 'whole', or 'fallback' for the whole file because a patch could not be used.
  way TEXT NOT NULL,
  downloads INTEGER NOT NULL,
  PRIMARY KEY (day, app_id, version, way)
) WITHOUT ROWID;

-- The key with which an application sends failure reports. It only allows reporting failures, and its owner
-- needs to see it repeatedly, so it is stored in plain text.
CREATE TABLE report_keys (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL UNIQUE,
  key_value TEXT NOT NULL UNIQUE,
  updated_at INTEGER NOT NULL
);

-- SHA-256 of report keys that were replaced or deleted, with their owner. Installed copies may still send
-- such a key, so no other owner may use it. owner_id: users.id, which is never reused.
CREATE TABLE retired_report_keys (
  key_hash TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL
);

-- Groups of failures that are counted together. They expire some time after their last event.
CREATE TABLE report_groups (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  app_id TEXT NOT NULL,
  -- Lower-case hex SHA-256 of the seven fields below.
  group_hash TEXT NOT NULL,
  app_name TEXT NOT NULL,
  version TEXT NOT NULL,
  channel TEXT NOT NULL,
  platform TEXT NOT NULL,
  arch TEXT NOT NULL,
  event_type TEXT NOT NULL,
  reason TEXT NOT NULL,
  event_count INTEGER NOT NULL,
  -- Reports of the last 30 days: JSON object that maps a day to a number. A column rather than a table of its
  -- own, so that the statement that counts a report can update it.
  days TEXT NOT NULL DEFAULT '{}',
  -- Devices whose first report on a day, for the version and the series of the group, is in this group: JSON
  -- object that maps a day to a number.
  failing_days TEXT NOT NULL DEFAULT '{}',
  -- The same by round of a release: JSON object that maps '<beginning>:<release>:<set of devices>' to a
  -- number.
  failing_rounds TEXT NOT NULL DEFAULT '{}',
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  details_stored INTEGER NOT NULL DEFAULT 0,
  details_rejected INTEGER NOT NULL DEFAULT 0,
  -- 'open', 'resolved' or 'muted'.
  status TEXT NOT NULL DEFAULT 'open',
  -- JSON array of texts.
  tags TEXT NOT NULL DEFAULT '[]',
  note TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (app_id, group_hash)
);

CREATE INDEX report_groups_by_owner ON report_groups (owner_id, last_seen);

CREATE INDEX report_groups_by_hash ON report_groups (owner_id, group_hash);

CREATE INDEX report_groups_by_age ON report_groups (last_seen);

CREATE INDEX report_groups_by_status ON report_groups (app_id, status);

-- Details of single reports, stored in the private bucket.
CREATE TABLE report_blobs (
  id TEXT PRIMARY KEY,
  group_id TEXT NOT NULL REFERENCES report_groups (id),
  storage_key TEXT NOT NULL UNIQUE,
  -- In bytes, compressed and uncompressed.
  compressed_size INTEGER NOT NULL,
  decompressed_size INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE INDEX report_blobs_by_group ON report_blobs (group_id, created_at);

CREATE INDEX report_blobs_by_age ON report_blobs (created_at);

-- Changes made by people and by the service, and the webhooks that are notified of them.

-- One chain for each owner: `hash` covers the previous hash and `entry`, the text that is exported. The
-- columns by which entries are filtered are derived from that text, so that nobody can hide an entry by
-- changing another column. They are NULL if the text is not JSON.
CREATE TABLE audit_log (
  -- Removing an account by hand leaves its log in place.
  owner_id TEXT NOT NULL,
  -- 1 for the owner's first entry, without gaps.
  seq INTEGER NOT NULL,
  entry TEXT NOT NULL,
  hash BLOB NOT NULL,
  -- Rounded down to whole seconds.
  at INTEGER AS (CASE WHEN json_valid(entry) THEN strftime('%s', json_extract(entry, '$.at')) * 1000 END),
  kind TEXT AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.kind') END),
  -- The application may have been deleted since. Its name is that at the time of the change.
  app_id TEXT AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.app_id') END),
  app TEXT AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.app') END),
  -- The release may have been deleted since.
  release_id TEXT AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.release.id') END),
  version TEXT AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.release.version') END),
  -- The user or token, which may have been deleted since. If it has no name: the type, such as 'clock'.
  actor_id TEXT AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.actor.id') END),
  actor TEXT AS (CASE WHEN json_valid(entry)
    THEN coalesce(json_extract(entry, '$.actor.name'), json_extract(entry, '$.actor.type')) END),
  PRIMARY KEY (owner_id, seq)
) WITHOUT ROWID;

CREATE INDEX audit_log_by_app ON audit_log (owner_id, app_id, seq);

CREATE INDEX audit_log_by_release ON audit_log (owner_id, release_id, seq);

-- URLs to which entries of an owner's audit log are sent.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id),
  -- Only entries about this application; empty for all of the owner's.
  app_id TEXT NOT NULL DEFAULT '',
  -- For people. Not unique.
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  -- JSON array of kinds, such as "rollout.halt", and prefixes, such as "health.*".
  kinds TEXT NOT NULL,
  -- The position in the log up to which entries were sent, or are of kinds that are not sent.
  delivered_seq INTEGER NOT NULL,
  -- The position in the log of the first entry whose message may have a link that halts the release. Links of
  -- earlier messages are revoked. NULL if messages have no such links, and all are revoked.
  halt_links_from INTEGER,
  -- When a process last started to send to it, so that webhooks take turns. NULL if never.
  turn_at INTEGER,
  -- Since when deliveries have failed; NULL if the last one succeeded.
  failing_since INTEGER,
  -- The last failure in readable form: a status or a reason.
  last_failure TEXT,
  -- The webhook is not tried again before this time; NULL if it may be tried at once.
  next_try INTEGER,
  -- When it was switched off, after days of failures; NULL if it is on.
  off_at INTEGER,
  created_at INTEGER NOT NULL
);

CREATE INDEX webhooks_by_owner ON webhooks (owner_id);

-- The service itself.

-- A random name of this database, which the marker in the private bucket contains. A restored backup has the
-- name of the database from which it was made.
CREATE TABLE database_identity (
  id TEXT PRIMARY KEY
);

INSERT INTO database_identity (id) VALUES (lower(hex(randomblob(16))));

-- Secrets that the service generates if the setting is empty. The first one generated is kept permanently.
CREATE TABLE generated_secrets (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- Leases for work that only one process may do at a time.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When the work last ended without a failure. NULL if never.
  ended_at INTEGER,
  -- Since when the object storage has not answered the work. NULL if it answered the last time.
  storage_failed_since INTEGER,
  -- Since when maintenance has found the marker of another database in the private bucket. NULL if the last
  -- run found none.
  foreign_bucket_since INTEGER
);
