//! The destination of an upload: application, channel, platform, architecture, updater; and whether its slots
//! are free.

use std::collections::BTreeSet;

use spindrift_core::{
    Action, AppFlags, Dimension, FileName, Id, Packages, PlatformUpdaters, Release, ReleaseMetadata,
    Resource, Scope, Target, Timestamp, UnsupportedUpdater, Updater, UploadSession, Version, Visibility,
    lacks,
};
use spindrift_db::{
    SqlConn, SqlError, artifacts, promotions, release_feeds, release_places, releases, scopes,
};

use super::error::PublishError;
use crate::ServiceError;
use crate::device_groups::require_known;
use crate::requests::principal::Principal;

/// The destination of an upload.
pub struct Place {
    pub app_id: Id,
    pub flags: AppFlags,
    pub scope: Scope,
    pub target: Target,
    pub updater: Updater,
    pub updaters: PlatformUpdaters,
}

/// Resolves the names in `metadata`: checks existence first, then permission. Only the admin may
/// state when a release was first published.
pub fn find(
    conn: &impl SqlConn,
    principal: &Principal,
    metadata: &ReleaseMetadata,
) -> Result<Place, PublishError> {
    let scope = Scope {
        owner: principal.owner.clone(),
        app: metadata.app_name.clone(),
        channel: metadata.channel.clone(),
        platform: metadata.platform.clone(),
        arch: metadata.arch.clone(),
    };
    // Uploads do not depend on when anything is published.
    let names =
        scopes::names(conn, &scope, Timestamp::default())?.ok_or(ServiceError::UnknownName("owner"))?;
    let (app_id, flags) = names.app.ok_or(ServiceError::UnknownName("application"))?;
    let [channel, platform, arch] = scope.dimensions();
    let channel = dimension(names.channel.of_publisher(channel), "channel")?;
    let platform = dimension(names.platform.of_publisher(platform), "platform")?;
    let arch = dimension(names.arch.of_publisher(arch), "arch")?;
    let (platform_id, updaters) = platform.map(|(id, _, updaters)| (id, updaters)).unzip();
    let target =
        Target { channel_id: channel.map(|(id, _)| id), platform_id, arch_id: arch.map(|(id, _)| id) };
    require_upload(principal, &app_id, &target)?;
    if metadata.created_at.is_some() {
        principal.require(Action::Administer, None)?;
    }
    require_known(conn, &app_id, &metadata.groups)?;
    let updaters = updaters.unwrap_or_default();
    let updater = updater(&updaters, metadata.updater.as_deref()).map_err(ServiceError::from)?;
    Ok(Place { app_id, flags, scope, target, updater, updaters })
}

fn dimension<T>(dimension: Dimension<T>, name: &'static str) -> Result<Option<T>, PublishError> {
    match dimension {
        Dimension::Known(value) => Ok(Some(value)),
        Dimension::Unused => Ok(None),
        Dimension::Unknown => Err(PublishError::UnknownDimension(name)),
        Dimension::Required => Err(ServiceError::NameRequired(name).into()),
    }
}

/// Fails unless the caller may upload to the application, and into each dimension.
pub fn require_upload(principal: &Principal, app: &Id, target: &Target) -> Result<(), ServiceError> {
    principal.require_in(Action::Upload(Resource::App), app, std::slice::from_ref(target))
}

/// Fails unless the caller may also upload into the channels that a release was promoted to,
/// because they offer all its files.
pub(crate) fn require_further_channels(
    conn: &impl SqlConn,
    principal: &Principal,
    release: &Release,
) -> Result<(), PublishError> {
    let channels = release_places::further_channels(conn, release)?;
    Ok(principal.require_in(Action::Upload(Resource::App), &release.app_id, &channels)?)
}

/// Fails if the caller's credential or permission has ended since the call began.
pub(crate) fn require_still_allowed(
    conn: &impl SqlConn,
    session: &UploadSession,
    principal: &Principal,
) -> Result<(), PublishError> {
    Ok(require_upload(&principal.as_of_now(conn)?, &session.app_id, &session.target)?)
}

/// Fails if the caller may not upload to any application. Runs before any files are read.
pub fn require_any_upload(principal: &Principal) -> Result<(), ServiceError> {
    if principal.actor.may_upload_something() {
        return Ok(());
    }
    Err(ServiceError::Denied(lacks(&principal.actor, Action::Upload(Resource::App))))
}

