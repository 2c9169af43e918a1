//! The query of an update check.

use spindrift_core::{RawClientFacts, Scope};
use spindrift_service::answers::Question;
use spindrift_service::answers::private_links;
use spindrift_web::{ApiError, Request};

/// Parses a client's question. The updater is checked against the platform's later. An invalid device id is
/// ignored.
pub(crate) fn parse(request: &Request) -> Result<Question, ApiError> {
    let query = request.query()?;
    let app = query.required("app_name")?;
    let version = query.required_version("version")?;
    let owner = query.required("owner")?;
    Ok(Question {
        scope: Scope {
            owner,
            app,
            channel: query.optional("channel")?,
            platform: query.optional("platform")?,
            arch: query.optional("arch")?,
        },
        version,
        updater: query.get("updater").map(str::to_owned),
        download_token: private_links::sent_token(request, &query),
        facts: RawClientFacts {
            group: query.get("group").map(str::to_owned),
            os_version: query.get("os_version").map(str::to_owned),
            interactive: query.get("interactive").map(str::to_owned),
        },
        device: request.header("x-device-id").and_then(|id| id.parse().ok()),
    })
}
