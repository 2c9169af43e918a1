//! The scope of checks and beacons.

use spindrift_core::{DeviceId, MAX_CLIENT_GROUPS, OsVersion};

use crate::{Error, GroupKey};

/// The updater that this library is made for.
pub(crate) const MANUAL: &str = "manual";
/// Parameter with the keys of groups.
pub(crate) const GROUP: &str = "group";
/// Parameter with the version of the operating system.
pub(crate) const OS_VERSION: &str = "os_version";

/// The scope and the client of a check. Every text is sent as given, without trimming or
/// conversion.
#[derive(Clone, Default)]
pub struct CheckOptions {
    /// The publisher of the application. Required.
    pub owner: String,
    /// The application. Required.
    pub app_name: String,
    /// The installed version. Required.
    pub version: String,
    /// Release channel; empty if the application uses none.
    pub channel: String,
    /// Operating system, by the owner's name for it; empty if the application uses none.
    pub platform: String,
    /// Processor, by the owner's name for it; empty if the application uses none.
    pub arch: String,
    /// The updater to check for. Empty means `manual`, which this library is made for.
    pub updater: String,
    /// A random identifier of this installed copy, 1-128 printable ASCII characters. It decides about staged
    /// rollouts, and the installed copy is counted by it. `None` or empty: not counted, and outside every
    /// rollout under 100 percent.
    pub device_id: Option<String>,
    /// Keys of groups of testers that this installed copy is in, at most 4. Testers get them from the
    /// publisher, and type them into the application.
    pub groups: Vec<GroupKey>,
    /// The version of the operating system: 1 to 4 numbers separated by dots, such as `10.0.19045`
    /// or `13.6`. `None` or empty: not sent. Then a release that requires certain versions is not
    /// offered, unless its publisher has decided otherwise.
    pub os_version: Option<String>,
    /// Whether the user has just asked for the update. Then a staged rollout that has begun admits
    /// this installed copy, and the edge is not asked.
    pub interactive: bool,
}

impl CheckOptions {
    /// Options with the required fields.
    pub fn new(owner: impl Into<String>, app_name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { owner: owner.into(), app_name: app_name.into(), version: version.into(), ..Self::default() }
    }

    /// Sets channel, platform and architecture.
    #[must_use]
    pub fn with_target(
        mut self,
        channel: impl Into<String>,
        platform: impl Into<String>,
        arch: impl Into<String>,
    ) -> Self {
        self.channel = channel.into();
        self.platform = platform.into();
        self.arch = arch.into();
        self
    }

    /// Sets the device id.
    #[must_use]
    pub fn with_device_id(mut self, device_id: impl Into<String>) -> Self {
        self.device_id = Some(device_id.into());
        self
    }

    /// Sets the keys of groups.
    ///
    /// ```
    /// use spindrift_client::{CheckOptions, GroupKey};
    ///
    /// // The text that the tester has typed.
    /// let key: GroupKey = "grp_00112233445566778899aabbccddeeff".parse()?;
    /// let options = CheckOptions::new("acme", "notes", "1.2.0").with_groups([key]).with_os_version("13.6");
    /// # assert_eq!(options.groups.len(), 1);
    /// # Ok::<(), spindrift_client::InvalidSecret>(())
    /// ```
    #[must_use]
    pub fn with_groups(mut self, groups: impl IntoIterator<Item = GroupKey>) -> Self {
        self.groups = groups.into_iter().collect();
        self
    }

    /// Sets the version of the operating system.
    #[must_use]
    pub fn with_os_version(mut self, os_version: impl Into<String>) -> Self {
        self.os_version = Some(os_version.into());
        self
    }

    /// Sets whether the user has just asked for the update.
    #[must_use]
    pub fn with_interactive(mut self, interactive: bool) -> Self {
        self.interactive = interactive;
        self
    }

    /// The updater to ask the service for.
    pub(crate) fn updater(&self) -> &str {
        if self.updater.is_empty() { MANUAL } else { &self.updater }
    }

    /// The version of the operating system, if it is sent.
    pub(crate) fn said_os_version(&self) -> Option<&str> {
        self.os_version.as_deref().filter(|version| !version.is_empty())
    }

    /// Whether the options set the fact with this name in an answer's `varies_with`. They cannot
    /// set names of later versions.
    pub(crate) fn say(&self, name: &str) -> bool {
        match name {
            GROUP => !self.groups.is_empty(),
            OS_VERSION => self.said_os_version().is_some(),
            _ => false,
        }
    }

    /// The same options without the keys of groups, which must not be shown.
    pub(crate) fn without_groups(&self) -> Self {
        Self { groups: Vec::new(), ..self.clone() }
    }

    /// Checks that the required fields are set, and that the others are valid for the service.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.owner.is_empty() {
            return Err(Error::MissingOwner);
        }
        if self.app_name.is_empty() {
            return Err(Error::MissingAppName);
        }
        if self.version.is_empty() {
            return Err(Error::MissingVersion);
        }
        if self.groups.len() > MAX_CLIENT_GROUPS {
            return Err(Error::TooManyGroups { limit: MAX_CLIENT_GROUPS });
        }
        if self.said_os_version().is_some_and(|version| version.parse::<OsVersion>().is_err()) {
            return Err(Error::InvalidOsVersion);
        }
        Ok(())
    }

    pub(crate) fn device(&self) -> Result<Option<DeviceId>, Error> {
        device(self.device_id.as_deref().unwrap_or_default())
    }
}

/// `None` for an empty text.
pub(crate) fn device(text: &str) -> Result<Option<DeviceId>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| Error::InvalidDeviceId)
}

/// Hides the device id and the keys of groups, because they must not be logged.
impl std::fmt::Debug for CheckOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckOptions")
            .field("owner", &self.owner)
            .field("app_name", &self.app_name)
            .field("version", &self.version)
            .field("channel", &self.channel)
            .field("platform", &self.platform)
            .field("arch", &self.arch)
            .field("updater", &self.updater)
            .field("os_version", &self.os_version)
            .field("interactive", &self.interactive)
            .finish_non_exhaustive()
    }
}