/// The given updater. The default is `manual`, or the platform's default if it lacks `manual`.
fn updater(updaters: &PlatformUpdaters, named: Option<&str>) -> Result<Updater, UnsupportedUpdater> {
    match named {
        None if updaters.has(Updater::Manual) => Ok(Updater::Manual),
        named => updaters.resolve(named),
    }
}

/// The existing release that an upload adds to, if any. Fails if it is in another channel, or is
/// offered in further ones.
pub fn find_release(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    version: &Version,
) -> Result<Option<Release>, PublishError> {
    let release = releases::by_version(conn, app, version)?;
    match &release {
        Some(release) if release.channel_id != target.channel_id => {
            Err(PublishError::VersionInOtherChannel(version.clone()))
        }
        Some(existing) => {
            let copied_to = promotions::with_copies(conn, &existing.id)?;
            if copied_to.is_empty() { Ok(release) } else { Err(PublishError::Promoted(copied_to)) }
        }
        None => Ok(None),
    }
}

/// The feeds of a release that others for the same updater, platform and architecture replace.
/// Fails if clients see its files and the caller is a CI token, because that could change what they
/// install.
pub fn replaced_feeds(
    conn: &impl SqlConn,
    principal: &Principal,
    release: Option<&Release>,
    (target, updaters): (&Target, &BTreeSet<Updater>),
    now: Timestamp,
) -> Result<Vec<FileName>, PublishError> {
    let Some(release) = release else { return Ok(Vec::new()) };
    let mut replaced = Vec::new();
    for updater in updaters {
        replaced.extend(release_feeds::file_name(conn, &release.id, target, *updater)?);
    }
    match replaced.first() {
        Some(feed) if principal.is_token() && is_seen(conn, principal, release, now)? => {
            Err(PublishError::FeedIsSeen(feed.clone()))
        }
        _ => Ok(replaced),
    }
}

/// Whether clients see a release in one of its channels.
pub(crate) fn is_seen(
    conn: &impl SqlConn,
    principal: &Principal,
    release: &Release,
    now: Timestamp,
) -> Result<bool, PublishError> {
    let offers = releases::offers(conn, &principal.owner_id, &release.id)?;
    Ok(offers.into_iter().any(|offer| offer.as_of(now).flags.published))
}

/// The occupied slots of a release, in one platform and architecture.
#[derive(Default)]
pub struct Taken {
    slots: BTreeSet<String>,
    /// The versions of the upload and of the release, if their spellings differ.
    spellings: Option<(String, String)>,
}

impl Taken {
    /// The slots of `release`, for an upload to `version`. Artifacts in `leaving` count as deleted.
    pub fn of(
        conn: &impl SqlConn,
        release: Option<&Release>,
        version: &Version,
        target: &Target,
        leaving: &[Id],
    ) -> Result<Self, SqlError> {
        let Some(release) = release else { return Ok(Self::default()) };
        let slots = artifacts::taken_slots(conn, &release.id, target)?;
        let slots = slots.into_iter().filter(|(_, id)| !leaving.contains(id)).map(|(slot, _)| slot).collect();
        let is_other = release.version.as_str() != version.as_str();
        Ok(Self { slots, spellings: is_other.then(|| (version.to_string(), release.version.to_string())) })
    }

    /// Whether the release has no files in this scope.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Fails if the slot of the file is occupied. Feeds occupy no slot.
    pub fn require_free(&self, name: &FileName, packages: &Packages) -> Result<(), PublishError> {
        if name.is_feed() || !self.slots.contains(&packages.slot(name)) {
            return Ok(());
        }
        let file = name.clone();
        Err(match self.spellings.clone() {
            Some((given, existing)) => PublishError::SameVersion { file, given, existing },
            None => PublishError::ArtifactExists(file),
        })
    }
}

/// Fails if the session's application or a part of its target was deleted, or if the application
/// became private or public, because the files were meant for the other bucket.
pub(crate) fn require_unchanged(conn: &impl SqlConn, session: &UploadSession) -> Result<(), PublishError> {
    let Some(private) = scopes::is_private(conn, &session.app_id, &session.target)? else {
        return Err(PublishError::TargetDeleted);
    };
    let bucket = Visibility::of_app(private);
    if session.files.iter().all(|file| file.object.bucket == bucket) {
        return Ok(());
    }
    Err(PublishError::VisibilityChanged(if private { "private" } else { "public" }))
}
