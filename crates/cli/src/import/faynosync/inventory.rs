//! Reads all data of the old server.

use std::collections::BTreeSet;

use super::server::FaynoSyncServer;
use super::wire::{
    FaynoSyncApp, FaynoSyncApps, FaynoSyncArch, FaynoSyncArchs, FaynoSyncChannel, FaynoSyncChannels,
    FaynoSyncPlatform, FaynoSyncPlatforms, FaynoSyncRelease, FaynoSyncReleases, FaynoSyncReportKey,
    FaynoSyncReportKeys, FaynoSyncToken, FaynoSyncTokens, FaynoSyncUser, FaynoSyncUsers,
};
use crate::error::CliError;
use crate::exit;

const PAGE: &str = "100";
/// Maximum number of releases of one application. The import fails if a server lists more.
const MAX_RELEASES: usize = 100_000;
/// Maximum number of entries in a list of the old server. Its lists have no further pages.
pub(super) const MAX_LISTED: usize = 100;

/// All data of the old server.
#[derive(Debug)]
pub(super) struct Inventory {
    pub(super) channels: Vec<FaynoSyncChannel>,
    pub(super) platforms: Vec<FaynoSyncPlatform>,
    pub(super) archs: Vec<FaynoSyncArch>,
    /// All applications, including unselected ones, which permissions may name.
    pub(super) all_apps: Vec<FaynoSyncApp>,
    /// The selected applications, with their releases.
    pub(super) apps: Vec<(FaynoSyncApp, Vec<FaynoSyncRelease>)>,
    pub(super) report_keys: Vec<FaynoSyncReportKey>,
    pub(super) users: Vec<FaynoSyncUser>,
    pub(super) tokens: Vec<FaynoSyncToken>,
}

impl Inventory {
    /// `only`: the applications to read. Empty: all.
    pub(super) async fn read(server: &FaynoSyncServer, only: &[String]) -> Result<Self, CliError> {
        let FaynoSyncChannels { channels } = server.get("/channel/list", &[]).await?;
        let FaynoSyncPlatforms { platforms } = server.get("/platform/list", &[]).await?;
        let FaynoSyncArchs { archs } = server.get("/arch/list", &[]).await?;
        let FaynoSyncApps { apps: all_apps } = server.get("/app/list", &[]).await?;
        if let Some(name) = only.iter().find(|name| !all_apps.iter().any(|app| app.name == **name)) {
            return Err(
                server.error(&format!("there is no application `{name}`: check --app"), exit::NOT_FOUND)
            );
        }
        let is_wanted = |app: &&FaynoSyncApp| only.is_empty() || only.contains(&app.name);
        let mut apps = Vec::new();
        for app in all_apps.iter().filter(is_wanted) {
            apps.push((app.clone(), releases(server, &app.name).await?));
        }
        let keys: Option<FaynoSyncReportKeys> = server.get_if_supported("/report-keys/list").await?;
        let users: Option<FaynoSyncUsers> = server.get_if_supported("/users/list").await?;
        let tokens: Option<FaynoSyncTokens> = server.get_if_supported("/token/list").await?;
        Ok(Self {
            channels,
            platforms,
            archs,
            all_apps,
            apps,
            report_keys: keys.unwrap_or_default().report_keys,
            users: users.unwrap_or_default().users,
            tokens: tokens.unwrap_or_default().tokens,
        })
    }
}

/// All releases of an application. Stops at a page without new releases, even if the server claims
/// that there are more.
async fn releases(server: &FaynoSyncServer, app: &str) -> Result<Vec<FaynoSyncRelease>, CliError> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for page in 1_u32.. {
        let query = [("app_name", app), ("limit", PAGE), ("page", &page.to_string())];
        let FaynoSyncReleases { items, total } = server.get("/search", &query).await?;
        let before = all.len();
        all.extend(items.into_iter().filter(|release| seen.insert(release.id.clone())));
        if all.len() > MAX_RELEASES {
            let reason = format!("lists more than {MAX_RELEASES} releases of `{app}`");
            return Err(server.error(&reason, exit::UNAVAILABLE));
        }
        if all.len() as u64 >= total {
            break;
        }
        if all.len() == before {
            let reason = format!("lists {} of {total} releases of `{app}`: run this again", all.len());
            return Err(server.error(&reason, exit::UNAVAILABLE));
        }
    }
    Ok(all)
}
