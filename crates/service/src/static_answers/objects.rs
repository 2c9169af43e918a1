//! The objects that belong in a folder of static answers.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use spindrift_core::{Scope, ScopePath, Updater, Version};
use spindrift_db::scope_versions;
use spindrift_web::ResponseBody;

use crate::answers::{AnswerForm, AnswerSource, Question, render};
use crate::links::DownloadLinks;
use crate::records::{ResolvedScope, resolve, scopes, updaters};
use crate::{Ports, ServiceError};

/// The format of the answers and of their keys. Changing the number makes maintenance write all of them
/// again.
const FORMAT: u32 = 1;
/// Maximum number of versions per scope with static answers, newest first. Clients with older versions ask
/// the service.
const MAX_VERSIONS: u32 = 200;

/// Prefix of the keys of all static answers.
pub(super) const ROOT: &str = "responses/";

/// The bodies of objects, by key.
pub(super) type AnswerObjects = BTreeMap<String, Bytes>;

/// A digest of the inputs other than the data: the link settings and the format.
pub(super) fn inputs_digest(ports: &impl Ports) -> Result<i64, ServiceError> {
    let mut hasher = DefaultHasher::new();
    (DownloadLinks::new(ports)?.settings_digest(), FORMAT).hash(&mut hasher);
    Ok(hasher.finish().cast_signed())
}

/// The objects that a folder should have, according to the current data. Empty if the folder does not belong
/// to a scope, or if its application has no static answers.
pub(super) fn expected_objects<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    path: &ScopePath,
) -> Result<AnswerObjects, ServiceError> {
    let Ok(scope) = path.requested_scope() else { return Ok(AnswerObjects::new()) };
    let resolved = match resolve(ports, conn, &scope) {
        Err(error) if error.is_unknown_scope() => return Ok(AnswerObjects::new()),
        resolved => resolved?,
    };
    if !resolved.record.cdn {
        return Ok(AnswerObjects::new());
    }
    let versions = scope_versions::newest(conn, &resolved.record.app_id, &resolved.target, MAX_VERSIONS)?;
    if versions.is_empty() {
        return Ok(AnswerObjects::new());
    }
    project(&scope, &sources::<P>(conn, resolved)?, &versions)
}

/// The records of the platform's updaters whose answers are JSON.
fn sources<P: Ports>(conn: &P::Conn, resolved: ResolvedScope) -> Result<Vec<AnswerSource>, ServiceError> {
    let updaters = resolved.record.updaters.clone();
    let mut sources = Vec::new();
    for updater in updaters.entries().iter().map(|entry| entry.updater) {
        if updater.answers_in_json() && updater != Updater::Manual {
            sources
                .push(AnswerSource::Updater(updater, Arc::new(updaters::derive(conn, &resolved, updater)?)));
        }
    }
    if updaters.has(Updater::Manual) {
        sources.push(AnswerSource::Scope(Arc::new(scopes::derive(conn, resolved)?)));
    }
    Ok(sources)
}

/// The objects of a scope: for each version one answer per updater, `.../{updater}/{version}.json`, and the
/// answer of the default one, `.../{version}.json`. An answer with another status than 200 gets no object.
fn project(
    scope: &Scope,
    sources: &[AnswerSource],
    versions: &[Version],
) -> Result<AnswerObjects, ServiceError> {
    let folder = format!("{ROOT}{}", scope.folder());
    let mut objects = AnswerObjects::new();
    for source in sources {
        let updater = source.updater();
        let is_default = source.record().updaters.resolve_static(None) == Some(updater);
        for version in versions {
            let question = Question::anonymous(scope.clone(), version.clone());
            let AnswerForm::Own(response) = render(source, &question, source.record().read_at)?.answer else {
                continue;
            };
            let (StatusCode::OK, ResponseBody::Full(body)) = (response.status(), response.body()) else {
                continue;
            };
            if is_default {
                objects.insert(format!("{folder}/{version}.json"), body.clone());
            }
            objects.insert(format!("{folder}/{updater}/{version}.json"), body.clone());
        }
    }
    Ok(objects)
}

#[cfg(test)]
mod tests;
