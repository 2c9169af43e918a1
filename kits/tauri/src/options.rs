//! The options of the kit.

use spindrift_client::GroupKey;
use tauri::Url;

/// The most keys of groups that a request has.
const MAX_GROUP_KEYS: usize = 4;
/// Where macOS keeps the version of the product. Kernels have other numbers.
const MAC_VERSION_FILE: &str = "/System/Library/CoreServices/SystemVersion.plist";
/// The channel of requests and reports of an application without channels.
const NO_CHANNEL: &str = "default";

/// The options of [`init`](crate::init).
#[derive(Clone)]
pub struct Options {
    pub(crate) url: String,
    pub(crate) owner: String,
    pub(crate) app: String,
    pub(crate) channel: String,
    pub(crate) platform: Option<String>,
    pub(crate) arch: Option<String>,
    pub(crate) report_key: Option<String>,
    pub(crate) download_token: Option<String>,
    pub(crate) groups: Vec<String>,
    pub(crate) os_version: Option<String>,
    pub(crate) enabled: bool,
    pub(crate) says_when_started: bool,
}

impl Options {
    /// The URL of the service, the owner and the application.
    pub fn new(url: impl Into<String>, owner: impl Into<String>, app: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            owner: owner.into(),
            app: app.into(),
            channel: NO_CHANNEL.into(),
            platform: None,
            arch: None,
            report_key: None,
            download_token: None,
            groups: Vec::new(),
            os_version: system_version(),
            enabled: true,
            says_when_started: false,
        }
    }

    /// The channel. Leave it out for applications without channels.
    #[must_use]
    pub fn channel(mut self, channel: impl Into<String>) -> Self {
        self.channel = Some(channel.into()).filter(|name| !name.is_empty()).unwrap_or(self.channel);
        self
    }

    /// The platform, in place of Tauri's name for it: `linux`, `windows` or `darwin`.
    #[must_use]
    pub fn platform(mut self, platform: impl Into<String>) -> Self {
        self.platform = Some(platform.into());
        self
    }

    /// The architecture, in place of Tauri's name for it, such as `x86_64` or `aarch64`.
    #[must_use]
    pub fn arch(mut self, arch: impl Into<String>) -> Self {
        self.arch = Some(arch.into());
        self
    }

    /// The report key of the application. Without it, no failures are noticed or reported.
    #[must_use]
    pub fn report_key(mut self, report_key: impl Into<String>) -> Self {
        self.report_key = Some(report_key.into());
        self
    }

    /// The download token of a private application.
    #[must_use]
    pub fn download_token(mut self, token: impl Into<String>) -> Self {
        self.download_token = Some(token.into());
        self
    }

    /// Adds the key of a group of testers, as the tester has typed it. Invalid keys and those after the fourth
    /// are not sent.
    #[must_use]
    pub fn group(mut self, key: impl AsRef<str>) -> Self {
        let key = key.as_ref();
        if key.parse::<GroupKey>().is_ok() && self.groups.len() < MAX_GROUP_KEYS {
            self.groups.push(key.trim().to_ascii_lowercase());
        }
        self
    }

    /// The version of the operating system: 1 to 4 numbers, such as `13.6`. By default that of macOS or Windows;
    /// on Linux, it is sent only if it is given here.
    #[must_use]
    pub fn os_version(mut self, version: impl Into<String>) -> Self {
        self.os_version = Some(version.into());
        self
    }

    /// `false`: nothing is written or sent until [`set_enabled`](crate::Spindrift::set_enabled).
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Whether the application calls [`started`](crate::Spindrift::started). Then a run that ends before is a
    /// failed start, and otherwise a crash.
    #[must_use]
    pub fn says_when_started(mut self, says_when_started: bool) -> Self {
        self.says_when_started = says_when_started;
        self
    }

    /// The URL of checks, with the braces that the updater fills in. The error names the first invalid option.
    pub(crate) fn endpoint(&self) -> Result<Url, &'static str> {
        const INVALID: &str = "url is invalid";
        for (name, problem) in [(&self.owner, "owner is missing"), (&self.app, "app is missing")] {
            if name.is_empty() {
                return Err(problem);
            }
        }
        let mut url: Url = self.url.parse().map_err(|_| INVALID)?;
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() || url.fragment().is_some() {
            return Err(INVALID);
        }
        let platform = self.platform.as_deref().unwrap_or("{{target}}");
        let arch = self.arch.as_deref().unwrap_or("{{arch}}");
        let place = [&self.owner, &self.app, &self.channel, platform, arch];
        url.path_segments_mut()
            .map_err(|()| INVALID)?
            .pop_if_empty()
            .push("update")
            .extend(place)
            .extend(["{{current_version}}", "tauri.json"]);
        url.set_query(Some("bundle_type={{bundle_type}}"));
        if let Some(token) = &self.download_token {
            url.query_pairs_mut().append_pair("download_token", token);
        }
        Ok(url)
    }
}

/// The version of the product. Linux has none that applications could rely on.
fn system_version() -> Option<String> {
    if cfg!(target_os = "macos") {
        return product_version(&std::fs::read_to_string(MAC_VERSION_FILE).ok()?);
    }
    #[cfg(windows)]
    {
        let version = windows_version::OsVersion::current();
        Some(format!("{}.{}.{}", version.major, version.minor, version.build))
    }
    #[cfg(not(windows))]
    None
}

/// The version in macOS's file.
fn product_version(plist: &str) -> Option<String> {
    let (_, rest) = plist.split_once("<key>ProductVersion</key>")?;
    let (_, rest) = rest.split_once("<string>")?;
    Some(rest.split_once("</string>")?.0.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_of_macos() {
        let plist = "<dict><key>ProductName</key><string>macOS</string>
            <key>ProductVersion</key>\n<string>13.6</string></dict>";
        assert_eq!(super::product_version(plist).as_deref(), Some("13.6"));
        assert_eq!(super::product_version("<dict></dict>"), None);
    }
}
