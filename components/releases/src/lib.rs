//! Releases: how they are offered and rolled out (`docs/rollouts.md`), and how they are withdrawn, edited and
//! deleted.
//!
//! Separate from `catalog`, whose calls would otherwise take longer to load: publishing and signing are most
//! of this component.

// The future of a change that publishes, syncs targets and deletes files nests deeper than the default limit
// of 128.
#![recursion_limit = "256"]

mod barrier;
mod delete;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod guard;
mod halt_link;
mod health;
mod offer;
mod order;
mod promote;
mod receipt;
mod request;
mod requires;
mod rollout;
mod show;
mod update;
mod withdraw;

use spindrift_service::webhooks::DeliveryAfterCall;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    Update: POST "/apps/update" => update::update(ports, request).await, describe::update();
    DeleteRelease: DELETE "/apps/delete" => delete::release(ports, &request).await, describe::delete_release();
    HaltLink: GET "/releases/halt-link" => halt_link::show(ports, &request), describe::halt_link();
    HaltByLink: POST "/releases/halt-link" => halt_link::halt(ports, &request).await, describe::halt_by_link();
    Release: GET "/releases/{id}" => show::show(ports, &request), describe::release();
    ReleaseOfVersion: GET "/releases" => show::show_version(ports, &request), describe::release_of_version();
    Receipt: GET "/releases/{id}/receipt" => receipt::show(ports, &request), describe::receipt();
    ReceiptOfUpload: POST "/releases/receipt" => receipt::ask(ports, request).await, describe::receipt_of_upload();
    Health: GET "/releases/{id}/health" => health::show(ports, &request), describe::health();
    RunGuard: POST "/guard/run" => guard::run(ports, &request).await, describe::run_guard();
    Offer: POST "/releases/{id}/offer" => offer::change(ports, request).await, describe::offer();
    Promote: POST "/releases/{id}/promote" => promote::promote(ports, request).await, describe::promote();
    EndPromotion: DELETE "/releases/{id}/offer" => promote::end(ports, &request).await, describe::end_promotion();
    Rollout: POST "/releases/{id}/rollout" => rollout::act(ports, request).await, describe::rollout();
    Requires: POST "/releases/{id}/requires" => requires::change(ports, request).await, describe::requires();
    Withdraw: POST "/releases/{id}/withdraw" => withdraw::withdraw(ports, request).await, describe::withdraw();
    Restore: POST "/releases/{id}/restore" => withdraw::restore(ports, request).await, describe::restore();
    DeleteArtifacts: POST "/artifact/delete" => delete::artifacts(ports, request).await, describe::delete_artifacts();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    let delivery = DeliveryAfterCall::of(&request);
    let reply =
        serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await;
    delivery.after(&ports, reply)
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
