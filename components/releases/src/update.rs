//! `POST /apps/update`: changes how a release is offered and which files it has, completely or not at all.

use std::cell::Cell;

use http::StatusCode;
use serde_json::json;
use spindrift_api::ReleaseUpdatedBody;
use spindrift_core::audit::{AuditEntry, AuditKind};
use spindrift_core::{Action, Id, Publication, Release, ReleaseMetadata, Resource, RolloutAction, Target};
use spindrift_db::changes::{Change, Subject};
use spindrift_db::{Audit, SqlConn, release_places, releases};
use spindrift_repository::{AppRepository, Delisting, PendingRemoval, delist};
use spindrift_service::objects::PendingDeletion;
use spindrift_service::publish::destination;
use spindrift_service::publish::finish::PublishTerms;
use spindrift_service::publish::form::{self, UploadDescription, UploadForm};
use spindrift_service::requests::Session;
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports, ServiceError, audit_entries, device_groups};
use spindrift_web::{ApiError, Request, Response, response};

use crate::barrier::{SkippingClients, offers};
use crate::order::AuditedFields;
use crate::request::{MAX_DATA_BYTES, UpdateRequest, read_data};
use crate::rollout::refusal;
use crate::{delete, requires};

pub(crate) async fn update<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    if request.media_type().as_deref() == Some("multipart/form-data") {
        form::read(&session, request, async |form: &mut UploadForm<'_, P>| {
            let data = form.data(MAX_DATA_BYTES).await?;
            let (update, release) = find(&session, &data)?;
            if form.has_files().await? {
                change_with_files(&session, &release, &update, &data, form).await
            } else {
                change_alone(&session, &release, &update).await
            }
        })
        .await?;
    } else {
        let (update, release) = find(&session, &read_data(request).await?)?;
        change_alone(&session, &release, &update).await?;
    }
    Ok(response::json(StatusCode::OK, &ReleaseUpdatedBody { updated: true })?)
}

/// The parsed request, and the release, which the caller is allowed to change in this way.
fn find(session: &Session<'_, impl Ports>, data: &str) -> Result<(UpdateRequest, Release), Failure> {
    let update = UpdateRequest::parse(data)?;
    let release = present(&session.conn, session.owner_id(), &update.id)?;
    require(&session.conn, &session.principal, &release, &update)?;
    if let Some(cures) = &update.change.cures {
        cures.require_below(&release.version).map_err(|error| ApiError::bad_request(error.to_string()))?;
    }
    Ok((update, release))
}

/// 403 unless the caller may change the release in this way. A change of a release applies to all its files,
/// and to all channels that offer it unless it only concerns the offer in its own channel.
fn require(
    conn: &impl SqlConn,
    principal: &Principal,
    release: &Release,
    update: &UpdateRequest,
) -> Result<(), Failure> {
    let places = if update.is_for_all_offers() {
        release_places::of_all_offers(conn, release)?
    } else {
        release_places::of_release(conn, release)?
    };
    principal.require_in(Action::Edit(Resource::App), &release.app_id, &places)?;
    if !update.artifacts_to_delete.is_empty() {
        principal.require(Action::Delete(Resource::App), Some(&release.app_id))?;
    }
    Ok(())
}

async fn change_alone(
    session: &Session<'_, impl Ports>,
    release: &Release,
    update: &UpdateRequest,
) -> Result<(), Failure> {
    let named = delete::resolve(session.ports, &session.conn, &release.id, &update.artifacts_to_delete)?;
    let emptied = release_places::emptied_by(&session.conn, release, &named)?;
    require_consent(session, release, update, emptied)?;
    let leaving = PendingRemoval { release, artifacts: &named };
    let off = delist(session, leaving).await?;
    let subject = Subject::Release(&release.app_id, &release.version);
    let deletion = session
        .commit(subject, |conn| {
            let (deletion, entry) = change(session, conn, update, &named, off)?;
            if update.requires.is_some() && release_places::matching(conn, release, None, None)?.is_empty() {
                return Err(requires::no_files().into());
            }
            Ok::<_, Failure>((deletion, entry.map_or(Audit::Unchanged, Audit::from)))
        })
        .await;
    let deletion = delete::put_back_on_error(session, leaving, off, deletion).await?;
    let repository = AppRepository::of(session, &release.app_id);
    if named.is_empty() {
        repository.sync_targets().await?;
        return Ok(());
    }
    repository.try_sync_targets().await;
    delete::remove_objects(session, &deletion).await
}

/// 409 if devices would skip the release, which is an intermediate, and the call does not force that.
/// `emptied` are the places that will have no files afterwards.
fn require_consent(
    session: &Session<'_, impl Ports>,
    release: &Release,
    update: &UpdateRequest,
    emptied: Vec<Target>,
) -> Result<(), Failure> {
    let (conn, owner, now) = (&session.conn, session.owner_id(), session.ports.now());
    let all = offers(conn, owner, release, now)?;
    let opening = match (update.change.intermediate, update.change.publication) {
        (Some(false), _) => SkippingClients::of(conn, owner, &all, &all, now)?,
        (_, Some(Publication::Draft)) => {
            SkippingClients::of(conn, owner, &all, all.get(..1).unwrap_or_default(), now)?
        }
        _ => SkippingClients::without_files(conn, owner, release, emptied, now)?,
    };
    opening.require_consent(session, release, update.is_forced)
}

