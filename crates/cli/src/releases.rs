//! Looks up and changes releases by version, because calls need ids.

use serde::Serialize;
use spindrift_api::{AppEntry, ReleaseBody, ReleaseEntry, ReleaseUpdateData, ReleaseUpdatedBody, SearchBody};
use spindrift_core::{Id, Version};

use crate::commands::catalog;
use crate::error::CliError;
use crate::refusal::Refusal;
use crate::service::Service;
use crate::unknown::unknown;

/// Page size: the maximum that the service allows.
pub(crate) const PAGE: &str = "100";

/// The release of an application with this version. CI tokens without the right `upload` cannot
/// search; they use [`find_offers`].
pub(crate) async fn find(service: &Service, app: &str, version: &str) -> Result<ReleaseEntry, CliError> {
    let wanted = parse(version)?;
    let mut seen: Vec<String> = Vec::new();
    for page in 1_u32.. {
        let query = [("app_name", app), ("limit", PAGE), ("page", &page.to_string())];
        let found: SearchBody = service.get("/search").query(&query).json().await?;
        let is_last = found.items.is_empty();
        for item in found.items {
            if item.version.parse::<Version>().is_ok_and(|version| version == wanted) {
                return Ok(item);
            }
            seen.push(item.version);
        }
        if is_last || seen.len() as u64 >= found.total {
            break;
        }
    }
    if seen.is_empty() {
        let _ = catalog::find::<AppEntry>(service, app).await?;
    }
    let versions: Vec<&str> = seen.iter().map(String::as_str).collect();
    Err(CliError::NotFound(unknown(&format!("release of {app}"), version, &versions)))
}

/// Changes the properties of a release.
pub(crate) async fn change(service: &Service, data: &ReleaseUpdateData) -> Result<(), CliError> {
    let _: ReleaseUpdatedBody = service.post_data("/apps/update", data).await?;
    Ok(())
}

/// How the release with this version is offered. CI tokens may read this too.
pub(crate) async fn find_offers(
    service: &Service,
    app: &str,
    version: &str,
) -> Result<ReleaseBody, CliError> {
    let wanted = parse(version)?;
    let query = [("app", app), ("version", wanted.as_str())];
    match service.get("/releases").query(&query).json().await {
        Err(CliError::Refused(refusal)) if refusal.status == 404 => {
            Err(not_found(service, app, version, refusal).await)
        }
        answered => answered,
    }
}

/// How the release with this id is offered.
pub(crate) async fn offers_by_id(service: &Service, id: &Id) -> Result<ReleaseBody, CliError> {
    service.get(&format!("/releases/{id}")).json().await
}

/// Posts an action on a release. `call` is the last segment of the path.
pub(crate) async fn post_action(
    service: &Service,
    id: &Id,
    call: &str,
    body: &impl Serialize,
) -> Result<ReleaseBody, CliError> {
    service.post(&format!("/releases/{id}/{call}")).body_json(body).json().await
}

/// The error for an unknown release, with the existing versions. CI tokens without the right
/// `upload` cannot list them.
async fn not_found(service: &Service, app: &str, version: &str, refusal: Refusal) -> CliError {
    match find(service, app, version).await {
        Err(better @ CliError::NotFound(_)) => better,
        _ if refusal.text == "application not found" => {
            CliError::NotFound(format!("unknown application {app:?}: check the spelling"))
        }
        _ if refusal.text == "release not found" => {
            CliError::NotFound(format!("unknown release of {app} {version:?}: check the spelling"))
        }
        _ => CliError::Refused(refusal),
    }
}

fn parse(version: &str) -> Result<Version, CliError> {
    version.parse().map_err(|_| {
        CliError::usage(format!("`{version}` is not a version: it looks like 1.2.3 or 1.2.3-beta.1"))
    })
}
