//! `GET /report-keys/list` and `POST /report-keys/regenerate`.

use http::StatusCode;
use spindrift_api::{KeyBody, RegenerateBody, ReportKeyEntry, ReportKeysBody};
use spindrift_auth::ReportKey;
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, Id, Resource};
use spindrift_db::Audit;
use spindrift_db::apps;
use spindrift_db::report_keys::{self, ListedKey};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports, report_keys as keys};
use spindrift_web::{ApiError, Request, Response, required};

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    // An application gets its key when it starts to accept reports. One without a key gets it now.
    let missing = report_keys::missing(&session.conn, session.owner_id())?;
    if !missing.is_empty() {
        session.edit(|conn| {
            missing.iter().try_for_each(|app| keys::ensure(ports, conn, app))?;
            Ok::<_, Failure>(((), Audit::Consequence))
        })?;
    }
    let report_keys = report_keys::of_owner(&session.conn, session.owner_id())?
        .into_iter()
        .filter(|key| session.may(Action::View(Resource::App), Some(&key.app_id)))
        .map(entry)
        .collect();
    private_json(StatusCode::OK, &ReportKeysBody { report_keys })
}

fn entry(key: ListedKey) -> ReportKeyEntry {
    ReportKeyEntry {
        id: key.id,
        app_id: key.app_id,
        app_name: key.app.into(),
        key_value: key.value,
        updated_at: key.updated_at.to_rfc3339(),
    }
}

/// The key may be one in use, so it is not repeated.
fn invalid_key() -> ApiError {
    ApiError::invalid("key_value", "a report key as the service makes them", None)
}

pub(crate) async fn regenerate<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let body: RegenerateBody = request.read_json(MAX_JSON_BYTES).await?;
    let id = Id::from_text(required(body.app_id, "app_id")?);
    let given = body.key_value.map(|text| text.parse().map_err(|_| invalid_key())).transpose()?;
    let is_given = given.is_some();
    let key = given.unwrap_or_else(|| ReportKey::generate(ports.random_bytes()));
    session.edit(|conn| {
        let app =
            apps::by_id(conn, session.owner_id(), &id)?.ok_or_else(|| ApiError::not_found("application"))?;
        session.require(Action::Edit(Resource::App), Some(&app.id))?;
        if !app.flags.reports {
            return Err(ApiError::Conflict("reports are disabled for this application".into()).into());
        }
        if is_given {
            session.require(Action::Administer, None)?;
        }
        if report_keys::of_app(conn, &app.id)?.as_deref() == Some(key.expose()) {
            return Ok(((), Audit::Unchanged));
        }
        keys::replace(ports, conn, session.owner_id(), &app.id, &key)?;
        let entry = session.entry(AuditKind::ReportKeyReplace).of_app(&app.id, &app.name);
        Ok::<_, Failure>(((), entry.into()))
    })?;
    private_json(StatusCode::OK, &KeyBody { app_id: id, key_value: key.expose().to_owned() })
}
