//! Records of the newest builds of an application. See [`crate::records`].

use std::sync::Arc;

use spindrift_core::{AppName, LatestArtifact, LatestRecord, RecordStamp, Scope, UserName, latest_builds};
use spindrift_db::latest;

use super::record::{READ_MAX_AGE_SECONDS, Record as _};
use super::stored_record::StoredRecord;
use super::{keys, known_names, revisions, stored_record};
use crate::links::DownloadLinks;
use crate::{Ports, ServiceError};

/// The record of an application. An unknown owner or application is [`ServiceError::NoBuilds`].
pub fn load<P: Ports>(ports: &P, owner: &UserName, app: &AppName) -> Result<Arc<LatestRecord>, ServiceError> {
    let key = keys::of_latest(owner, app);
    let stored = match StoredRecord::load_fresh(ports, &key) {
        Ok(record) => return Ok(record),
        Err(stored) => stored.unless_overloaded()?,
    };
    if let Some(record) = revisions::confirm(ports, &key, owner, &stored)? {
        return Ok(Arc::new(record));
    }
    let scope = Scope { owner: owner.clone(), app: app.clone(), channel: None, platform: None, arch: None };
    let load =
        || stored.renew(ports, &key, |conn, stored| derive(ports, conn, owner, app, stored)).map(Arc::new);
    known_names::refuse_unknown(ports, &scope, load).map_err(|error| match error {
        ServiceError::UnknownName(_) => ServiceError::NoBuilds,
        other => other,
    })
}

/// Derives the record again after a committed change of the application.
pub(crate) fn renew<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    owner: &UserName,
    app: &AppName,
) -> Result<(), ServiceError> {
    let key = keys::of_latest(owner, app);
    stored_record::renew_after_change(ports, &key, || derive(ports, conn, owner, app, None))
}

/// Deletes the record after a committed change; the next request derives it again.
pub(crate) fn forget(ports: &impl Ports, owner: &UserName, app: &AppName) {
    stored_record::forget(ports, &keys::of_latest(owner, app));
}

/// Derives the record, or returns `stored` with a new stamp if it is still valid.
fn derive<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    owner: &UserName,
    app: &AppName,
    stored: Option<&LatestRecord>,
) -> Result<LatestRecord, ServiceError> {
    let links = DownloadLinks::new(ports)?;
    let app = latest::app(conn, owner, app)?.ok_or(ServiceError::UnknownName("application"))?;
    let now = ports.now();
    let link_settings = links.settings_digest();
    let (app_id, revision) = (app.id.clone(), app.revision);
    let stamp = RecordStamp { app_id, derived_at: now, read_at: now, revision, link_settings };
    if let Some(stored) =
        stored.filter(|stored| !stored.is_over(now) && stored.stamp.still_holds(&stamp, READ_MAX_AGE_SECONDS))
    {
        let stamp = RecordStamp { read_at: stored.stamp.read_at, ..stamp };
        return Ok(LatestRecord { stamp, ..stored.clone() });
    }
    let (artifacts, valid_until) = latest::artifacts(conn, &app, now)?;
    let artifacts = artifacts.into_iter().map(|found| {
        Ok(LatestArtifact {
            url: links.url_of(&found.object)?,
            channel: found.channel,
            platform: found.platform,
            arch: found.arch,
            package: found.package,
            file_name: found.file_name,
        })
    });
    let artifacts: Vec<_> = artifacts.collect::<Result<_, ServiceError>>()?;
    Ok(LatestRecord { stamp, valid_until, builds: latest_builds(artifacts) })
}
