//! Reading repositories; starting, ending and configuring them.

use serde_json::json;
use spindrift_api::{
    BootstrapBody, BootstrapRequest, ErrorCode, RepositoryConfigBody, RepositoryConfigRequest,
    RepositoryRequest, SignedFile,
};
use spindrift_web::describe::schema::{text, word};
use spindrift_web::describe::{Call, Who};

use super::managing::{NOUN, changing, named, signed, task};

pub(crate) fn file() -> Call {
    reading("A file of signed metadata")
        .path(
            "file",
            "`{version}.root.json`, `{version}.targets.json`, `{version}.channel-{name}.json`, `{version}.snapshot.json` or \
             `timestamp.json`.",
        )
        .answers::<SignedFile>(200, "The file, as it was accepted. One with a version never changes.")
        .shared()
}

pub(crate) fn target() -> Call {
    reading("A file that signed metadata lists")
        .path("name", "The target's name, with slashes. Before one segment may stand its digest and a dot.")
        .answers_bytes(200, "The file, with the storage driver `s3_internal`.", "*/*")
        .answers_empty(302, "To the file.")
        .storing()
}

fn reading(summary: &'static str) -> Call {
    Call::new(NOUN, Who::Reader, summary)
        .details("Those of a private application are for whoever may download its files, or sign.")
        .path("owner", "User name of the owner, as at the start of the repository.")
        .path("app", "Name of the application, as at the start of the repository.")
        .query("download_token", "A download token.", text())
        .header("X-Download-Token", "A download token.", text())
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn state() -> Call {
    named(Who::UserOrToken, "The state of a repository, and the keys that a root has to name")
        .details("The keys exist before the repository does.")
        .answers::<BootstrapBody>(200, "State and keys.")
}

pub(crate) fn start() -> Call {
    let call = Call::new(NOUN, Who::Admin, "Starts a repository")
        .details("`root` names the service's key for snapshot and timestamp. Without enough signatures it waits for them.")
        .json::<BootstrapRequest>(json!({ "appName": "notes", "metadata": { "root": signed() } }))
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::TufOff, ErrorCode::AlreadyExists, ErrorCode::Conflict]);
    task(changing(call), 202)
}

pub(crate) fn end() -> Call {
    let call = named(Who::Admin, "Ends a repository")
        .details("Its artifacts are then offered without it.")
        .needs_query("confirm", "`{owner}/{app}`, as at the start of the repository.", word())
        .refuses(403, &[ErrorCode::FreshLoginRequired]);
    task(changing(call), 202)
}

pub(crate) fn recovery() -> Call {
    let call = Call::new(NOUN, Who::Admin, "Makes database and bucket agree")
        .details("Never needed.")
        .json::<RepositoryRequest>(json!({ "appName": "notes" }))
        .refuses(404, &[ErrorCode::NotFound]);
    task(changing(call), 202)
}

pub(crate) fn config() -> Call {
    named(Who::User, "The settings of a repository").answers::<RepositoryConfigBody>(200, "The settings.")
}

pub(crate) fn configure() -> Call {
    let call = named(Who::Admin, "Changes settings of a repository")
        .details("Only roles that the service signs have a lifetime here.")
        .json::<RepositoryConfigRequest>(
            json!({ "settings": { "expiration": { "timestamp": 3 }, "keep": 5 } }),
        );
    task(changing(call), 202)
}
