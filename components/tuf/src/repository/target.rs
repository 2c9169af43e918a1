//! `GET /tuf/repository/{owner}/{app}/targets/{name}`: a redirect to the file, or the file.

use http::Method;
use spindrift_core::{Artifact, Visibility};
use spindrift_db::SqlConn;
use spindrift_db::artifacts::OwnedArtifact;
use spindrift_db::repository_files::{self, ReadTarget, ReadTargets};
use spindrift_service::objects::download::{presign, through_service};
use spindrift_service::objects::storage;
use spindrift_service::requests::private_files::TokenScope;
use spindrift_service::{Failure, Ports, links, settings};
use spindrift_storage::StorageDriver;
use spindrift_trust::{RequestedTarget, requested_targets};
use spindrift_web::{ApiError, Request, Response, response};

use super::access::{may_read, not_found, with_cache_control};
use super::current_lists::CurrentLists;
use super::path::RepositoryPath;

const THING: &str = "target";

pub(crate) async fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let Some(path) = RepositoryPath::parse(request.path()) else {
        return Ok(not_found("repository", Visibility::Public));
    };
    let asked = requested_targets(path.rest);
    if asked.is_empty() {
        return Ok(not_found(THING, Visibility::Public));
    }
    let conn = spindrift_db::open(ports, ports.now())?;
    let keys: Vec<String> = asked.iter().map(|asked| asked.name.key()).collect();
    let Some(found) = repository_files::targets(&conn, &path.name.to_string(), &keys, ports.now())? else {
        return Ok(not_found("repository", Visibility::Public));
    };
    let listed = find_listed(&conn, &asked, &found)?;
    let (tokens, published) = match listed {
        Some(listed) => (TokenScope::OfChannels(&listed.channel_ids), listed.published),
        None => (TokenScope::OfApp, false),
    };
    let visibility = found.repository.visibility;
    let is_admitted = may_read(ports, &conn, request, &found.repository, tokens, published)?;
    match listed.filter(|_| is_admitted) {
        Some(listed) => deliver(ports, &listed.artifact, visibility, request.method()).await,
        None => Ok(not_found(THING, visibility)),
    }
}

/// The listed artifact that is asked for. Whether an artifact is listed is stored in a column, so that a
/// download does not read lists of megabytes. The lists themselves decide only until the listing of the
/// current metadata has been applied.
fn find_listed<'a>(
    conn: &impl SqlConn,
    asked: &[RequestedTarget],
    found: &'a ReadTargets,
) -> Result<Option<&'a OwnedArtifact>, Failure> {
    let lists = if found.repository.is_listing_applied || found.targets.is_empty() {
        None
    } else {
        let lists = repository_files::lists(conn, &found.repository.app_id)?;
        Some(CurrentLists::read(&lists).map_err(|error| ApiError::Internal { internal: error.to_string() })?)
    };
    let is_listed = |asked: &RequestedTarget, target: &ReadTarget| {
        let digests = (target.owned.artifact.sha256.as_deref(), target.owned.artifact.sha512.as_deref());
        target.is_listed && asked.is_met_by_digests(digests.0, digests.1)
    };
    let is_asked = |asked: &RequestedTarget, target: &ReadTarget| {
        target.owned.artifact.object.key == asked.name.key()
            && lists.as_ref().map_or_else(|| is_listed(asked, target), |lists| lists.contain(asked))
    };
    let of = |asked| found.targets.iter().find(|target| is_asked(asked, target));
    Ok(asked.iter().find_map(of).map(|target| &target.owned))
}

async fn deliver<P: Ports>(
    ports: &P,
    artifact: &Artifact,
    visibility: Visibility,
    method: &Method,
) -> Result<Response, Failure> {
    let storage = storage(ports)?;
    let response = match (storage.config().driver(), visibility) {
        (StorageDriver::S3Internal, _) => through_service(&storage, artifact, method).await?,
        (StorageDriver::S3, Visibility::Public) => {
            let key = links::object_key(&artifact.object)?;
            response::redirect(&settings::public_base(ports)?.link(&key))?
        }
        (StorageDriver::S3, Visibility::Private) => {
            response::redirect(&presign(&storage, artifact, method)?)?
        }
    };
    Ok(with_cache_control(response, visibility, response::CACHE_PUBLIC))
}
