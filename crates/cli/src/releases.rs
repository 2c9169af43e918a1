//! Finding and changing releases: people use versions, calls need ids.

use serde_json::json;
use spindrift_api::{
    AppEntry, ReleaseBody, ReleaseEntry, ReleaseUpdateData, ReleaseUpdatedBody, RolloutActionBody, SearchBody,
};
use spindrift_core::{Id, Version};

use crate::commands::catalog;
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;
use crate::unknown::unknown;

/// Releases on a page: the maximum that the service allows.
const PAGE: &str = "100";

/// The release of an application with this version.
pub(crate) async fn find(service: &Service, app: &str, version: &str) -> Result<ReleaseEntry, CliError> {
    let wanted: Version = version.parse().map_err(|_| {
        CliError::usage(format!("`{version}` is not a version: it looks like 1.2.3 or 1.2.3-beta.1"))
    })?;
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

/// How a release is offered. `None`: the service is of an earlier version, without this call.
pub(crate) async fn offers(service: &Service, id: &Id) -> Result<Option<ReleaseBody>, CliError> {
    match service.get(&format!("/releases/{id}")).json().await {
        Ok(release) => Ok(Some(release)),
        Err(CliError::Refused(refusal)) if refusal.status == 404 => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives an order to the rollout of a release.
pub(crate) async fn roll_out(
    service: &Service,
    id: &Id,
    action: &RolloutActionBody,
) -> Result<ReleaseBody, CliError> {
    let path = format!("/releases/{id}/rollout");
    match service.post(&path).body_json(action).json().await {
        Err(CliError::Refused(refusal)) if refusal.is_unknown_path() => Err(earlier_service()),
        answered => answered,
    }
}

/// The error of a service without calls for rollouts.
pub(crate) fn earlier_service() -> CliError {
    CliError::Other(
        "the service is of an earlier version, without calls for rollouts: upgrade it; until then, \
         `spindrift release edit --rollout` sets a percentage"
            .to_owned(),
    )
}

/// Offers a release, or stops offering it.
pub(crate) async fn offer(
    context: &Context,
    app: &str,
    version: &str,
    is_offered: bool,
) -> Result<(), CliError> {
    let service = context.authenticated()?;
    let release = find(&service, app, version).await?;
    let id = release.id.to_string();
    let data = ReleaseUpdateData { id, publish: Some(is_offered), ..ReleaseUpdateData::default() };
    change(&service, &data).await?;
    let state = if is_offered { "offered" } else { "no longer offered" };
    let answer = json!({ "id": release.id, "version": release.version, "published": is_offered });
    context.output.result(&answer, &format!("{app} {version} is {state}"))
}
