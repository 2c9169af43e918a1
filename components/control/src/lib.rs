//! Release control: shut-offs (`docs/bad-release.md`), freezes (`docs/rollouts.md`), explanations of
//! answers (`docs/api/catalog.md`), the audit log (`docs/audit.md`), and the addresses that are notified of
//! its entries (`docs/webhooks.md`).

mod audit;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod device_groups;
mod explain;
mod filter;
mod freezes;
mod shutoffs;
mod webhooks;

use spindrift_service::webhooks::DeliveryAfterCall;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    Audit: GET "/audit" => audit::list(ports, &request), describe::audit();
    AuditHead: GET "/audit/head" => audit::head(ports, &request), describe::audit_head();
    ShutOff: POST "/shutoffs" => shutoffs::create(ports, request).await, describe::shut_off();
    Shutoffs: GET "/shutoffs" => shutoffs::list(ports, &request), describe::shutoffs();
    LiftShutoff: DELETE "/shutoffs" => shutoffs::lift(ports, &request).await, describe::lift_shutoff();
    Freeze: POST "/freezes" => freezes::create(ports, request).await, describe::freeze();
    Freezes: GET "/freezes" => freezes::list(ports, &request), describe::freezes();
    EndFreeze: DELETE "/freezes/{id}" => freezes::end(ports, &request).await, describe::end_freeze();
    CreateGroup: POST "/device-groups" => device_groups::create(ports, request).await, describe::create_group();
    Groups: GET "/device-groups" => device_groups::list(ports, &request), describe::groups();
    DeleteGroup: DELETE "/device-groups" => device_groups::delete(ports, &request).await, describe::delete_group();
    GroupDevices: POST "/device-groups/{id}/devices"
        => device_groups::change_devices(ports, request).await, describe::group_devices();
    GroupKey: POST "/device-groups/{id}/key" => device_groups::new_key_of(ports, &request).await, describe::group_key();
    CreateWebhook: POST "/webhooks" => webhooks::create(ports, request).await, describe::create_webhook();
    Webhooks: GET "/webhooks" => webhooks::list(ports, &request), describe::webhooks();
    UpdateWebhook: POST "/webhooks/{id}" => webhooks::update(ports, request).await, describe::update_webhook();
    DeleteWebhook: DELETE "/webhooks" => webhooks::delete(ports, &request), describe::delete_webhook();
    TestWebhook: POST "/webhooks/{id}/test" => webhooks::test(ports, &request).await, describe::test_webhook();
    Explain: POST "/explain" => explain::explain(ports, request).await, describe::explain();
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
