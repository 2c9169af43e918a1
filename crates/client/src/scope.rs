//! The scope that checks and beacons ask about.

use spindrift_core::DeviceId;

use crate::Error;

/// The updater that this library is made for.
pub(crate) const MANUAL: &str = "manual";

/// The scope and client to ask for. Every text is sent as given, without trimming or conversion.
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
    /// The updater to ask for; empty means `manual`, which this library is made for.
    pub updater: String,
    /// A random identifier of this installed copy, 1-128 printable ASCII characters. It decides about staged rollouts,
    /// and the installed copy is counted by it. `None` or empty: not counted, and outside every rollout under 100
    /// percent.
    pub device_id: Option<String>,
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

    /// The updater to ask the service for.
    pub(crate) fn updater(&self) -> &str {
        if self.updater.is_empty() { MANUAL } else { &self.updater }
    }

    /// Checks that the required fields are set.
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

/// Hides the device id, because it must not be logged.
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
            .finish_non_exhaustive()
    }
}
