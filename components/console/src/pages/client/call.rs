//! The call that a client makes.

use http::{HeaderName, HeaderValue, Method};
use spindrift_core::{DeviceId, Scope, Updater, Version};

use crate::{Address, Context, Result, ServiceAnswer};

const DEVICE: HeaderName = HeaderName::from_static("x-device-id");

#[derive(Debug, Clone)]
pub(super) struct ExplainedClient {
    pub(super) scope: Scope,
    pub(super) version: Version,
    pub(super) device: Option<DeviceId>,
    /// Further parameters.
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) updater: Updater,
}

impl ExplainedClient {
    /// Channel, platform and architecture. Empty: the client names none.
    fn place(&self) -> [&str; 3] {
        self.scope.dimensions().map(Option::unwrap_or_default)
    }
}

/// A check, or the request of a feed.
pub(super) struct ClientCall {
    pub(super) address: Address,
    pub(super) device: Option<HeaderValue>,
}

impl ClientCall {
    pub(super) fn of(client: &ExplainedClient) -> Self {
        let device = client.device.as_ref();
        let device = device.and_then(|device| HeaderValue::try_from(device.expose()).ok());
        let address = feed(client).map_or_else(
            || check(client),
            |file| {
                let scope = client.scope.segments().into_iter();
                let segments = scope.chain([client.version.as_str(), file]);
                segments.fold(Address::call("/update"), Address::with_segment)
            },
        );
        let facts = client.facts.iter();
        let address = facts.fold(address, |address, (name, value)| address.with(name, value));
        Self { address, device }
    }

    /// Makes the call like a client, without a login.
    pub(super) async fn send(&self, context: &Context<'_>) -> Result<ServiceAnswer> {
        let headers: Vec<_> = self.device.clone().map(|device| (DEVICE, device)).into_iter().collect();
        context.service.with_token(None).ask(Method::GET, &self.address, None, &headers).await
    }
}

fn check(client: &ExplainedClient) -> Address {
    let [channel, platform, arch] = client.place();
    Address::call("/checkVersion")
        .with("app_name", &client.scope.app)
        .with("owner", &client.scope.owner)
        .with("version", &client.version)
        .with("channel", channel)
        .with("platform", platform)
        .with("arch", arch)
        .with("updater", client.updater)
}

/// The feed that the updater's clients request. `None`: they check instead.
fn feed(client: &ExplainedClient) -> Option<&'static str> {
    let [_, platform, _] = client.place();
    let platform = platform.to_ascii_lowercase();
    let is_mac = ["mac", "darwin", "osx"].iter().any(|name| platform.contains(name));
    let is_linux = platform.contains("linux");
    match client.updater {
        Updater::Manual => None,
        Updater::SquirrelWindows => Some("RELEASES"),
        Updater::SquirrelDarwin => Some("squirrel.json"),
        Updater::Tauri => Some("tauri.json"),
        Updater::Sparkle => Some("appcast.xml"),
        Updater::ElectronBuilder if is_mac => Some("latest-mac.yml"),
        Updater::ElectronBuilder if is_linux => Some("latest-linux.yml"),
        Updater::ElectronBuilder => Some("latest.yml"),
        Updater::Velopack if is_mac => Some("releases.osx.json"),
        Updater::Velopack if is_linux => Some("releases.linux.json"),
        Updater::Velopack => Some("releases.win.json"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_updater_asks_its_own_way() {
        let scope = |platform: &str| Scope {
            owner: "acme".parse().unwrap(),
            app: "My App".parse().unwrap(),
            channel: Some("stable".parse().unwrap()),
            platform: Some(platform.parse().unwrap()),
            arch: None,
        };
        let client = |updater, platform: &str| ExplainedClient {
            scope: scope(platform),
            version: "1.0.0+1".parse().unwrap(),
            device: Some("d 1".parse().unwrap()),
            facts: Vec::new(),
            updater,
        };
        let address = |updater, platform| ClientCall::of(&client(updater, platform)).address.to_string();
        assert_eq!(
            address(Updater::Manual, "linux"),
            "/checkVersion?app_name=My%20App&owner=acme&version=1.0.0%2B1&channel=stable&platform=linux&updater=manual"
        );
        for (updater, platform, file) in [
            (Updater::SquirrelWindows, "windows", "RELEASES"),
            (Updater::ElectronBuilder, "macOS", "latest-mac.yml"),
            (Updater::Velopack, "linux", "releases.linux.json"),
            (Updater::Tauri, "darwin", "tauri.json"),
        ] {
            let expected = format!("/update/acme/My%20App/stable/{platform}/default/1.0.0%2B1/{file}");
            assert_eq!(address(updater, platform), expected);
        }
        assert_eq!(ClientCall::of(&client(Updater::Manual, "linux")).device.unwrap(), "d 1");
        let old = ExplainedClient {
            facts: vec![("os_version", "13.6".to_owned())],
            ..client(Updater::Tauri, "darwin")
        };
        assert!(ClientCall::of(&old).address.to_string().ends_with("/tauri.json?os_version=13.6"));
    }
}
