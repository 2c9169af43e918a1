//! Parse, load, decide, render; then count the device after the response is sent.

use std::sync::Arc;

use spindrift_core::feeds::{NativeQuestion, UpdaterRecord};
use spindrift_core::{Asker, ChannelName, DeviceId, Scope, UnsupportedUpdater, Updater};
use spindrift_service::answers::native;
use spindrift_service::answers::private_links::{self, Audience, carry_token};
use spindrift_service::answers::{self, Question};
use spindrift_service::records::Loaded;
use spindrift_service::records::feed_files::{self, FileSource};
use spindrift_service::records::{scopes, updaters};
use spindrift_service::scope_path::requested_scope;
use spindrift_service::telemetry::{self, DeviceSighting};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, DeferredWork, Query, Reply, Request, response};

use super::path::{FeedPath, RequestedFile, is_package};

/// The answer to a copy whose Velopack channel stands for the owner's default channel, if there is none.
const NO_CHANNEL: &str = "channel is required: put it into the URL, /velopack/{owner}/{app}/{channel}/{platform}/{arch}, or make \
                          one the default";

pub(crate) async fn feed<P: Ports>(
    ports: &P,
    parse: fn(&str, &Query) -> Result<FeedPath, ApiError>,
    request: &Request,
) -> Result<Reply, Failure> {
    let query = request.query()?;
    let path = parse(request.path(), &query)?;
    let device = device(request, &query);
    let token = private_links::sent_token(request, &query);
    let question = |scope: Scope| Question {
        scope,
        version: path.version,
        updater: None,
        device,
        facts: path.facts,
        download_token: token.clone(),
    };
    match path.file {
        RequestedFile::Feed(updater, name) => {
            let mut feed_question = question(requested_scope(request, &path.scope)?);
            let mut loaded = updaters::load(ports, &feed_question.scope, updater).await;
            let is_unknown = loaded.as_ref().is_err_and(|error| error.is_unknown(ChannelName::KIND));
            if let Some(otherwise) = path.otherwise.filter(|_| is_unknown) {
                feed_question = Question { scope: requested_scope(request, &otherwise)?, ..feed_question };
                loaded = updaters::load(ports, &feed_question.scope, updater).await;
                if feed_question.scope.channel.is_none()
                    && loaded.as_ref().is_err_and(ServiceError::is_unknown_scope)
                {
                    return Err(ApiError::bad_request(NO_CHANNEL).into());
                }
            }
            answer(ports, request, loaded?, feed_question, updater, (&name, query.get("bundle_type")))
        }
        RequestedFile::Stored(name) => {
            stored(ports, question(requested_scope(request, &path.scope)?), &name, FileRelease::Offered).await
        }
        RequestedFile::OfRelease(name) => {
            stored(ports, question(requested_scope(request, &path.scope)?), &name, FileRelease::Release).await
        }
        RequestedFile::Package(package) => {
            let link = feed_files::package_link(ports, &package).await?;
            let mut link = link.ok_or_else(|| ApiError::not_found("file"))?;
            let audience = carry_token(&mut link, token.as_ref());
            redirect(&link, &audience, None, CachePolicy::default())
        }
    }
}

/// The device id: from the service's own header, electron-updater's header, or Velopack's parameter.
fn device(request: &Request, query: &Query) -> Option<DeviceId> {
    let headers = ["x-device-id", "x-user-staging-id"].into_iter().map(|name| request.header(name));
    let values = headers.chain([query.get("stagingId")]).flatten().map(str::parse);
    values.into_iter().find_map(Result::ok)
}

fn answer<P: Ports>(
    ports: &P,
    request: &Request,
    loaded: Loaded<UpdaterRecord>,
    question: Question,
    updater: Updater,
    (file, bundle): (&str, Option<&str>),
) -> Result<Reply, Failure> {
    let at = loaded.time(ports.now());
    let Loaded { mut record, stale_seconds } = loaded;
    let audience = carry_token(&mut record, question.download_token.as_ref());
    if !record.scope.updaters.has(updater) {
        return Err(ServiceError::from(UnsupportedUpdater).into());
    }
    let facts = question.facts.read_valid(&record.scope, at);
    let native_question = NativeQuestion { file, bundle, ..native::question(&question, updater, &facts, at) };
    if record.scope.releases.is_empty() || !record.has_feed(&native_question) {
        return Err(ServiceError::NothingOffered.into());
    }
    if updater == Updater::Tauri {
        record = Arc::new(Arc::unwrap_or_clone(record).installable_from(bundle));
    }
    let is_latest =
        !record.decide(native_question.client, native_question.asker(), &facts, at).update_available;
    let Some(response) = native::respond(record.answer(&native_question)) else {
        // A copy that is offered nothing, for example while updates are shut off, is counted like any other.
        let nothing = Failure::from(ServiceError::NothingOffered).into_api();
        let response = response::error(&nothing, &request.context().id());
        return Ok(Reply { response, after: count(ports, &record, question, is_latest) });
    };
    let response = answers::with_staleness(response, stale_seconds);
    let is_of_device = question.device.is_some() && !record.is_same_for_all(at);
    let is_personal = is_of_device || !facts.groups.is_empty() || audience.is_personal();
    let max_age = answers::max_age(&record.scope, at);
    let response = audience.mark(answers::with_caching(response, is_personal, max_age));
    Ok(Reply { response, after: count(ports, &record, question, is_latest) })
}