/// Returns the objects that no row refers to any more, and the entry in the audit log; there is no entry if
/// nothing was changed.
fn change(
    session: &Session<'_, impl Ports>,
    conn: &Change<'_, impl SqlConn>,
    update: &UpdateRequest,
    artifacts_to_delete: &[Id],
    off: Delisting,
) -> Result<(PendingDeletion, Option<AuditEntry>), Failure> {
    off.require(conn, artifacts_to_delete)?;
    let old = present(conn, session.owner_id(), &update.id)?;
    let (deletion, deleted) = delete::remove_artifacts(session.ports, conn, &update.id, artifacts_to_delete)?;
    let now = session.ports.now();
    let old = old.as_of(now);
    let new = old.clone().apply_change(&update.change, now).map_err(ServiceError::from)?;
    let new = match &update.plan {
        Some(plan) => new.apply_action(RolloutAction::Start(plan.clone()), now).map_err(refusal)?,
        None => new,
    };
    let required = match &update.requires {
        Some(requires) => {
            requires::set(conn, &new, requires.as_ref(), &release_places::matching(conn, &new, None, None)?)?
        }
        None => AuditedFields::default(),
    };
    if !required.is_changed && deleted.is_empty() && !new.differs_from(&old, now) {
        return Ok((deletion, None));
    }
    releases::update(conn, &new, now)?;
    device_groups::require_admissible(conn, &new.app_id, &old.admitted_groups, &new.admitted_groups)?;
    let entry = audit_entries::of_release(conn, session.entry(AuditKind::ReleaseUpdate), &new)?;
    let entry =
        entry.changing(audit_entries::release_fields(&old, now), audit_entries::release_fields(&new, now));
    let entry = entry.changing(required.before, required.after);
    let entry = if deleted.is_empty() { entry } else { entry.removing(json!({ "files": deleted })) };
    Ok((deletion, Some(entry)))
}

/// The release as it is now. 404 if it was deleted in the meantime.
fn present(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Release, Failure> {
    let release = releases::by_id(conn, owner, id)?;
    Ok(release.ok_or_else(|| ApiError::not_found("release"))?)
}

/// Records the files in the transaction of the change. They may take the slots of artifacts that this
/// transaction deletes.
async fn change_with_files<P: Ports>(
    session: &Session<'_, P>,
    release: &Release,
    update: &UpdateRequest,
    data: &str,
    form: &mut UploadForm<'_, P>,
) -> Result<(), Failure> {
    let conn = &session.conn;
    let metadata = ReleaseMetadata::parse(data).map_err(ApiError::from)?;
    let destination = destination::resolve(conn, &session.principal, &metadata)?;
    let is_there = destination.app_id == release.app_id
        && destination.target.channel_id == release.channel_id
        && metadata.version == release.version;
    if !is_there {
        return Err(
            ApiError::bad_request("app_name, version and channel must be those of the release").into()
        );
    }
    let named = delete::resolve(session.ports, conn, &release.id, &update.artifacts_to_delete)?;
    // The new files replace those that are deleted.
    let mut emptied = release_places::emptied_by(conn, release, &named)?;
    emptied.retain(|emptied| *emptied != destination.target);
    require_consent(session, release, update, emptied)?;
    let leaving = PendingRemoval { release, artifacts: &named };
    let terms =
        PublishTerms { pending_removal: &named, rollout: update.change.rollout, ..PublishTerms::default() };
    // Only after all files are stored under their keys: a call that ends earlier must leave the list
    // unchanged.
    let off = Cell::new(Delisting::NotNeeded);
    let before = async || {
        off.set(delist(session, leaving).await?);
        Ok::<_, Failure>(())
    };
    let along = |conn: &Change<'_, P::Conn>, id: Option<&Id>| {
        if id != Some(&release.id) {
            return Err(ApiError::not_found("release").into());
        }
        // Checked again, because the files took a while to arrive.
        require(conn, &session.principal.as_of_now(conn)?, release, update)?;
        let (deletion, entry) = change(session, conn, update, &named, off.get())?;
        Ok((deletion, entry))
    };
    let upload = UploadDescription { metadata: &metadata, destination: &destination };
    let recorded = form.publish(upload, terms, before, along).await;
    let recorded = delete::put_back_on_error(session, leaving, off.get(), recorded).await;
    let (_, deletion) = recorded?;
    let synced = AppRepository::of(session, &release.app_id).sync_targets_after_change().await;
    delete::remove_objects(session, &deletion).await?;
    Ok(synced?)
}
