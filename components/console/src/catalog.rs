//! What an owner has, as far as the visitor may see it.

use spindrift_api::{
    AppEntry, AppsBody, ArchEntry, ArchsBody, ChannelEntry, ChannelsBody, PlatformEntry, PlatformsBody,
};
use spindrift_core::Id;
use spindrift_service::Ports;

use crate::address::Address;
use crate::context::Context;
use crate::error::ConsoleError;

/// Applications, channels, platforms and architectures, by name.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) apps: Vec<AppEntry>,
    pub(crate) channels: Vec<ChannelEntry>,
    pub(crate) platforms: Vec<PlatformEntry>,
    pub(crate) archs: Vec<ArchEntry>,
}

impl Catalog {
    pub(crate) async fn load<P: Ports>(context: &Context<'_, P>) -> Result<Self, ConsoleError> {
        let [apps, channels, platforms, archs] =
            ["/app/list", "/channel/list", "/platform/list", "/arch/list"].map(Address::call);
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

    /// The application with this id.
    pub(crate) fn app(&self, id: &str) -> Result<&AppEntry, ConsoleError> {
        self.apps.iter().find(|app| app.id.as_str() == id).ok_or(ConsoleError::NoPage)
    }

    /// The application with this name.
    pub(crate) fn app_named(&self, name: &str) -> Result<&AppEntry, ConsoleError> {
        self.apps.iter().find(|app| app.app_name == name).ok_or(ConsoleError::NoPage)
    }

    /// The ids and names of applications.
    pub(crate) fn app_names(&self) -> Vec<(&Id, &str)> {
        self.apps.iter().map(|app| (&app.id, app.app_name.as_str())).collect()
    }

    /// The ids and names of channels.
    pub(crate) fn channel_names(&self) -> Vec<(&Id, &str)> {
        self.channels.iter().map(|channel| (&channel.id, channel.channel_name.as_str())).collect()
    }

    /// The ids and names of platforms.
    pub(crate) fn platform_names(&self) -> Vec<(&Id, &str)> {
        self.platforms.iter().map(|platform| (&platform.id, platform.platform_name.as_str())).collect()
    }

    /// The ids and names of architectures.
    pub(crate) fn arch_names(&self) -> Vec<(&Id, &str)> {
        self.archs.iter().map(|arch| (&arch.id, arch.arch_name.as_str())).collect()
    }
}
