//! The caller, and the application of the call.

use spindrift_core::{Action, App, AppName};
use spindrift_db::apps;
use spindrift_repository::events::{EventCause, EventKind};
use spindrift_service::requests::Session;
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request};

/// Largest body that contains metadata, in bytes: the largest list and a root, with room for earlier roots.
pub(crate) const MAX_BODY_BYTES: usize = 6 * 1024 * 1024;

/// The name in the query parameter `appName`.
pub(crate) fn app_name(request: &Request) -> Result<AppName, ApiError> {
    request.query()?.required("appName")
}

/// The application with this name, for which the caller needs a permission. 404 if it does not exist, 403
/// without the permission.
pub(crate) fn app(session: &Session<'_, impl Ports>, name: &AppName, action: Action) -> Result<App, Failure> {
    let app = apps::by_name(&session.conn, session.owner_id(), name)?;
    let app = app.ok_or_else(|| ApiError::not_found("application"))?;
    session.require(action, Some(&app.id))?;
    Ok(app)
}

/// The cause of a change: its kind and the caller.
pub(crate) fn cause(principal: &Principal, kind: EventKind) -> EventCause {
    EventCause { kind, origin: Some(principal.origin.clone()) }
}
