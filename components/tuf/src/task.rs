//! `/tuf/v1/task`: the outcome of a call.

use http::StatusCode;
use spindrift_api::{Task, TaskBody, TaskResult, TaskState};
use spindrift_core::{Action, Id};
use spindrift_db::{apps, repository_events, repository_staged};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

pub(crate) fn task<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let query = request.query()?;
    let id = query.get("task_id").map(Id::from_text).ok_or_else(|| ApiError::missing("task_id"))?;
    let not_found = || ApiError::not_found("task");
    let event = repository_events::by_id(&session.conn, &id)?.ok_or_else(not_found)?;
    let app = apps::by_id(&session.conn, session.owner_id(), &event.app_id)?.ok_or_else(not_found)?;
    session.require(Action::Sign, Some(&app.id))?;
    let is_pending = repository_staged::is_pending(&session.conn, &event.id)?;
    let data = Task {
        task_id: event.id,
        state: if is_pending { TaskState::Pending } else { TaskState::Success },
        result: TaskResult {
            status: true,
            task: event.kind,
            message: event.message,
            last_update: event.created_at.to_rfc3339(),
            details: event.details,
        },
    };
    private_json(StatusCode::OK, &TaskBody { data, message: "Task state.".to_owned() })
}
