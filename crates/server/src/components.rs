//! The components of this program.

use std::pin::Pin;

use http::Method;
use spindrift_native::NativePlatform;
use spindrift_web::{Reply, Request, Routes};

/// An answer in progress. It stays on its thread.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Reply>>>;

/// A component that is part of this program.
#[derive(Clone, Copy)]
pub(crate) struct Component {
    /// Its id in `spin.toml`.
    pub(crate) id: &'static str,
    pub(crate) work: Work,
    pub(crate) answer: fn(NativePlatform, Request) -> Answering,
}

/// Where requests without a login are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// On the thread of the connection: answers to installed copies, which take microseconds and never wait
    /// for a lock.
    Here,
    /// On the pool; for installed copies whose requests write before they are answered.
    CopiesOnPool,
    /// On the pool.
    Pool,
}

/// A call that a component answers.
#[derive(Debug, Clone)]
pub struct ApiRoute {
    /// The component's id in `spin.toml`.
    pub component: &'static str,
    pub method: Method,
    /// A path that matches the route.
    pub path: String,
}

macro_rules! components {
    ($($id:literal $work:ident $component:ident::*)*) => {
        pub(crate) const COMPONENTS: &[Component] = &[$(Component {
            id: $id,
            work: Work::$work,
            answer: |ports, request| Box::pin($component::handle(ports, request)),
        }),*];

        /// The calls of all components that belong to the interface. Pages do not belong to it.
        pub fn api_routes() -> Vec<ApiRoute> {
            let mut all = Vec::new();
            $(add($id, &$component::ROUTES, &mut all);)*
            all
        }
    };
}

// `cargo xtask settings` writes these lines from the `Cargo.toml` of each component.
components! {
    "accounts" Pool component_accounts::*
    "catalog" Pool component_catalog::*
    "check" Here component_check::*
    "console" Pool component_console::*
    "control" Pool component_control::*
    "docs" Pool component_docs::*
    "download" Pool component_download::*
    "feeds" Here component_feeds::*
    "get" Pool component_get::*
    "health" Here component_health::*
    "identity" Pool component_identity::*
    "latest" Here component_latest::*
    "maintenance" Pool component_maintenance::*
    "metrics" Pool component_metrics::*
    "releases" Pool component_releases::*
    "reports" CopiesOnPool component_reports::*
    "responses" Here component_responses::*
    "telemetry" Here component_telemetry::*
    "tuf" Pool component_tuf::*
    "upload" Pool component_upload::*
}

fn add<R>(component: &'static str, routes: &Routes<R>, all: &mut Vec<ApiRoute>) {
    // Pages are not calls of the interface.
    if ["console", "get"].contains(&component) {
        return;
    }
    all.extend(routes.0.iter().map(|(method, pattern, _)| ApiRoute {
        component,
        method: method.clone(),
        path: pattern.replace(['{', '}'], ""),
    }));
}
