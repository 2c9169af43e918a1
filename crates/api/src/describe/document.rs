//! The whole document.

mod components;
mod example;
mod lines;
mod operation;
mod responses;

use serde_json::{Map, Value, json};

pub use lines::lines;

use self::components::Components;
use self::operation::operation;
use super::route::Route;

/// The text about all calls.
const ABOUT: &str = "\
A self-hosted service that distributes updates.

- Every `GET` is also answered as `HEAD`. Another method of a known path is a 405 `method_not_allowed` with `Allow`; any \
other path is a 404 `not_found`.
- Errors are JSON with a text for people and a code for programs. Anything that belongs to another owner is not found.
- Every answer has `X-Request-Id`: the request's, or a new one.
- Unknown keys of JSON bodies are ignored, repeated ones are a 400.";

/// The nouns in the order in which a reader needs them.
const NOUNS: [(&str, &str); 24] = [
    ("Updates", "Requests of installed copies: is there an update, and where are its files?"),
    ("Downloads", "Files of private applications, and the tokens that open them."),
    ("Accounts", "Signing up, and logging in."),
    ("Passkeys", "Logins and proofs with a passkey, and codes for those who lost theirs."),
    ("Single sign-on", "Logins at a provider of the organisation."),
    ("Logins of programs", "Logins that a person allows in a browser."),
    ("Invitations", "Links with which people join an admin's team."),
    ("Team users", "Users who work on an admin's data, within permissions."),
    ("CI tokens", "Tokens for jobs, with the rights that each needs."),
    ("Trusted publishing", "CI jobs that prove who they are, in place of tokens."),
    ("Audit log", "The list of all changes."),
    ("Webhooks", "Addresses that are told of changes."),
    ("Applications", "The applications that are published."),
    ("Channels", "Such as `stable` and `beta`."),
    ("Platforms", "Operating systems, and the updaters that they have."),
    ("Architectures", "Such as `amd64`."),
    ("Uploads", "Publishing releases."),
    ("Releases", "Finding, changing, rolling out, withdrawing and deleting them."),
    ("Shut-offs", "Stopping all updates of an application."),
    ("Freezes", "Spans in which rollouts do not grow by themselves."),
    ("Groups", "Groups of devices, such as testers, which releases let in besides their rollouts."),
    ("Signed metadata", "Repositories of TUF: reading, signing, delivering."),
    ("Telemetry", "Devices by version, channel and platform."),
    ("Failure reports", "Failures that installed copies report, in groups."),
];
/// The nouns for operators.
const OPERATION: [(&str, &str); 2] =
    [("Operation", "Health and upkeep."), ("Documentation", "This document, and a page to read it.")];

/// The OpenAPI document of an interface with these routes.
pub fn document(routes: &[Route]) -> Value {
    let mut components = Components::new();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes {
        let operation = operation(route, &mut components);
        let path = paths.entry(route.template()).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.to_ascii_lowercase(), operation);
        }
    }
    let requests = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    let (schemas, errors) =
        components.finish(requests.filter_map(|operation| operation.get_mut("requestBody")));
    let tags: Vec<Value> = NOUNS
        .iter()
        .chain(&OPERATION)
        .map(|(name, text)| json!({ "name": name, "description": text }))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Spindrift",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "Apache License 2.0", "identifier": env!("CARGO_PKG_LICENSE") },
        },
        "servers": [{ "url": "/", "description": "The service that this document comes from." }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": errors,
            "headers": headers(),
            "securitySchemes": security_schemes(),
        },
    })
}

fn headers() -> Value {
    let text = |text: &str| json!({ "description": text, "schema": { "type": "string" } });
    json!({
        "Cache-Control": text("Whether caches may store the answer, and for how long."),
        "ETag": text("The answer's tag, for `If-None-Match`. Absent from answers for one device."),
        "Location": text("Where the answer is."),
        "Retry-After": json!({
            "description": "Seconds after which to try again.",
            "schema": { "type": "integer", "minimum": 0 },
        }),
        "WWW-Authenticate": text("`Bearer`."),
        "X-Request-Id": text("The id under which the log has the request."),
    })
}

fn security_schemes() -> Value {
    let bearer = |text: &str| json!({ "type": "http", "scheme": "bearer", "description": text });
    let key = |place: &str, name: &str| json!({ "type": "apiKey", "in": place, "name": name, "description": "A download token." });
    json!({
        "login": {
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "The token that `POST /login` answers.",
        },
        "ciToken": bearer("A token of `POST /token/create`."),
        "reportKey": bearer("The report key of the application."),
        "invitation": bearer("The secret of a link of `POST /invitations`."),
        "maintenanceToken": bearer("The value of the setting `maintenance_token`."),
        "metricsToken": bearer("The value of the setting `metrics_token`."),
        "haltLink": bearer("The `token` in a halt link, from a message of a webhook."),
        "downloadToken": key("header", "X-Download-Token"),
        "downloadTokenInQuery": key("query", "download_token"),
    })
}
