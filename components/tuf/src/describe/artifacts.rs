//! Recorded and listed artifacts, and tasks.

use serde_json::json;
use spindrift_api::{ErrorCode, TargetsDeleteRequest, TargetsPageBody, TargetsPublishRequest, TaskBody};
use spindrift_web::describe::schema::{one_of, word};
use spindrift_web::describe::{Call, Who};

use super::managing::{ID, NOUN, changing, named, task as of_task};

const STATES: [&str; 3] = ["listed", "unlisted", "legacy"];

pub(crate) fn list() -> Call {
    named(Who::UserOrToken, "The artifacts as targets, and whether they are listed")
        .query("version", "Only this version.", word())
        .query("state", "Only those in this state.", one_of(&STATES))
        .query("also", "A second state to show beside `state`.", one_of(&STATES))
        .pages(9, 1000)
        .answers::<TargetsPageBody>(200, "The artifacts of this page, newest release first.")
}

pub(crate) fn publish() -> Call {
    let call = Call::new(NOUN, Who::User, "Lists the files of a published release")
        .details("Where the service signs targets.")
        .json::<TargetsPublishRequest>(json!({ "app_id": ID, "version": "1.0.0" }));
    of_list(call)
}

pub(crate) fn delete() -> Call {
    let call = Call::new(NOUN, Who::User, "Takes files off the list")
        .details("Where the service signs targets. They stay off it until they are published again.")
        .json::<TargetsDeleteRequest>(json!({
            "id": ID, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": ["ada/notes/notes-1.0.0.deb"],
        }));
    of_list(call)
}

fn of_list(call: Call) -> Call {
    let call = call.refuses(404, &[ErrorCode::NotFound]).refuses(409, &[ErrorCode::SignedByPublisher]);
    of_task(of_task(changing(call), 200), 202)
}

pub(crate) fn task() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Returns the result of a call")
        .needs_query("task_id", "The task's id.", word())
        .answers::<TaskBody>(200, "The task.")
        .refuses(404, &[ErrorCode::NotFound])
}
