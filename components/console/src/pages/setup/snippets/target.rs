//! What the configuration is filled in with.

use spindrift_api::AppEntry;

use crate::address::Address;
use crate::catalog::Catalog;
use crate::fields::Fields;

/// What stands in paths for a dimension that the owner does not use.
const UNUSED: &str = "default";

/// An application on a channel, a platform and an architecture, as far as the owner uses them.
#[derive(Debug, Clone, Default)]
pub(super) struct Target {
    pub(super) api_url: String,
    pub(super) owner: String,
    pub(super) app: String,
    pub(super) channel: Option<String>,
    pub(super) platform: Option<String>,
    pub(super) arch: Option<String>,
    /// Whether clients take only what was signed.
    pub(super) tuf: bool,
    /// Whether its files are private.
    pub(super) private: bool,
}

impl Target {
    /// What was chosen; where nothing was, the first.
    pub(super) fn of(api_url: &str, owner: &str, app: &AppEntry, catalog: &Catalog, chosen: &Fields) -> Self {
        let one_of = |field: &str, names: Vec<(&spindrift_core::Id, &str)>| {
            let names: Vec<&str> = names.into_iter().map(|(_, name)| name).collect();
            let chosen = names.iter().find(|name| **name == chosen.one(field)).or(names.first());
            chosen.map(|name| (*name).to_owned())
        };
        Self {
            api_url: api_url.to_owned(),
            owner: owner.to_owned(),
            app: app.app_name.clone(),
            channel: one_of("channel", catalog.channel_names()),
            platform: one_of("platform", catalog.platform_names()),
            arch: one_of("arch", catalog.arch_names()),
            tuf: app.tuf,
            private: app.private,
        }
    }

    /// The address below which a copy's feed is, up to its version: without the last slash.
    pub(super) fn feed(&self) -> String {
        let address = self.scope_of_feed();
        let address = [&self.platform, &self.arch]
            .into_iter()
            .fold(address, |address, name| address.then(segment(name.as_deref())));
        format!("{}{address}", self.api_url)
    }

    /// The address of a feed up to its channel.
    pub(super) fn feed_of_channel(&self) -> String {
        format!("{}{}", self.api_url, self.scope_of_feed())
    }

    fn scope_of_feed(&self) -> Address {
        Address::call("/update").then(&self.owner).then(&self.app).then(segment(self.channel.as_deref()))
    }

    /// Velopack's own address, for all channels and versions.
    pub(super) fn velopack(&self) -> String {
        let address = Address::call("/velopack").then(&self.owner).then(&self.app);
        format!(
            "{}{}",
            self.api_url,
            address.then(segment(self.platform.as_deref())).then(segment(self.arch.as_deref()))
        )
    }

    /// The name of the channel in Velopack's addresses.
    pub(super) fn channel_in_paths(&self) -> &str {
        segment(self.channel.as_deref())
    }
}

/// The name of a dimension in paths.
fn segment(name: Option<&str>) -> &str {
    name.unwrap_or(UNUSED)
}
