//! The routes of all components, with their descriptions.

use spindrift_web::Routes;
use spindrift_web::describe::{Call, Route};

/// All routes. A route without a description does not compile: each component describes what its routes lead
/// to.
pub fn routes() -> Vec<Route> {
    let mut all = Vec::new();
    // `cargo xtask settings` writes these lines.
    add("accounts", &component_accounts::ROUTES, component_accounts::describe, &mut all);
    add("catalog", &component_catalog::ROUTES, component_catalog::describe, &mut all);
    add("check", &component_check::ROUTES, component_check::describe, &mut all);
    add("control", &component_control::ROUTES, component_control::describe, &mut all);
    add("docs", &component_docs::ROUTES, component_docs::describe, &mut all);
    add("download", &component_download::ROUTES, component_download::describe, &mut all);
    add("feeds", &component_feeds::ROUTES, component_feeds::describe, &mut all);
    add("health", &component_health::ROUTES, component_health::describe, &mut all);
    add("identity", &component_identity::ROUTES, component_identity::describe, &mut all);
    add("latest", &component_latest::ROUTES, component_latest::describe, &mut all);
    add("maintenance", &component_maintenance::ROUTES, component_maintenance::describe, &mut all);
    add("metrics", &component_metrics::ROUTES, component_metrics::describe, &mut all);
    add("releases", &component_releases::ROUTES, component_releases::describe, &mut all);
    add("reports", &component_reports::ROUTES, component_reports::describe, &mut all);
    add("responses", &component_responses::ROUTES, component_responses::describe, &mut all);
    add("telemetry", &component_telemetry::ROUTES, component_telemetry::describe, &mut all);
    add("tuf", &component_tuf::ROUTES, component_tuf::describe, &mut all);
    add("upload", &component_upload::ROUTES, component_upload::describe, &mut all);
    all
}

fn add<R: Copy>(component: &'static str, routes: &Routes<R>, describe: fn(R) -> Call, all: &mut Vec<Route>) {
    all.extend(routes.0.iter().map(|(method, path, route)| Route {
        component,
        method: method.as_str(),
        path,
        call: describe(*route),
    }));
}
