//! Release control: how far releases are rolled out (`docs/rollouts.md`), why a client gets what it gets
//! (`docs/api/catalog.md`), and who changed what (`docs/audit.md`).

mod audit;
#[cfg(feature = "describe")]
mod describe;
mod explain;
mod filter;
mod releases;
mod rollout;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    Audit: GET "/audit" => audit::list(ports, &request), describe::audit();
    AuditHead: GET "/audit/head" => audit::head(ports, &request), describe::audit_head();
    Release: GET "/releases/{id}" => releases::show(ports, &request), describe::release();
    ReleaseOfVersion: GET "/releases" => releases::show_version(ports, &request), describe::release_of_version();
    Rollout: POST "/releases/{id}/rollout" => rollout::act(ports, request).await, describe::rollout();
    Explain: POST "/explain" => explain::explain(ports, request).await, describe::explain();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
