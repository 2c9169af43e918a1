//! Finding releases: people use versions, calls need ids.

use spindrift_api::{ReleaseEntry, ReleaseUpdateData, ReleaseUpdatedBody, SearchBody};
use spindrift_core::Version;

use crate::error::CliError;
use crate::service::Service;

/// Releases on a page: the maximum that the service allows.
const PAGE: &str = "100";

/// The release of an application with this version.
pub(crate) async fn find(service: &Service, app: &str, version: &str) -> Result<ReleaseEntry, CliError> {
    let wanted: Version = version.parse().map_err(|_| {
        CliError::usage(format!("`{version}` is no version: it looks like 1.2.3 or 1.2.3-beta.1"))
    })?;
    let mut seen = 0;
    for page in 1_u32.. {
        let query = [("app_name", app), ("limit", PAGE), ("page", &page.to_string())];
        let found: SearchBody = service.get("/search").query(&query).json().await?;
        let count = found.items.len() as u64;
        let is_wanted = |item: &ReleaseEntry| item.version.parse::<Version>().is_ok_and(|v| v == wanted);
        if let Some(item) = found.items.into_iter().find(is_wanted) {
            return Ok(item);
        }
        seen += count;
        if count == 0 || seen >= found.total {
            break;
        }
    }
    Err(CliError::NotFound(format!(
        "there is no release {version} of `{app}`: `spindrift releases --app {app}` shows what there is"
    )))
}

/// Changes the properties of a release.
pub(crate) async fn change(service: &Service, data: &ReleaseUpdateData) -> Result<(), CliError> {
    let _: ReleaseUpdatedBody = service.post_data("/apps/update", data).await?;
    Ok(())
}
