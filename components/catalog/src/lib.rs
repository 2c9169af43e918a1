//! Applications, channels, platforms, architectures, and the search for releases. The reference is
//! `docs/api/catalog.md`.

mod allowed_list;
mod app;
mod app_form;
#[cfg(feature = "describe")]
mod describe;
mod dimension;
mod dimension_body;
mod kind;
mod logo;
mod search;

use http::Method;
use spindrift_db::dimensions::Kind;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, Response, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogCall {
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
pub const ROUTES: Routes<CatalogCall> = Routes(&[
    (Method::POST, "/app/create", CatalogCall::CreateApp),
    (Method::POST, "/app/update", CatalogCall::UpdateApp),
    (Method::GET, "/app/list", CatalogCall::ListApps),
    (Method::DELETE, "/app/delete", CatalogCall::DeleteApp),
    (Method::POST, "/channel/create", CatalogCall::Create(Kind::Channel)),
    (Method::POST, "/channel/update", CatalogCall::Update(Kind::Channel)),
    (Method::GET, "/channel/list", CatalogCall::List(Kind::Channel)),
    (Method::DELETE, "/channel/delete", CatalogCall::Delete(Kind::Channel)),
    (Method::POST, "/platform/create", CatalogCall::Create(Kind::Platform)),
    (Method::POST, "/platform/update", CatalogCall::Update(Kind::Platform)),
    (Method::GET, "/platform/list", CatalogCall::List(Kind::Platform)),
    (Method::DELETE, "/platform/delete", CatalogCall::Delete(Kind::Platform)),
    (Method::POST, "/arch/create", CatalogCall::Create(Kind::Arch)),
    (Method::POST, "/arch/update", CatalogCall::Update(Kind::Arch)),
    (Method::GET, "/arch/list", CatalogCall::List(Kind::Arch)),
    (Method::DELETE, "/arch/delete", CatalogCall::Delete(Kind::Arch)),
    (Method::GET, "/search", CatalogCall::Search),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| answer(&ports, route, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);

async fn answer<P: Ports>(ports: &P, route: CatalogCall, request: Request) -> Result<Response, Failure> {
    match route {
        CatalogCall::CreateApp => app::create(ports, request).await,
        CatalogCall::UpdateApp => app::update(ports, request).await,
        CatalogCall::ListApps => app::list(ports, &request),
        CatalogCall::DeleteApp => app::delete(ports, &request).await,
        CatalogCall::Create(kind) => dimension::create(ports, kind, request).await,
        CatalogCall::Update(kind) => dimension::update(ports, kind, request).await,
        CatalogCall::List(kind) => dimension::list(ports, kind, &request),
        CatalogCall::Delete(kind) => dimension::delete(ports, kind, &request).await,
        CatalogCall::Search => search::search(ports, &request),
    }
}
