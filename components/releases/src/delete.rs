//! `DELETE /apps/delete` and `POST /artifact/delete`.
//!
//! Where the service signs lists of files, the artifacts are taken off them first: a client that was offered
//! a file must not lose it while the list names it. Then the rows are deleted and the objects claimed in the
//! same transaction, and the data behind update checks is derived again. The objects are deleted last. So no
//! row and no list of the service ever refers to a missing object. If the rows are not deleted after all, the
//! artifacts are listed again.

use http::StatusCode;
use serde_json::json;
use spindrift_api::{ArtifactRef, ArtifactsDeletedBody, ReleaseDeletedBody};
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, Artifact, FileName, Id, Release, Resource, StoredObject};
use spindrift_db::changes::{Change, Subject};
use spindrift_db::{
    SqlConn, apps, artifacts, copies, feed_files, promotions, release_feeds, release_places, releases,
    requirements,
};
use spindrift_repository::{AppRepository, Delisting, PendingRemoval, delist, relist};
use spindrift_service::cut_off::is_forced;
use spindrift_service::links::DownloadLinks;
use spindrift_service::objects::PendingDeletion;
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports, audit_entries};
use spindrift_web::{ApiError, Request, Response, response};

use crate::barrier::{SkippingClients, offers};
use crate::request::read_artifacts;

pub(crate) async fn release<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    session.require_fresh_login()?;
    let id = request.query()?.get("id").map(Id::from_text).ok_or_else(|| ApiError::missing("id"))?;
    let release = releases::by_id(&session.conn, session.owner_id(), &id)?
        .ok_or_else(|| ApiError::not_found("release"))?;
    let places = release_places::of_all_offers(&session.conn, &release)?;
    session.require_in(Action::Delete(Resource::App), &release.app_id, &places)?;
    require_consent(&session, &release, is_forced(request)?)?;
    let (uploaded, copies) = artifacts::with_copies(&session.conn, &release.id)?;
    let ids: Vec<Id> = uploaded.into_iter().chain(copies).map(|one| one.id).collect();
    let leaving = PendingRemoval { release: &release, artifacts: &ids };
    let off = delist(&session, leaving).await?;
    let subject = Subject::Release(&release.app_id, &release.version);
    let deletion = session
        .commit(subject, |conn| {
            let (uploaded, copies) = artifacts::with_copies(conn, &release.id)?;
            let files: Vec<&str> = uploaded.iter().map(|artifact| artifact.file_name.as_str()).collect();
            let files = json!(files);
            let all: Vec<Artifact> = uploaded.into_iter().chain(copies).collect();
            off.require(conn, &all.iter().map(|artifact| artifact.id.clone()).collect::<Vec<_>>())?;
            for artifact in &all {
                artifacts::delete(conn, &artifact.id)?;
            }
            let mut objects: Vec<StoredObject> = all.into_iter().map(|artifact| artifact.object).collect();
            objects.extend(feed_files::objects_of_release(conn, &release.id)?);
            feed_files::delete_of_release(conn, &release.id)?;
            release_feeds::delete_of_release(conn, &release.id)?;
            requirements::forget_release(conn, &release.id)?;
            promotions::forget_release(conn, &release.id)?;
            releases::delete(conn, &release.id)?;
            let entry = audit_entries::of_release(conn, session.entry(AuditKind::ReleaseDelete), &release)?;
            let entry = entry.removing(json!({ "files": files, "published": release.flags.published }));
            Ok::<_, Failure>((PendingDeletion::claim(ports, conn, objects)?, entry.into()))
        })
        .await;
    let deletion = put_back_on_error(&session, leaving, off, deletion).await?;
    AppRepository::of(&session, &release.app_id).try_sync_targets().await;
    remove_objects(&session, &deletion).await?;
    Ok(response::json(StatusCode::OK, &ReleaseDeletedBody { deleted_count: 1 })?)
}

/// 409 if devices would skip the release, which is an intermediate, and the call does not force that.
fn require_consent(
    session: &Session<'_, impl Ports>,
    release: &Release,
    is_forced: bool,
) -> Result<(), Failure> {
    let (conn, owner, now) = (&session.conn, session.owner_id(), session.now);
    let all = offers(conn, owner, release, now)?;
    let opening = SkippingClients::of(conn, owner, &all, &all, now)?;
    opening.require_consent(session, release, is_forced)
}

