//! Parse, load, decide, render.

use http::StatusCode;
use serde::Serialize;
use spindrift_core::feeds::UpdaterRecord;
use spindrift_core::{Scope, Updater, Version};
use spindrift_service::answers::{self, Question};
use spindrift_service::records::{scopes, updaters};
use spindrift_service::scope_path::requested_scope;
use spindrift_service::{Failure, Ports};
use spindrift_web::{Request, Response, response};

use super::path::{AnswerPath, EdgeFile, nothing};

pub(crate) async fn respond<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let path = AnswerPath::parse(request.path(), &request.query()?)?;
    let scope = requested_scope(request, &path.scope);
    let response = match (path.file, path.updater.as_deref().map(str::parse::<Updater>)) {
        (EdgeFile::Answer(version), _) => {
            answer(ports, scope.map_err(|_| nothing())?, path.updater, version).await
        }
        // Errors are not hidden here: an edge passes them on with the same text.
        (EdgeFile::Record, None | Some(Ok(Updater::Manual))) => scope_record(ports, &scope?).await,
        (EdgeFile::Record, Some(Ok(updater))) => updater_record(ports, &scope?, updater).await,
        (EdgeFile::Record, Some(Err(_))) => Err(nothing().into()),
    };
    let (response, max_age) = response?;
    Ok(answers::with_caching(response, false, max_age))
}

/// Everything that a check would refuse is a 404.
async fn answer<P: Ports>(
    ports: &P,
    scope: Scope,
    updater: Option<String>,
    version: Version,
) -> Result<(Response, u32), Failure> {
    let question = Question { updater, ..Question::anonymous(scope, version) };
    let answered = answers::static_answer(ports, &question).await?;
    let answered = answered.ok_or_else(nothing)?;
    Ok((answered.response, answered.max_age))
}

async fn scope_record<P: Ports>(ports: &P, scope: &Scope) -> Result<(Response, u32), Failure> {
    let loaded = scopes::load(ports, scope).await?;
    let (found, now) = ((*loaded.record).clone().for_edges(ports.now()), ports.now());
    record(&found, answers::seconds_until(now, found.valid_until), loaded.stale_seconds)
}

async fn updater_record<P: Ports>(
    ports: &P,
    scope: &Scope,
    updater: Updater,
) -> Result<(Response, u32), Failure> {
    let loaded = updaters::load(ports, scope, updater).await?;
    let UpdaterRecord { scope, feeds, feed_names } = (*loaded.record).clone();
    let (scope, now) = (scope.for_edges(ports.now()), ports.now());
    let max_age = answers::seconds_until(now, scope.valid_until);
    record(&UpdaterRecord { scope, feeds, feed_names }, max_age, loaded.stale_seconds)
}

/// A record contains the times when steps of its rollouts begin. It lacks releases that are
/// published later, so no cache may keep it beyond that time.
fn record(
    record: &impl Serialize,
    max_age: u32,
    stale_seconds: Option<i64>,
) -> Result<(Response, u32), Failure> {
    let response = answers::with_staleness(response::json(StatusCode::OK, record)?, stale_seconds);
    Ok((response, max_age))
}
