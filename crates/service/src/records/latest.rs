//! Records of the newest builds of an application. See [`crate::records`].

use std::rc::Rc;

use spindrift_core::{AppName, LatestArtifact, LatestRecord, RecordStamp, Scope, UserName, latest_builds};
use spindrift_db::latest;

use super::kept::Kept;
use super::record::{READ_MAX_AGE_SECONDS, Record as _};
use super::{kept, keys, names, revisions};
use crate::links::Links;
use crate::{Ports, ServiceError};

/// The record of an application. An unknown owner or application is [`ServiceError::NoBuilds`].
pub fn load<P: Ports>(ports: &P, owner: &UserName, app: &AppName) -> Result<Rc<LatestRecord>, ServiceError> {
    let key = keys::of_latest(owner, app);
    let kept = match Kept::fresh(ports, &key) {
        Ok(record) => return Ok(record),
        Err(kept) => kept.admitted()?,
    };
    if let Some(record) = revisions::confirmed(ports, &key, owner, &kept)? {
        return Ok(Rc::new(record));
    }
    let scope = Scope { owner: owner.clone(), app: app.clone(), channel: None, platform: None, arch: None };
    let load = || kept.renew(ports, &key, |conn, kept| derive(ports, conn, owner, app, kept)).map(Rc::new);
    names::looked_up(ports, &scope, load).map_err(|error| match error {
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
    kept::renew_after_change(ports, &key, || derive(ports, conn, owner, app, None))
}

/// Deletes the record after a committed change; the next request derives it again.
pub(crate) fn forget(ports: &impl Ports, owner: &UserName, app: &AppName) {
    kept::forget(ports, &keys::of_latest(owner, app));
}

/// Derives the record, or returns `kept` with a new stamp if it is still valid.
fn derive<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    owner: &UserName,
    app: &AppName,
    kept: Option<&LatestRecord>,
) -> Result<LatestRecord, ServiceError> {
    let links = Links::new(ports)?;
    let app = latest::app(conn, owner, app)?.ok_or(ServiceError::UnknownName("application"))?;
    let now = ports.now();
    let link_settings = links.settings_digest();
    let (app_id, revision) = (app.id.clone(), app.revision);
    let stamp = RecordStamp { app_id, derived_at: now, read_at: now, revision, link_settings };
    if let Some(kept) =
        kept.filter(|kept| !kept.is_over(now) && kept.stamp.still_holds(&stamp, READ_MAX_AGE_SECONDS))
    {
        let stamp = RecordStamp { read_at: kept.stamp.read_at, ..stamp };
        return Ok(LatestRecord { stamp, ..kept.clone() });
    }
    let (artifacts, valid_until) = latest::artifacts(conn, &app, now)?;
    let artifacts = artifacts.into_iter().map(|found| {
        Ok(LatestArtifact {
            url: links.to(&found.object)?,
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
