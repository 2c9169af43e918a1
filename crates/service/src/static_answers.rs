//! Static answers: what a check without a device was answered, as objects in the CDN bucket, for applications with
//! `cdn` on. Written after the answer is out; removed by whatever changes what the application answers.

use bytes::Bytes;
use http::{StatusCode, header};
use md5::{Digest, Md5};
use spindrift_core::{AppName, Scope, Updater, UserName, Version};
use spindrift_db::{scopes, static_answers};
use spindrift_storage::{BucketKind, Location, MAX_LIST_PAGE, ObjectKey, PutOptions, Storage};
use spindrift_web::{After, ApiError, Body, Response};

use crate::answers::{Question, Source};
use crate::origin::scope_segments;
use crate::{Failure, Ports, log, origin, scopes as records, settings, updater_records};

const CONTENT_TYPE: &str = "application/json";
/// As of the same answer from the service.
const CACHE_CONTROL: &str = "public, max-age=60, must-revalidate";

/// What is written after an answer is out; `None`: nothing. An edge deployment has no storage to write to.
pub fn publish<P: Ports>(
    ports: &P,
    question: &Question,
    source: &Source,
    response: &Response,
) -> Option<After> {
    let (record, updater) = (source.record(), source.updater());
    let Body::Full(body) = response.body() else { return None };
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|value| value == CONTENT_TYPE);
    let is_public_answer = question.device.is_none() && response.status() == StatusCode::OK && is_json;
    if !record.cdn || !is_public_answer || record.releases.is_empty() {
        return None;
    }
    if !matches!(origin::url(ports), Ok(None)) {
        return None;
    }
    let is_default = record.updaters.default_updater() == updater;
    let keys = keys(&question.scope, &question.version, updater, is_default);
    let (ports, scope, source, body) = (ports.clone(), question.scope.clone(), source.clone(), body.clone());
    Some(Box::pin(async move {
        if let Err(failure) = write(&ports, &scope, &source, &keys, body).await {
            let error = failure.into_api();
            log::warn("a static answer was not written", &error.internal().unwrap_or_default());
        }
    }))
}

/// `.../{arch}/{updater}/{version}.json`, and for the default updater `.../{arch}/{version}.json`.
fn keys(scope: &Scope, version: &Version, updater: Updater, is_default: bool) -> Vec<String> {
    let folder = format!("responses/{}", scope_segments(scope).join("/"));
    let mut keys = vec![format!("{folder}/{updater}/{version}.json")];
    if is_default {
        keys.push(format!("{folder}/{version}.json"));
    }
    keys
}

fn location(key: &str) -> Result<Location, ApiError> {
    let key = ObjectKey::new(key).map_err(|error| ApiError::Internal { internal: error.to_string() })?;
    Ok(Location::new(BucketKind::Cdn, key))
}

/// Writes the objects, and takes them back if the application has changed meanwhile: whoever changed it may have
/// listed the folder before they were there.
async fn write<P: Ports>(
    ports: &P,
    scope: &Scope,
    source: &Source,
    keys: &[String],
    body: Bytes,
) -> Result<(), Failure> {
    let config = settings::storage(ports)?;
    let storage = Storage::new(&config, ports, || ports.now());
    let conn = spindrift_db::open(ports, ports.now())?;
    let md5: [u8; 16] = Md5::digest(&body).into();
    let mut confirmed = None;
    for key in keys {
        let at = location(key)?;
        if storage.head(&at).await?.and_then(|meta| meta.etag_md5()) == Some(md5) {
            continue;
        }
        if confirmed.is_none() {
            confirmed = match source {
                Source::Scope(record) => records::confirmed_revision(ports, &conn, scope, record)?,
                Source::Updater(updater, record) => {
                    updater_records::confirmed_revision(ports, &conn, scope, *updater, record)?
                }
            };
            if confirmed.is_none() {
                return Ok(());
            }
            static_answers::remember(&conn, &scope.owner, &scope.app)?;
        }
        let options = PutOptions {
            content_type: Some(CONTENT_TYPE.to_owned()),
            cache_control: Some(CACHE_CONTROL.to_owned()),
            md5: Some(md5),
        };
        storage.put(&at, body.clone(), options).await?;
    }
    if confirmed.is_some() && scopes::revision_of_app(&conn, &source.record().app_id)? != confirmed {
        for key in keys {
            storage.delete(&location(key)?).await?;
        }
    }
    Ok(())
}

/// Removes all static answers of an application, if it ever had some; answers how many objects went.
pub async fn remove<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    owner: &UserName,
    app: &AppName,
) -> Result<u64, Failure> {
    if !static_answers::had_some(conn, owner, app)? {
        return Ok(0);
    }
    let config = settings::storage(ports)?;
    let storage = Storage::new(&config, ports, || ports.now());
    let prefix = format!("responses/{owner}/{app}/");
    let mut removed = 0;
    loop {
        let page = storage.list(BucketKind::Cdn, &prefix, None, MAX_LIST_PAGE).await?;
        for object in page.objects {
            storage.delete(&Location::new(BucketKind::Cdn, object.key)).await?;
            removed += 1;
        }
        if page.next.is_none() {
            return Ok(removed);
        }
    }
}
