//! The existing data of this service.

use std::collections::BTreeMap;

use spindrift_api::{
    AppEntry, AppsBody, ArchEntry, ArchsBody, ChannelEntry, ChannelsBody, PlatformEntry, PlatformsBody,
    ReleaseEntry, ReportKeyEntry, ReportKeysBody, SearchBody, UserEntry, UsersBody, WhoamiBody,
};
use spindrift_core::{AppName, ArchName, ChannelName, PlatformName, Scope, UserName};

use super::names::ItemNames;
use crate::commands::catalog::{self, CatalogEntry};
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;

/// Page size: the maximum that the service allows.
const PAGE: &str = "100";

/// The existing data of this service.
pub(super) struct ServiceData {
    pub(super) service: Service,
    pub(super) owner: UserName,
    pub(super) channels: Vec<ChannelEntry>,
    pub(super) platforms: Vec<PlatformEntry>,
    pub(super) archs: Vec<ArchEntry>,
    pub(super) apps: Vec<AppEntry>,
    pub(super) report_keys: Vec<ReportKeyEntry>,
    pub(super) users: Vec<UserEntry>,
    /// All releases by application.
    pub(super) releases: BTreeMap<String, Vec<ReleaseEntry>>,
}

impl ServiceData {
    /// Reads everything. Requires an admin, because only an admin can create everything.
    pub(super) async fn read(context: &Context) -> Result<Self, CliError> {
        let service = context.authenticated()?;
        let me: WhoamiBody = service.get("/whoami").json().await?;
        if !me.is_admin {
            return Err(CliError::usage(format!(
                "{} is a team user: log in as the admin who will own the applications",
                me.username
            )));
        }
        let owner =
            me.username.parse().map_err(|error| CliError::Other(format!("{}: {error}", me.username)))?;
        let ChannelsBody { channels } = catalog::list::<ChannelEntry>(&service).await?;
        let PlatformsBody { platforms } = catalog::list::<PlatformEntry>(&service).await?;
        let ArchsBody { archs } = catalog::list::<ArchEntry>(&service).await?;
        let AppsBody { apps } = catalog::list::<AppEntry>(&service).await?;
        let ReportKeysBody { report_keys } = service.get("/report-keys/list").json().await?;
        let UsersBody { users, .. } = service.get("/users/list").json().await?;
        let mut releases = BTreeMap::new();
        for app in &apps {
            let _ = releases.insert(app.app_name.clone(), releases_of(&service, &app.app_name).await?);
        }
        Ok(Self { service, owner, channels, platforms, archs, apps, report_keys, users, releases })
    }

    /// The names of items by id.
    pub(super) fn names(&self) -> ItemNames {
        by_id(&self.apps, &self.channels, &self.platforms, &self.archs)
    }

    /// Whether this service has releases of an application.
    pub(super) fn has_releases(&self, app: &str) -> bool {
        self.releases.get(app).is_some_and(|releases| !releases.is_empty())
    }

    /// The scope with these names. An empty name is an unused dimension.
    pub(super) fn scope(&self, app: &AppName, channel: &str, platform: &str, arch: &str) -> Scope {
        Scope {
            owner: self.owner.clone(),
            app: app.clone(),
            channel: channel.parse::<ChannelName>().ok(),
            platform: platform.parse::<PlatformName>().ok(),
            arch: arch.parse::<ArchName>().ok(),
        }
    }
}

/// Fetches the current names by id.
pub(super) async fn names(service: &Service) -> Result<ItemNames, CliError> {
    let AppsBody { apps } = catalog::list::<AppEntry>(service).await?;
    let ChannelsBody { channels } = catalog::list::<ChannelEntry>(service).await?;
    let PlatformsBody { platforms } = catalog::list::<PlatformEntry>(service).await?;
    let ArchsBody { archs } = catalog::list::<ArchEntry>(service).await?;
    Ok(by_id(&apps, &channels, &platforms, &archs))
}

fn by_id(
    apps: &[AppEntry],
    channels: &[ChannelEntry],
    platforms: &[PlatformEntry],
    archs: &[ArchEntry],
) -> ItemNames {
    fn all<E: CatalogEntry>(entries: &[E]) -> BTreeMap<String, String> {
        entries.iter().map(|entry| (entry.id().to_string(), entry.name().to_owned())).collect()
    }
    ItemNames { apps: all(apps), channels: all(channels), platforms: all(platforms), archs: all(archs) }
}

async fn releases_of(service: &Service, app: &str) -> Result<Vec<ReleaseEntry>, CliError> {
    let mut all: Vec<ReleaseEntry> = Vec::new();
    for page in 1_u32.. {
        let query = [("app_name", app), ("limit", PAGE), ("page", &page.to_string())];
        let found: SearchBody = service.get("/search").query(&query).json().await?;
        let is_last = found.items.is_empty();
        all.extend(found.items);
        if is_last || all.len() as u64 >= found.total {
            break;
        }
    }
    Ok(all)
}
