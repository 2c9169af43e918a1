//! The addresses that installed copies request, for each updater, as in `docs/api/feeds.md`.

use spindrift_core::Updater;

use crate::Address;

/// Stands in paths for a dimension that the owner does not use.
const UNUSED: &str = "default";
/// Tauri's names for platforms and architectures.
const TAURI_PLATFORMS: [&str; 3] = ["linux", "windows", "darwin"];
const TAURI_ARCHS: [&str; 5] = ["x86_64", "aarch64", "i686", "armv7", "riscv64"];

/// The scope of an installed copy: an application, and the channel, platform and architecture that
/// the owner uses.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientScope {
    pub(crate) api_url: String,
    pub(crate) owner: String,
    pub(crate) app: String,
    pub(crate) channel: Option<String>,
    pub(crate) platform: Option<String>,
    pub(crate) arch: Option<String>,
}

impl ClientScope {
    /// The address for an updater's configuration. `version`: the placeholder with which its
    /// configuration refers to the running version.
    pub(crate) fn address(&self, updater: Updater, version: &str) -> String {
        match updater {
            Updater::Manual => format!("{}&version={version}", self.check()),
            Updater::SquirrelWindows | Updater::ElectronBuilder => format!("{}/{version}/", self.feed()),
            Updater::SquirrelDarwin => format!("{}/{version}/squirrel.json", self.feed()),
            Updater::Sparkle => format!("{}/{version}/appcast.xml", self.feed()),
            Updater::Tauri => self.tauri(),
            Updater::Velopack => self.velopack(),
        }
    }

    /// The base address of a copy's feed, up to the version and without a final slash.
    pub(crate) fn feed(&self) -> String {
        let address = [&self.platform, &self.arch]
            .into_iter()
            .fold(self.scope_of_feed(), |address, name| address.with_segment(segment(name.as_deref())));
        format!("{}{address}", self.api_url)
    }

    fn check(&self) -> String {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        let call = Address::call("/checkVersion")
            .with("app_name", &self.app)
            .with("owner", &self.owner)
            .with("channel", name(&self.channel))
            .with("platform", name(&self.platform))
            .with("arch", name(&self.arch));
        format!("{}{call}", self.api_url)
    }

    /// If the owner's names are Tauri's, one configuration serves all platforms.
    fn tauri(&self) -> String {
        let as_tauri = |own: &Option<String>, names: &[&str], placeholder: &str| {
            let own = segment(own.as_deref());
            if names.contains(&own) { placeholder.to_owned() } else { own.to_owned() }
        };
        let platform = as_tauri(&self.platform, &TAURI_PLATFORMS, "{{target}}");
        let arch = as_tauri(&self.arch, &TAURI_ARCHS, "{{arch}}");
        format!(
            "{}{}/{platform}/{arch}/{{{{current_version}}}}/tauri.json?bundle_type={{{{bundle_type}}}}",
            self.api_url,
            self.scope_of_feed()
        )
    }

    /// The address for Velopack, the same for all versions.
    fn velopack(&self) -> String {
        let address = Address::call("/velopack").with_segment(&self.owner).with_segment(&self.app);
        let address = address.with_segment(segment(self.channel.as_deref()));
        let address = address
            .with_segment(segment(self.platform.as_deref()))
            .with_segment(segment(self.arch.as_deref()));
        format!("{}{address}", self.api_url)
    }

    fn scope_of_feed(&self) -> Address {
        Address::call("/update")
            .with_segment(&self.owner)
            .with_segment(&self.app)
            .with_segment(segment(self.channel.as_deref()))
    }
}

/// A dimension as a path segment.
fn segment(name: Option<&str>) -> &str {
    name.unwrap_or(UNUSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(platform: Option<&str>, arch: Option<&str>) -> ClientScope {
        ClientScope {
            api_url: "https://u.example".to_owned(),
            owner: "acme".to_owned(),
            app: "My App".to_owned(),
            channel: Some("stable".to_owned()),
            platform: platform.map(ToOwned::to_owned),
            arch: arch.map(ToOwned::to_owned),
        }
    }

    #[test]
    fn addresses_are_those_of_the_documentation() {
        let base = "https://u.example/update/acme/My%20App/stable/mac/default/{version}/";
        for (updater, expected) in [
            (
                Updater::Manual,
                "https://u.example/checkVersion?app_name=My%20App&owner=acme&channel=stable&platform=mac\
                 &version={version}"
                    .to_owned(),
            ),
            (Updater::SquirrelWindows, base.to_owned()),
            (Updater::ElectronBuilder, base.to_owned()),
            (Updater::Velopack, "https://u.example/velopack/acme/My%20App/stable/mac/default".to_owned()),
            (Updater::SquirrelDarwin, format!("{base}squirrel.json")),
            (Updater::Sparkle, format!("{base}appcast.xml")),
        ] {
            assert_eq!(place(Some("mac"), None).address(updater, "{version}"), expected, "{updater}");
        }
    }

    /// Tauri fills in its own names, so other names are written out.
    #[test]
    fn tauri_asks_for_existing_names() {
        for (platform, arch, expected) in [
            (Some("darwin"), Some("aarch64"), "{{target}}/{{arch}}"),
            (Some("mac"), Some("amd64"), "mac/amd64"),
            (Some("linux"), Some("amd64"), "{{target}}/amd64"),
            (None, None, "default/default"),
        ] {
            let address = place(platform, arch).address(Updater::Tauri, "{version}");
            let end = "{{current_version}}/tauri.json?bundle_type={{bundle_type}}";
            assert_eq!(address, format!("https://u.example/update/acme/My%20App/stable/{expected}/{end}"));
        }
    }
}