pub(crate) async fn artifacts<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let in_query = is_forced(&request)?;
    let data = read_artifacts(request).await?;
    let is_forced = in_query || data.force.unwrap_or_default();
    let app = apps::by_name(&session.conn, session.owner_id(), &data.app_name)?
        .ok_or_else(|| ApiError::not_found("application"))?;
    let release = releases::by_id(&session.conn, session.owner_id(), &Id::from_text(data.id))?
        .filter(|release| release.app_id == app.id && release.version == data.version)
        .ok_or_else(|| ApiError::not_found("release"))?;
    session.require(Action::Delete(Resource::App), Some(&app.id))?;
    let named = resolve(ports, &session.conn, &release.id, &data.artifacts_to_delete)?;
    let places = release_places::of_artifacts(&session.conn, &release, &named)?;
    session.require_in(Action::Delete(Resource::App), &app.id, &places)?;
    // The files are offered in all channels that offer the release.
    let channels = release_places::further_channels(&session.conn, &release)?;
    session.require_in(Action::Delete(Resource::App), &app.id, &channels)?;
    let (owner, emptied) = (session.owner_id(), release_places::emptied_by(&session.conn, &release, &named)?);
    let opening = SkippingClients::without_files(&session.conn, owner, &release, emptied, session.now)?;
    opening.require_consent(&session, &release, is_forced)?;
    let leaving = PendingRemoval { release: &release, artifacts: &named };
    let off = delist(&session, leaving).await?;
    let subject = Subject::Release(&release.app_id, &release.version);
    let deletion = session
        .commit(subject, |conn| {
            off.require(conn, &named)?;
            let (deletion, deleted) = remove_artifacts(ports, conn, &release.id, &named)?;
            releases::touch(conn, &release.id, ports.now())?;
            let entry = audit_entries::of_release(conn, session.entry(AuditKind::ArtifactDelete), &release)?;
            Ok::<_, Failure>((deletion, entry.removing(json!({ "files": deleted })).into()))
        })
        .await;
    let deletion = put_back_on_error(&session, leaving, off, deletion).await?;
    AppRepository::of(&session, &app.id).try_sync_targets().await;
    remove_objects(&session, &deletion).await?;
    Ok(response::json(StatusCode::OK, &ArtifactsDeletedBody { deleted: true })?)
}

/// Returns the result of a deletion. If it has failed, lists the artifacts again.
pub(crate) async fn put_back_on_error<T>(
    session: &Session<'_, impl Ports>,
    leaving: PendingRemoval<'_>,
    off: Delisting,
    result: Result<T, Failure>,
) -> Result<T, Failure> {
    if result.is_err() && off == Delisting::Done {
        relist(session, leaving).await;
    }
    result
}

/// The ids of the named artifacts, of the patches that make them, and of the copies of both, each once. 404
/// unless the release has all the named ones. A patch is only useful for the file that it makes, with which
/// it was uploaded: a later upload cannot add a patch.
pub(crate) fn resolve(
    ports: &impl Ports,
    conn: &impl SqlConn,
    release: &Id,
    named: &[ArtifactRef],
) -> Result<Vec<Id>, Failure> {
    let (all, links) = (artifacts::of_release(conn, release)?, DownloadLinks::new(ports)?);
    let mut ids: Vec<Id> = Vec::with_capacity(named.len());
    for name in named {
        let artifact = find(&all, name, &links).ok_or_else(missing)?;
        for id in std::iter::once(artifact.id.clone()).chain(artifacts::patches_of(conn, &artifact.id)?) {
            if !ids.contains(&id) {
                ids.extend(copies::of_artifact(conn, &id)?);
                ids.push(id);
            }
        }
    }
    Ok(ids)
}

/// Removes artifacts from a release. Returns the objects to delete, and the names of the uploaded files. 404
/// unless the release has all of the artifacts.
pub(crate) fn remove_artifacts(
    ports: &impl Ports,
    conn: &Change<'_, impl SqlConn>,
    release: &Id,
    ids: &[Id],
) -> Result<(PendingDeletion, Vec<FileName>), Failure> {
    let (uploaded, copies) = artifacts::with_copies(conn, release)?;
    let (mut objects, mut names) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
    for id in ids {
        let is_named = |artifact: &&Artifact| artifact.id == *id;
        let named = uploaded.iter().find(is_named);
        let artifact = named.or_else(|| copies.iter().find(is_named)).ok_or_else(missing)?;
        artifacts::delete(conn, id)?;
        objects.push(artifact.object.clone());
        names.extend(named.map(|artifact| artifact.file_name.clone()));
    }
    Ok((PendingDeletion::claim(ports, conn, objects)?, names))
}

fn find<'a>(all: &'a [Artifact], name: &ArtifactRef, links: &DownloadLinks) -> Option<&'a Artifact> {
    match name {
        ArtifactRef::Index(index) => all.get(*index),
        ArtifactRef::Text(text) => match text.parse::<usize>() {
            Ok(index) => all.get(index),
            Err(_) => all.iter().find(|artifact| {
                artifact.id.as_str() == text || links.url_of(&artifact.object).is_ok_and(|link| link == *text)
            }),
        },
    }
}

fn missing() -> ApiError {
    ApiError::not_found("artifact")
}

/// Deletes the objects of removed artifacts.
pub(crate) async fn remove_objects(
    session: &Session<'_, impl Ports>,
    deletion: &PendingDeletion,
) -> Result<(), Failure> {
    if deletion.is_empty() {
        return Ok(());
    }
    Ok(deletion.delete(&session.conn, &session.storage()?).await?)
}
