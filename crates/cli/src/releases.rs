//! Finding releases: people know versions, calls want identifiers.

use serde_json::{Value, json};
use spindrift_core::Version;

use crate::error::CliError;
use crate::output::{list, text};
use crate::service::Service;

/// Releases of one page, the most that the service gives.
const PAGE: &str = "100";

/// The release of an application with this version.
pub(crate) async fn find(service: &Service, app: &str, version: &str) -> Result<Value, CliError> {
    let wanted: Version = version.parse().map_err(|_| {
        CliError::usage(format!("`{version}` is no version: it looks like 1.2.3 or 1.2.3-beta.1"))
    })?;
    let mut seen = 0;
    for page in 1_u32.. {
        let found = service
            .get("/search")
            .query(&[("app_name", app), ("limit", PAGE), ("page", &page.to_string())])
            .json()
            .await?;
        let items = list(&found, "items");
        let is_wanted = |item: &&Value| text(item, "Version").parse::<Version>().is_ok_and(|v| v == wanted);
        if let Some(item) = items.iter().find(is_wanted) {
            return Ok(item.clone());
        }
        seen += items.len() as u64;
        if items.is_empty() || seen >= found["total"].as_u64().unwrap_or(0) {
            break;
        }
    }
    Err(CliError::NotFound(format!(
        "there is no release {version} of `{app}`: `spindrift releases --app {app}` shows what there is"
    )))
}

/// Changes how a release is offered.
pub(crate) async fn change(service: &Service, release: &Value, mut data: Value) -> Result<Value, CliError> {
    data["id"] = json!(text(release, "ID"));
    service.post_data("/apps/update", &data).await
}
