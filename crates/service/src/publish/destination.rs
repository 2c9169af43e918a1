//! The destination of an upload: application, channel, platform, architecture, updater; and the permissions
//! that it takes.

use spindrift_core::{
    Action, AppFlags, Dimension, Id, PlatformUpdaters, ReleaseMetadata, Scope, Target, Timestamp,
    UnsupportedUpdater, Updater, UploadSession, Visibility, lacks,
};
use spindrift_db::{SqlConn, publishers, scopes};

use super::error::PublishError;
use crate::ServiceError;
use crate::device_groups::require_existing;
use crate::requests::principal::Principal;

/// The destination of an upload.
pub struct Destination {
    pub app_id: Id,
    pub flags: AppFlags,
    pub scope: Scope,
    pub target: Target,
    pub updater: Updater,
    pub updaters: PlatformUpdaters,
}

/// Resolves the names in `metadata`: checks existence first, then permission. Only the admin may state when a
/// release was first published.
pub fn resolve(
    conn: &impl SqlConn,
    principal: &Principal,
    metadata: &ReleaseMetadata,
) -> Result<Destination, PublishError> {
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
    if principal.built_by.is_none() && publishers::are_required(conn, &app_id)? {
        return Err(only_publishers().into());
    }
    if metadata.created_at.is_some() {
        principal.require(Action::Administer, None)?;
    }
    require_existing(conn, &app_id, &metadata.groups)?;
    let updaters = updaters.unwrap_or_default();
    let updater = updater(&updaters, metadata.updater.as_deref()).map_err(ServiceError::from)?;
    Ok(Destination { app_id, flags, scope, target, updater, updaters })
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
    principal.require_in(Action::Upload, app, std::slice::from_ref(target))
}

/// The error for a caller who is not a publisher, where only they may upload.
fn only_publishers() -> ServiceError {
    ServiceError::Denied("only publishers may upload to this application: see trusted publishing".to_owned())
}

/// Fails if the caller's credential or permission has ended since the call began.
pub(crate) fn require_still_allowed(
    conn: &impl SqlConn,
    upload: &UploadSession,
    principal: &Principal,
) -> Result<(), PublishError> {
    Ok(require_upload(&principal.as_of_now(conn)?, &upload.app_id, &upload.target)?)
}

/// Fails if the caller may not upload to any application. Runs before any files are read.
pub fn require_any_upload(principal: &Principal) -> Result<(), ServiceError> {
    if principal.actor.may_upload_something() {
        return Ok(());
    }
    Err(ServiceError::Denied(lacks(&principal.actor, Action::Upload)))
}

/// The given updater. The default is `manual`, or the platform's default if it lacks `manual`.
fn updater(updaters: &PlatformUpdaters, name: Option<&str>) -> Result<Updater, UnsupportedUpdater> {
    match name {
        None if updaters.has(Updater::Manual) => Ok(Updater::Manual),
        name => updaters.resolve(name),
    }
}

/// Fails if the upload's application or a part of its target was deleted, or if the application became
/// private or public, because the files were meant for the other bucket. Also fails if only publishers may
/// upload to it now.
pub(crate) fn require_unchanged(
    conn: &impl SqlConn,
    upload: &UploadSession,
    principal: &Principal,
) -> Result<(), PublishError> {
    let Some(rules) = scopes::upload_rules(conn, &upload.app_id, &upload.target)? else {
        return Err(PublishError::TargetDeleted);
    };
    if rules.requires_publisher && principal.built_by.is_none() {
        return Err(only_publishers().into());
    }
    let private = rules.is_private;
    let bucket = Visibility::of_app(private);
    if upload.files.iter().all(|file| file.object.bucket == bucket) {
        return Ok(());
    }
    Err(PublishError::VisibilityChanged(if private { "private" } else { "public" }))
}
