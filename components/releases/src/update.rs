//! `POST /apps/update`: changes how a release is offered and which files it has, completely or not at all.

use std::cell::Cell;

use http::StatusCode;
use serde_json::json;
use spindrift_api::ReleaseUpdatedBody;
use spindrift_core::audit::{AuditEntry, AuditKind};
use spindrift_core::{Action, Id, Publication, Release, ReleaseMetadata, Resource, RolloutAction, Target};
use spindrift_db::changes::{Change, Subject};
use spindrift_db::{Audit, SqlConn, release_places, releases};
use spindrift_publish::finish::Terms;
use spindrift_publish::form::{self, Upload, UploadForm};
use spindrift_publish::place;
use spindrift_repository::{
    Delisting, PendingRemoval, delist, sync_targets, sync_targets_after_change, try_sync_targets,
};
use spindrift_service::changes::commit;
use spindrift_service::objects::Doomed;
use spindrift_service::requests::principal::{Principal, authenticate_user};
use spindrift_service::{Failure, Ports, ServiceError, audited, device_groups};
use spindrift_web::{ApiError, Request, Response, response};

use crate::barrier::{Opening, offers};
use crate::order::Fields;
use crate::request::{MAX_DATA_BYTES, UpdateRequest, read_data};
use crate::rollout::refusal;
use crate::{delete, requires};

pub(crate) async fn update<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = authenticate_user(ports, &conn, &request)?;
    if request.media_type().as_deref() == Some("multipart/form-data") {
        form::read(ports, &conn, &principal, request, async |form: &mut UploadForm<'_, P>| {
            let data = form.data(MAX_DATA_BYTES).await?;
            let (asked, release) = find(&conn, &principal, &data)?;
            if form.has_files().await? {
                change_with_files(&principal, &release, &asked, &data, form).await
            } else {
                change_alone(ports, &conn, &principal, &release, &asked).await
            }
        })
        .await?;
    } else {
        let (asked, release) = find(&conn, &principal, &read_data(request).await?)?;
        change_alone(ports, &conn, &principal, &release, &asked).await?;
    }
    Ok(response::json(StatusCode::OK, &ReleaseUpdatedBody { updated: true })?)
}

/// The parsed request, and the release, which the caller is allowed to change in this way.
fn find(conn: &impl SqlConn, principal: &Principal, data: &str) -> Result<(UpdateRequest, Release), Failure> {
    let asked = UpdateRequest::parse(data)?;
    let release = present(conn, principal, &asked.id)?;
    require(conn, principal, &release, &asked)?;
    Ok((asked, release))
}

/// 403 unless the caller may change the release in this way. A change of a release applies to all its files,
/// and to all channels that offer it unless it only concerns the offer in its own channel.
fn require(
    conn: &impl SqlConn,
    principal: &Principal,
    release: &Release,
    asked: &UpdateRequest,
) -> Result<(), Failure> {
    let places = if asked.is_for_all_offers() {
        release_places::of_all_offers(conn, release)?
    } else {
        release_places::of_release(conn, release)?
    };
    principal.require_in(Action::Edit(Resource::App), &release.app_id, &places)?;
    if !asked.artifacts_to_delete.is_empty() {
        principal.require(Action::Delete(Resource::App), Some(&release.app_id))?;
    }
    Ok(())
}

async fn change_alone<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    principal: &Principal,
    release: &Release,
    asked: &UpdateRequest,
) -> Result<(), Failure> {
    let named = delete::resolve(ports, conn, &release.id, &asked.artifacts_to_delete)?;
    require_consent(ports, conn, principal, release, asked, release_places::emptied(conn, release, &named)?)?;
    let leaving = PendingRemoval { release, artifacts: &named };
    let off = delist(ports, conn, principal, leaving).await?;
    let subject = Subject::Release(&release.app_id, &release.version);
    let doomed = commit(ports, conn, principal, subject, |conn| {
        let (doomed, entry) = change(ports, conn, principal, asked, &named, off)?;
        if asked.requires.is_some() && release_places::named(conn, release, None, None)?.is_empty() {
            return Err(requires::no_files().into());
        }
        Ok::<_, Failure>((doomed, entry.map_or(Audit::Unchanged, Audit::from)))
    })
    .await;
    let doomed = delete::or_put_back(ports, conn, principal, leaving, off, doomed).await?;
    if named.is_empty() {
        sync_targets(ports, conn, &release.app_id).await?;
        return Ok(());
    }
    try_sync_targets(ports, conn, &release.app_id).await;
    delete::remove_objects(ports, conn, &doomed).await
}

