//! `/tuf/...`: repositories of signed update metadata.

mod artifacts;
mod bootstrap;
mod caller;
mod config;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod metadata;
mod online;
mod render;
mod repository;
mod sign;
mod task;

use spindrift_service::{Failure, Ports, serve_logged_by};
use spindrift_settings::{LOG_READS, LOG_REQUESTS};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    File: GET "/tuf/repository/{owner}/{app}/metadata/{file}"
        => repository::file::answer(ports, &request), describe::repository::file();
    Target: GET "/tuf/repository/{owner}/{app}/targets/{name...}"
        => repository::target::answer(ports, &request).await, describe::repository::target();

    State: GET "/tuf/v1/bootstrap" => bootstrap::state(ports, &request), describe::repository::state();
    Start: POST "/tuf/v1/bootstrap" => bootstrap::begin(ports, request).await, describe::repository::start();
    End: DELETE "/tuf/v1/bootstrap" => bootstrap::finish(ports, &request).await, describe::repository::end();
    Recovery: POST "/tuf/v1/bootstrap/recovery" => online::recovery(ports, request).await, describe::repository::recovery();
    Config: GET "/tuf/v1/config" => config::show(ports, &request), describe::repository::config();
    Configure: PUT "/tuf/v1/config" => config::change(ports, request).await, describe::repository::configure();

    Online: POST "/tuf/v1/metadata/online" => online::online(ports, request).await, describe::metadata::online();
    Root: GET "/tuf/v1/metadata/root" => metadata::root(ports, &request), describe::metadata::root();
    Targets: GET "/tuf/v1/metadata/targets" => metadata::targets(ports, &request), describe::metadata::targets();
    Delegated: GET "/tuf/v1/metadata/delegated" => metadata::delegated(ports, &request), describe::metadata::delegated();
    Update: POST "/tuf/v1/metadata" => metadata::update(ports, request).await, describe::metadata::update();
    RotateDelegated: POST "/tuf/v1/metadata/delegated/rotate"
        => metadata::rotate_delegated(ports, request).await, describe::metadata::rotate_delegated();
    Pending: GET "/tuf/v1/metadata/sign" => sign::pending(ports, &request), describe::metadata::pending();
    Sign: POST "/tuf/v1/metadata/sign" => sign::add(ports, request).await, describe::metadata::sign();
    DeleteStaged: POST "/tuf/v1/metadata/sign/delete" => sign::delete(ports, request).await, describe::metadata::delete_staged();

    Artifacts: GET "/tuf/v1/artifacts" => artifacts::list(ports, &request), describe::artifacts::list();
    PublishArtifacts: POST "/tuf/v1/artifacts/publish"
        => artifacts::change::publish(ports, request).await, describe::artifacts::publish();
    DeleteArtifacts: POST "/tuf/v1/artifacts/delete"
        => artifacts::change::delete(ports, request).await, describe::artifacts::delete();
    Task: GET "/tuf/v1/task" => task::task(ports, &request), describe::artifacts::task();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    // Installed copies read repositories as often as they check for updates.
    let logs = if request.path().starts_with(repository::ROOT) { &LOG_READS } else { &LOG_REQUESTS };
    serve_logged_by(logs, &ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await)
        .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
