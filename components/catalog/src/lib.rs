//! Applications, channels, platforms, architectures, and the search for releases. The reference is
//! `docs/api/catalog.md`.

mod allowed_list;
mod app;
mod app_form;
mod audited;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod dimension;
mod dimension_body;
mod kind;
mod logo;
mod search;

use spindrift_db::dimensions::Kind::{Arch, Channel, Platform};
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    CreateApp: POST "/app/create" => app::create(ports, request).await, describe::create_app();
    UpdateApp: POST "/app/update" => app::update(ports, request).await, describe::update_app();
    ListApps: GET "/app/list" => app::list(ports, &request), describe::list_apps();
    DeleteApp: DELETE "/app/delete" => app::delete(ports, &request).await, describe::delete_app();

    CreateChannel: POST "/channel/create" => dimension::create(ports, Channel, request).await, describe::create(Channel);
    UpdateChannel: POST "/channel/update" => dimension::update(ports, Channel, request).await, describe::update(Channel);
    ListChannels: GET "/channel/list" => dimension::list(ports, Channel, &request), describe::list(Channel);
    DeleteChannel: DELETE "/channel/delete" => dimension::delete(ports, Channel, &request).await, describe::delete(Channel);

    CreatePlatform: POST "/platform/create" => dimension::create(ports, Platform, request).await, describe::create(Platform);
    UpdatePlatform: POST "/platform/update" => dimension::update(ports, Platform, request).await, describe::update(Platform);
    ListPlatforms: GET "/platform/list" => dimension::list(ports, Platform, &request), describe::list(Platform);
    DeletePlatform: DELETE "/platform/delete" => dimension::delete(ports, Platform, &request).await, describe::delete(Platform);

    CreateArch: POST "/arch/create" => dimension::create(ports, Arch, request).await, describe::create(Arch);
    UpdateArch: POST "/arch/update" => dimension::update(ports, Arch, request).await, describe::update(Arch);
    ListArchs: GET "/arch/list" => dimension::list(ports, Arch, &request), describe::list(Arch);
    DeleteArch: DELETE "/arch/delete" => dimension::delete(ports, Arch, &request).await, describe::delete(Arch);

    Search: GET "/search" => search::search(ports, &request), describe::search();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