/// The work that counts the device, if it named itself.
fn count<P: Ports>(
    ports: &P,
    record: &UpdaterRecord,
    question: Question,
    is_latest: bool,
) -> Option<DeferredWork> {
    let Question { scope, version, device, .. } = question;
    let (app_id, scope) = (record.scope.app_id.clone(), record.scope.counted_scope(scope));
    telemetry::count_after(ports, DeviceSighting { app_id, scope, version, device: device?, is_latest })
}

/// The release that a file is taken from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileRelease {
    /// The one offered to the client if it has the file, so that an installer with the same name in every
    /// release has one URL. Otherwise the newest that has it.
    Offered,
    /// The one with the version of the path.
    Release,
}

/// Redirects to a file that feeds name, with 302.
async fn stored<P: Ports>(
    ports: &P,
    question: Question,
    name: &str,
    source: FileRelease,
) -> Result<Reply, Failure> {
    let scope = scopes::load(ports, &question.scope).await?.record;
    let updaters: Vec<Updater> = scope.updaters.entries().iter().map(|entry| entry.updater).collect();
    let asker = question.device.as_ref().map_or(Asker::Outsider, |id| Asker::Device(id.expose()));
    let (mut policy, mut found) = (CachePolicy::default(), None);
    for updater in updaters.iter().copied().filter(|updater| updater.keeps_file_names()) {
        let loaded = updaters::load(ports, &question.scope, updater).await?;
        let at = loaded.time(ports.now());
        let Loaded { record, stale_seconds } = loaded;
        let link = if source == FileRelease::Release {
            record.link(&question.version, name)
        } else {
            policy.is_personal |= question.device.is_some() && !record.is_same_for_all(at);
            policy.max_age = policy.max_age.min(answers::max_age(&record.scope, at));
            let facts = question.facts.read_valid(&record.scope, at);
            policy.is_personal |= !facts.groups.is_empty();
            let offered = record.decide(&question.version, asker, &facts, at).version();
            // The name of a package contains its version. Clients request packages without
            // identifying themselves.
            let of_any = || record.newest_link(name).filter(|_| is_package(name));
            offered.and_then(|offered| record.link(offered, name)).or_else(of_any)
        };
        found = link.map(|link| (link.to_owned(), stale_seconds));
        if found.is_some() {
            break;
        }
    }
    if found.is_none() && updaters.iter().any(|updater| updater.keeps_file_names()) {
        let of = match source {
            FileRelease::Offered => FileSource::Newest(&question.version),
            FileRelease::Release => FileSource::Release(&question.version),
        };
        found = feed_files::link(ports, &question.scope, of, name).await?.map(|link| (link, None));
    }
    let (mut link, stale_seconds) = found.ok_or_else(|| ApiError::not_found("file"))?;
    let audience = carry_token(&mut link, question.download_token.as_ref());
    redirect(&link, &audience, stale_seconds, policy)
}

/// Whether a cache may share an answer, and for how long.
#[derive(Clone, Copy)]
struct CachePolicy {
    is_personal: bool,
    /// In seconds.
    max_age: u32,
}

impl Default for CachePolicy {
    fn default() -> Self {
        Self { is_personal: false, max_age: response::CACHE_SECONDS }
    }
}

fn redirect(
    link: &str,
    audience: &Audience,
    stale_seconds: Option<i64>,
    policy: CachePolicy,
) -> Result<Reply, Failure> {
    let response = answers::with_staleness(response::redirect(link)?, stale_seconds);
    let is_personal = policy.is_personal || audience.is_personal();
    Ok(audience.mark(answers::with_caching(response, is_personal, policy.max_age)).into())
}
