//! The owner's applications, channels, platforms and architectures that the visitor may see.

use spindrift_api::{
    AppEntry, AppsBody, ArchEntry, ArchsBody, ChannelEntry, ChannelsBody, PlatformEntry, PlatformsBody,
};
use spindrift_core::Id;

use crate::{Address, ConsoleError, Context, Result};

const APPS: &str = "/app/list";

/// The call for all applications, without their descriptions.
pub(crate) fn brief_apps() -> Address {
    Address::call(APPS).with("description", false)
}

/// The application with this name.
pub(crate) async fn app_named(context: &Context<'_>, name: &str) -> Result<AppEntry> {
    let body: AppsBody = context.service.get(&Address::call(APPS).with("app_name", name)).await?;
    body.apps.into_iter().find(|app| app.app_name == name).ok_or(ConsoleError::NoPage)
}

/// The application with this id, if it exists.
pub(crate) async fn app_with_id(context: &Context<'_>, id: &str) -> Result<Option<AppEntry>> {
    let body: AppsBody = context.service.get(&Address::call(APPS).with("id", id)).await?;
    Ok(body.apps.into_iter().find(|app| app.id.as_str() == id))
}

/// Applications, channels, platforms and architectures, by name.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) apps: Vec<AppEntry>,
    pub(crate) channels: Vec<ChannelEntry>,
    pub(crate) platforms: Vec<PlatformEntry>,
    pub(crate) archs: Vec<ArchEntry>,
}

impl Catalog {
    /// Loads everything. Omits descriptions of applications, which may be long.
    pub(crate) async fn load(context: &Context<'_>) -> Result<Self> {
        Self::with(context, brief_apps()).await
    }

    /// Loads everything, including descriptions.
    pub(crate) async fn load_described(context: &Context<'_>) -> Result<Self> {
        Self::with(context, Address::call(APPS)).await
    }

    /// Loads only this application, and everything else.
    pub(crate) async fn load_for(context: &Context<'_>, app: &str) -> Result<Self> {
        Self::with(context, Address::call(APPS).with("app_name", app)).await
    }

    async fn with(context: &Context<'_>, apps: Address) -> Result<Self> {
        let [channels, platforms, archs] =
            ["/channel/list", "/platform/list", "/arch/list"].map(Address::call);
        let (apps, channels, platforms, archs) = futures::join!(
            context.service.get::<AppsBody>(&apps),
            context.service.get::<ChannelsBody>(&channels),
            context.service.get::<PlatformsBody>(&platforms),
            context.service.get::<ArchsBody>(&archs),
        );
        Ok(Self {
            apps: apps?.apps,
            channels: channels?.channels,
            platforms: platforms?.platforms,
            archs: archs?.archs,
        })
    }

    pub(crate) fn app(&self, id: &str) -> Result<&AppEntry> {
        self.apps.iter().find(|app| app.id.as_str() == id).ok_or(ConsoleError::NoPage)
    }

    pub(crate) fn app_named(&self, name: &str) -> Result<&AppEntry> {
        self.apps.iter().find(|app| app.app_name == name).ok_or(ConsoleError::NoPage)
    }

    pub(crate) fn app_names(&self) -> Vec<(&Id, &str)> {
        self.apps.iter().map(|app| (&app.id, app.app_name.as_str())).collect()
    }

    pub(crate) fn channel_names(&self) -> Vec<(&Id, &str)> {
        self.channels.iter().map(|channel| (&channel.id, channel.channel_name.as_str())).collect()
    }

    pub(crate) fn platform_names(&self) -> Vec<(&Id, &str)> {
        self.platforms.iter().map(|platform| (&platform.id, platform.platform_name.as_str())).collect()
    }

    pub(crate) fn arch_names(&self) -> Vec<(&Id, &str)> {
        self.archs.iter().map(|arch| (&arch.id, arch.arch_name.as_str())).collect()
    }
}
