//! Applications, channels, platforms, architectures, and the search for releases. The reference is
//! `docs/api/catalog.md`.

mod allowed_list;
mod app;
mod app_form;
mod dimension;
mod dimension_body;
#[cfg(target_family = "wasm")]
mod entry;
mod kind;
mod logo;
mod search;

use http::Method;
use spindrift_db::dimensions::Kind;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, Response, Routes};

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Creates an application.
    CreateApp,
    /// Changes an application.
    UpdateApp,
    /// Lists the applications.
    ListApps,
    /// Removes an application.
    DeleteApp,
    /// Creates a channel, platform or architecture.
    Create(Kind),
    /// Changes one.
    Update(Kind),
    /// Lists all of a kind.
    List(Kind),
    /// Removes one.
    Delete(Kind),
    /// Finds releases.
    Search,
}

/// The routes of this component.
pub const ROUTES: Routes<Route> = Routes(&[
    (Method::POST, "/app/create", Route::CreateApp),
    (Method::POST, "/app/update", Route::UpdateApp),
    (Method::GET, "/app/list", Route::ListApps),
    (Method::DELETE, "/app/delete", Route::DeleteApp),
    (Method::POST, "/channel/create", Route::Create(Kind::Channel)),
    (Method::POST, "/channel/update", Route::Update(Kind::Channel)),
    (Method::GET, "/channel/list", Route::List(Kind::Channel)),
    (Method::DELETE, "/channel/delete", Route::Delete(Kind::Channel)),
    (Method::POST, "/platform/create", Route::Create(Kind::Platform)),
    (Method::POST, "/platform/update", Route::Update(Kind::Platform)),
    (Method::GET, "/platform/list", Route::List(Kind::Platform)),
    (Method::DELETE, "/platform/delete", Route::Delete(Kind::Platform)),
    (Method::POST, "/arch/create", Route::Create(Kind::Arch)),
    (Method::POST, "/arch/update", Route::Update(Kind::Arch)),
    (Method::GET, "/arch/list", Route::List(Kind::Arch)),
    (Method::DELETE, "/arch/delete", Route::Delete(Kind::Arch)),
    (Method::GET, "/search", Route::Search),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| answer(&ports, route, request).await).await
}

async fn answer<P: Ports>(ports: &P, route: Route, request: Request) -> Result<Response, Failure> {
    match route {
        Route::CreateApp => app::create(ports, request).await,
        Route::UpdateApp => app::update(ports, request).await,
        Route::ListApps => app::list(ports, &request),
        Route::DeleteApp => app::delete(ports, &request).await,
        Route::Create(kind) => dimension::create(ports, kind, request).await,
        Route::Update(kind) => dimension::update(ports, kind, request).await,
        Route::List(kind) => dimension::list(ports, kind, &request),
        Route::Delete(kind) => dimension::delete(ports, kind, &request).await,
        Route::Search => search::search(ports, &request),
    }
}
