//! Release control: shutting updates off (`docs/bad-release.md`), why a client gets what it gets (`docs/api/catalog.md`), and
//! who changed what (`docs/audit.md`).

mod audit;
#[cfg(feature = "describe")]
mod describe;
mod explain;
mod filter;
mod shutoffs;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    Audit: GET "/audit" => audit::list(ports, &request), describe::audit();
    AuditHead: GET "/audit/head" => audit::head(ports, &request), describe::audit_head();
    ShutOff: POST "/shutoffs" => shutoffs::create(ports, request).await, describe::shut_off();
    Shutoffs: GET "/shutoffs" => shutoffs::list(ports, &request), describe::shutoffs();
    LiftShutoff: DELETE "/shutoffs" => shutoffs::lift(ports, &request).await, describe::lift_shutoff();
    Explain: POST "/explain" => explain::explain(ports, request).await, describe::explain();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
