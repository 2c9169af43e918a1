//! Failure reports: receiving them, their groups, and the keys that they are sent with. The reference is
//! `docs/api/reports.md`.

mod blobs;
mod body;
mod causes;
#[cfg(feature = "describe")]
mod describe;
mod details;
mod filter;
mod groups;
mod gunzip;
mod ingest;
mod keys;
mod settings;
mod versions;

use http::Method;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, Response, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportCall {
    /// An application reports a failure.
    Ingest,
    /// Lists the groups.
    ListGroups,
    /// Lists the details of a group.
    ListBlobs,
    /// The details of a report, as they are stored.
    ReadBlob,
    /// Changes a group.
    UpdateGroup,
    /// Removes a group.
    DeleteGroup,
    /// Lists the causes of the groups.
    ListCauses,
    /// Changes the groups of some causes.
    UpdateCauses,
    /// Counts failures by version.
    ListVersions,
    /// Lists the keys.
    ListKeys,
    /// Replaces the key of an application.
    RegenerateKey,
}

/// The routes of this component.
pub const ROUTES: Routes<ReportCall> = Routes(&[
    (Method::POST, "/reports/ingest", ReportCall::Ingest),
    (Method::GET, "/reports/groups", ReportCall::ListGroups),
    (Method::GET, "/reports/groups/{hash}/blobs", ReportCall::ListBlobs),
    (Method::GET, "/reports/groups/{hash}/blobs/{id}", ReportCall::ReadBlob),
    (Method::PATCH, "/reports/groups/{hash}", ReportCall::UpdateGroup),
    (Method::DELETE, "/reports/groups/{hash}", ReportCall::DeleteGroup),
    (Method::GET, "/reports/causes", ReportCall::ListCauses),
    (Method::PATCH, "/reports/causes", ReportCall::UpdateCauses),
    (Method::GET, "/reports/versions", ReportCall::ListVersions),
    (Method::GET, "/report-keys/list", ReportCall::ListKeys),
    (Method::POST, "/report-keys/regenerate", ReportCall::RegenerateKey),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| answer(&ports, route, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);

async fn answer<P: Ports>(ports: &P, route: ReportCall, request: Request) -> Result<Response, Failure> {
    match route {
        ReportCall::Ingest => ingest::ingest(ports, request).await,
        ReportCall::ListGroups => groups::list(ports, &request),
        ReportCall::ListBlobs => blobs::list(ports, &request),
        ReportCall::ReadBlob => blobs::read(ports, &request).await,
        ReportCall::UpdateGroup => groups::update(ports, request).await,
        ReportCall::DeleteGroup => groups::delete(ports, &request).await,
        ReportCall::ListCauses => causes::list(ports, &request),
        ReportCall::UpdateCauses => causes::update(ports, request).await,
        ReportCall::ListVersions => versions::list(ports, &request),
        ReportCall::ListKeys => keys::list(ports, &request),
        ReportCall::RegenerateKey => keys::regenerate(ports, request).await,
    }
}
