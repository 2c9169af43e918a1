//! `/tuf/...`: repositories of signed update metadata.

mod artifacts;
mod bootstrap;
mod caller;
mod config;
#[cfg(feature = "describe")]
mod describe;
mod metadata;
mod online;
mod render;
mod repository;
mod sign;
mod task;

use http::Method;
use spindrift_service::{Failure, Ports, serve_logged_by};
use spindrift_settings::{LOG_READS, LOG_REQUESTS};
use spindrift_web::{Reply, Request, Response, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TufCall {
    /// A file of metadata.
    File,
    /// A target.
    Target,
    /// A call of those who manage the repository.
    Manage(Manage),
}

/// The endpoints under `/tuf/v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manage {
    /// The state of a repository.
    State,
    /// Starts a repository.
    Start,
    /// Ends a repository.
    End,
    /// Makes bucket and database agree.
    Recovery,
    /// The settings.
    Config,
    /// Changes settings.
    Configure,
    /// Signs again.
    Online,
    /// The current root.
    Root,
    /// The current targets.
    Targets,
    /// The current list of a channel with signers of its own.
    Delegated,
    /// Takes metadata.
    Update,
    /// Takes metadata of a channel.
    RotateDelegated,
    /// Metadata that needs more signatures.
    Pending,
    /// Takes a signature.
    Sign,
    /// Drops what lacks signatures.
    DeleteStaged,
    /// Recorded artifacts, and whether they are listed.
    Artifacts,
    /// Lists the files of a release, where the service signs targets.
    PublishArtifacts,
    /// Takes files off the service's list.
    DeleteArtifacts,
    /// The task of a call.
    Task,
}

/// The routes of this component.
pub const ROUTES: Routes<TufCall> = Routes(&[
    (Method::GET, "/tuf/repository/{owner}/{app}/metadata/{file}", TufCall::File),
    (Method::GET, "/tuf/repository/{owner}/{app}/targets/{name...}", TufCall::Target),
    (Method::GET, "/tuf/v1/bootstrap", TufCall::Manage(Manage::State)),
    (Method::POST, "/tuf/v1/bootstrap", TufCall::Manage(Manage::Start)),
    (Method::DELETE, "/tuf/v1/bootstrap", TufCall::Manage(Manage::End)),
    (Method::POST, "/tuf/v1/bootstrap/recovery", TufCall::Manage(Manage::Recovery)),
    (Method::GET, "/tuf/v1/config", TufCall::Manage(Manage::Config)),
    (Method::PUT, "/tuf/v1/config", TufCall::Manage(Manage::Configure)),
    (Method::POST, "/tuf/v1/metadata/online", TufCall::Manage(Manage::Online)),
    (Method::GET, "/tuf/v1/metadata/root", TufCall::Manage(Manage::Root)),
    (Method::GET, "/tuf/v1/metadata/targets", TufCall::Manage(Manage::Targets)),
    (Method::GET, "/tuf/v1/metadata/delegated", TufCall::Manage(Manage::Delegated)),
    (Method::POST, "/tuf/v1/metadata", TufCall::Manage(Manage::Update)),
    (Method::POST, "/tuf/v1/metadata/delegated/rotate", TufCall::Manage(Manage::RotateDelegated)),
    (Method::GET, "/tuf/v1/metadata/sign", TufCall::Manage(Manage::Pending)),
    (Method::POST, "/tuf/v1/metadata/sign", TufCall::Manage(Manage::Sign)),
    (Method::POST, "/tuf/v1/metadata/sign/delete", TufCall::Manage(Manage::DeleteStaged)),
    (Method::GET, "/tuf/v1/artifacts", TufCall::Manage(Manage::Artifacts)),
    (Method::POST, "/tuf/v1/artifacts/publish", TufCall::Manage(Manage::PublishArtifacts)),
    (Method::POST, "/tuf/v1/artifacts/delete", TufCall::Manage(Manage::DeleteArtifacts)),
    (Method::GET, "/tuf/v1/task", TufCall::Manage(Manage::Task)),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    // Installed copies read repositories as often as they check for updates.
    let logs = if request.path().starts_with(repository::ROOT) { &LOG_READS } else { &LOG_REQUESTS };
    serve_logged_by(logs, &ports, &ROUTES, request, async |route, request| {
        answer(&ports, route, request).await
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);

async fn answer<P: Ports>(ports: &P, route: TufCall, request: Request) -> Result<Reply, Failure> {
    match route {
        TufCall::File => repository::file::answer(ports, &request),
        TufCall::Target => repository::target::answer(ports, &request).await.map(Reply::from),
        TufCall::Manage(call) => manage(ports, call, request).await.map(Reply::from),
    }
}

async fn manage<P: Ports>(ports: &P, call: Manage, request: Request) -> Result<Response, Failure> {
    match call {
        Manage::State => bootstrap::state(ports, &request),
        Manage::Start => bootstrap::begin(ports, request).await,
        Manage::End => bootstrap::finish(ports, &request).await,
        Manage::Recovery => online::recovery(ports, request).await,
        Manage::Config => config::show(ports, &request),
        Manage::Configure => config::change(ports, request).await,
        Manage::Online => online::online(ports, request).await,
        Manage::Root => metadata::root(ports, &request),
        Manage::Targets => metadata::targets(ports, &request),
        Manage::Delegated => metadata::delegated(ports, &request),
        Manage::Update => metadata::update(ports, request).await,
        Manage::RotateDelegated => metadata::rotate_delegated(ports, request).await,
        Manage::Pending => sign::pending(ports, &request),
        Manage::Sign => sign::add(ports, request).await,
        Manage::DeleteStaged => sign::delete(ports, request).await,
        Manage::Artifacts => artifacts::list(ports, &request),
        Manage::PublishArtifacts => artifacts::change::publish(ports, request).await,
        Manage::DeleteArtifacts => artifacts::change::delete(ports, request).await,
        Manage::Task => task::task(ports, &request),
    }
}
