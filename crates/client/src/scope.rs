//! Which application, where: what a check and a beacon ask about.

use spindrift_core::DeviceId;

use crate::Error;

/// The updater whose answers this library is made for.
pub(crate) const MANUAL: &str = "manual";

/// What to ask about. Every text is sent as given: nothing is trimmed, changed in case or translated.
#[derive(Clone, Default)]
pub struct CheckOptions {
    /// Who publishes the application. Required.
    pub owner: String,
    /// The application. Required.
    pub app_name: String,
    /// The version that is installed. Required.
    pub version: String,
    /// Release channel; empty when the application uses none.
    pub channel: String,
    /// Operating system, as the owner calls it; empty when the application uses none.
    pub platform: String,
    /// Processor, as the owner calls it; empty when the application uses none.
    pub arch: String,
    /// The updater to ask for; empty is `manual`, whose answers this library is made for.
    pub updater: String,
    /// A random identifier of this installation, 1-128 printable ASCII characters: decides about staged rollouts, and
    /// counts the installation. `None` or empty: not counted, and outside every rollout under 100 percent.
    pub device_id: Option<String>,
}

impl CheckOptions {
    /// The required ones.
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

    /// Sets the device identifier.
    #[must_use]
    pub fn with_device_id(mut self, device_id: impl Into<String>) -> Self {
        self.device_id = Some(device_id.into());
        self
    }

    /// The updater to ask the service for.
    pub(crate) fn updater(&self) -> &str {
        if self.updater.is_empty() { MANUAL } else { &self.updater }
    }

    /// Whether what is required is there.
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

/// Without the device identifier, which must not get into a log.
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