/// 409 if devices would skip the release, which is an intermediate, and the call does not force that.
/// `emptied` are the places that will have no files afterwards.
fn require_consent<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    principal: &Principal,
    release: &Release,
    asked: &UpdateRequest,
    emptied: Vec<Target>,
) -> Result<(), Failure> {
    let (owner, now) = (&principal.owner_id, ports.now());
    let all = offers(conn, owner, release, now)?;
    let opening = match (asked.change.intermediate, asked.change.publication) {
        (Some(false), _) => Opening::of(conn, owner, &all, &all, now)?,
        (_, Some(Publication::Draft)) => {
            Opening::of(conn, owner, &all, all.get(..1).unwrap_or_default(), now)?
        }
        _ => Opening::without_files(conn, owner, release, emptied, now)?,
    };
    opening.require_consent(ports, conn, principal, release, asked.is_forced)
}

/// Returns the objects that no row refers to any more, and the entry in the audit log; there is no entry if
/// nothing was changed.
fn change(
    ports: &impl Ports,
    conn: &Change<'_, impl SqlConn>,
    principal: &Principal,
    asked: &UpdateRequest,
    artifacts_to_delete: &[Id],
    off: Delisting,
) -> Result<(Doomed, Option<AuditEntry>), Failure> {
    off.require(conn, artifacts_to_delete)?;
    let old = present(conn, principal, &asked.id)?;
    let (doomed, deleted) = delete::remove_artifacts(ports, conn, &asked.id, artifacts_to_delete)?;
    let now = ports.now();
    let old = old.as_of(now);
    let new = old.clone().changed(&asked.change, now).map_err(ServiceError::from)?;
    let new = match &asked.plan {
        Some(plan) => new.rolled_out(RolloutAction::Start(plan.clone()), now).map_err(refusal)?,
        None => new,
    };
    let required = match &asked.requires {
        Some(requires) => {
            requires::set(conn, &new, requires.as_ref(), &release_places::named(conn, &new, None, None)?)?
        }
        None => Fields::default(),
    };
    if !required.is_changed && deleted.is_empty() && !new.differs_from(&old, now) {
        return Ok((doomed, None));
    }
    releases::update(conn, &new, now)?;
    device_groups::require_let_in(conn, &new.app_id, &old.let_in, &new.let_in)?;
    let entry = audited::of_release(conn, principal.entry(AuditKind::ReleaseUpdate), &new)?;
    let entry = entry.changing(audited::release_fields(&old, now), audited::release_fields(&new, now));
    let entry = entry.changing(required.before, required.after);
    let entry = if deleted.is_empty() { entry } else { entry.removing(json!({ "files": deleted })) };
    Ok((doomed, Some(entry)))
}

/// The release as it is now. 404 if it was deleted in the meantime.
fn present(conn: &impl SqlConn, principal: &Principal, id: &Id) -> Result<Release, Failure> {
    let release = releases::by_id(conn, &principal.owner_id, id)?;
    Ok(release.ok_or_else(|| ApiError::not_found("release"))?)
}

/// Records the files in the transaction of the change. They may take the slots of artifacts that this
/// transaction deletes.
async fn change_with_files<P: Ports>(
    principal: &Principal,
    release: &Release,
    asked: &UpdateRequest,
    data: &str,
    form: &mut UploadForm<'_, P>,
) -> Result<(), Failure> {
    let (ports, conn) = (form.ports(), form.conn());
    let metadata = ReleaseMetadata::parse(data).map_err(ApiError::from)?;
    let place = place::find(conn, principal, &metadata)?;
    let is_there = place.app_id == release.app_id
        && place.target.channel_id == release.channel_id
        && metadata.version == release.version;
    if !is_there {
        return Err(
            ApiError::bad_request("app_name, version and channel must be those of the release").into()
        );
    }
    let named = delete::resolve(ports, conn, &release.id, &asked.artifacts_to_delete)?;
    // The new files replace those that are deleted.
    let mut emptied = release_places::emptied(conn, release, &named)?;
    emptied.retain(|emptied| *emptied != place.target);
    require_consent(ports, conn, principal, release, asked, emptied)?;
    let leaving = PendingRemoval { release, artifacts: &named };
    let terms = Terms { leaving: &named, rollout: asked.change.rollout, ..Terms::by(principal) };
    // Only after all files are stored under their keys: a call that ends earlier must leave the list
    // unchanged.
    let off = Cell::new(Delisting::NotNeeded);
    let before = async || {
        off.set(delist(ports, conn, principal, leaving).await?);
        Ok::<_, Failure>(())
    };
    let along = |conn: &Change<'_, P::Conn>, id: Option<&Id>| {
        if id != Some(&release.id) {
            return Err(ApiError::not_found("release").into());
        }
        // Checked again, because the files took a while to arrive.
        require(conn, &principal.as_of_now(conn)?, release, asked)?;
        let (doomed, entry) = change(ports, conn, principal, asked, &named, off.get())?;
        Ok((doomed, entry))
    };
    let upload = Upload { metadata: &metadata, place: &place };
    let recorded = form.publish(upload, terms, before, along).await;
    let recorded = delete::or_put_back(ports, conn, principal, leaving, off.get(), recorded).await;
    let (_, doomed) = recorded?;
    let synced = sync_targets_after_change(ports, conn, &release.app_id).await;
    delete::remove_objects(ports, conn, &doomed).await?;
    Ok(synced?)
}
