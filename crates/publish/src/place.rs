//! Where an upload goes: application, channel, platform, architecture, updater; and whether there is room for it.

use spindrift_core::{
    Action, AppFlags, Id, PlatformUpdaters, Release, ReleaseMetadata, Resource, Scope, SessionFile, Target,
    Updater, Version,
};
use spindrift_db::scopes::Dimension;
use spindrift_db::{SqlConn, artifacts, releases, scopes};
use spindrift_service::Failure;
use spindrift_service::principal::Principal;
use spindrift_web::ApiError;

/// Where an upload goes.
pub struct Place {
    /// The application.
    pub app_id: Id,
    /// Its flags.
    pub flags: AppFlags,
    /// The names.
    pub scope: Scope,
    /// The identifiers of channel, platform and architecture.
    pub target: Target,
    /// The updater that the files are for.
    pub updater: Updater,
}

/// Looks up what `metadata` names: existence first, then permission.
pub fn find(
    conn: &impl SqlConn,
    principal: &Principal,
    metadata: &ReleaseMetadata,
) -> Result<Place, Failure> {
    let scope = Scope {
        owner: principal.owner.clone(),
        app: metadata.app_name.clone(),
        channel: metadata.channel.clone(),
        platform: metadata.platform.clone(),
        arch: metadata.arch.clone(),
    };
    let names = scopes::names(conn, &scope)?.ok_or_else(|| ApiError::not_found("owner"))?;
    let (app_id, flags) = names.app.ok_or_else(|| ApiError::not_found("application"))?;
    let target = Target {
        channel_id: dimension(names.channel, "channel")?,
        platform_id: dimension(names.platform, "platform")?,
        arch_id: dimension(names.arch, "arch")?,
    };
    require_upload(principal, &app_id, &target)?;
    let updaters = names.updaters.unwrap_or_else(PlatformUpdaters::default);
    let updater = updater(&updaters, metadata.updater.as_deref())?;
    Ok(Place { app_id, flags, scope, target, updater })
}

fn dimension(dimension: Dimension, name: &str) -> Result<Option<Id>, ApiError> {
    match dimension {
        Dimension::Known(id) => Ok(Some(id)),
        Dimension::Unused => Ok(None),
        Dimension::Unknown => Err(ApiError::bad_request(format!("unknown {name}"))),
        Dimension::Required => Err(ApiError::bad_request(format!("{name} is required"))),
    }
}

/// Whether the caller may upload to the application, and into each dimension.
pub fn require_upload(principal: &Principal, app: &Id, target: &Target) -> Result<(), ApiError> {
    principal.require(Action::Upload(Resource::App), Some(app))?;
    for (resource, id) in [
        (Resource::Channel, &target.channel_id),
        (Resource::Platform, &target.platform_id),
        (Resource::Arch, &target.arch_id),
    ] {
        if id.is_some() {
            principal.require(Action::Upload(resource), id.as_ref())?;
        }
    }
    Ok(())
}

/// The named updater; without one `manual`, or the platform's default where it has no `manual`.
fn updater(updaters: &PlatformUpdaters, named: Option<&str>) -> Result<Updater, ApiError> {
    match named {
        None if updaters.has(Updater::Manual) => Ok(Updater::Manual),
        named => updaters.resolve(named).map_err(|_| ApiError::bad_request("updater not supported")),
    }
}

/// 409 when the files do not fit into what is recorded; else the release that they join, if it is there already.
pub fn find_room(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    version: &Version,
    files: &[SessionFile],
) -> Result<Option<Release>, Failure> {
    let release = releases::by_version(conn, app, version)?;
    if let Some(release) = &release {
        if release.channel_id != target.channel_id {
            return Err(conflict(format!("version {version} exists in another channel")));
        }
        for file in files.iter().filter(|file| !file.feed) {
            if artifacts::place_is_taken(conn, &release.id, target, &file.name.slot())? {
                return Err(conflict(format!("an artifact for {} exists", file.name)));
            }
        }
    }
    for file in files.iter().filter(|file| !file.feed) {
        if artifacts::is_recorded(conn, &file.object)? {
            return Err(conflict(format!("the storage key of {} is in use", file.name)));
        }
    }
    Ok(release)
}

fn conflict(text: String) -> Failure {
    ApiError::Conflict(text.into()).into()
}
