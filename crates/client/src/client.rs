//! The client: its URLs, settings and transport.

use std::fmt;
use std::sync::Arc;

use http::{HeaderValue, request};
use spindrift_core::DeviceId;
use url::Url;

use crate::{Config, Error, Settings, Sleep, TokioSleep, Transport, address};

/// Header with the device id.
const DEVICE_ID: &str = "x-device-id";

/// Asks the service for updates, downloads them and reports failures. Cloning is cheap; clones share their
/// connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) base: Url,
    pub(crate) edge: Option<Url>,
    pub(crate) settings: Settings,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) sleep: Arc<dyn Sleep>,
}

impl Client {
    /// A client with the default transport.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::with_transport`], and [`Error::RequestFailed`] if the transport
    /// cannot be set up.
    #[cfg(feature = "http-transport")]
    pub fn new(config: Config) -> Result<Self, Error> {
        let transport = crate::HttpTransport::new(&crate::HttpSettings::default()).map_err(|error| {
            crate::exchange::failure(&config.base_url, None, crate::Cause::Transport(error))
        })?;
        Self::with_transport(config, transport)
    }

    /// A client with a custom transport.
    ///
    /// # Errors
    ///
    /// [`Error::MissingBaseUrl`]; [`Error::InvalidUrl`] if the URL of the service or of the edge is not a
    /// plain `http` or `https` URL.
    pub fn with_transport(config: Config, transport: impl Transport) -> Result<Self, Error> {
        let Config { base_url, edge_url, settings } = config;
        if base_url.is_empty() {
            return Err(Error::MissingBaseUrl);
        }
        let base = address::parse_base_url(&base_url, "base url")?;
        let edge = edge_url.filter(|text| !text.is_empty());
        let edge = edge.map(|text| address::parse_base_url(&text, "edge url")).transpose()?;
        Ok(Self { base, edge, settings, transport: Arc::new(transport), sleep: Arc::new(TokioSleep) })
    }

    /// Replaces the timer used between attempts and checks. The default is tokio's timer.
    #[must_use]
    pub fn with_sleep(mut self, sleep: impl Sleep) -> Self {
        self.sleep = Arc::new(sleep);
        self
    }
}

/// Adds the device id to a request.
pub(crate) fn with_device(request: request::Builder, device: Option<&DeviceId>) -> request::Builder {
    match device.and_then(|device| HeaderValue::from_str(device.expose()).ok()) {
        Some(mut value) => {
            value.set_sensitive(true);
            request.header(DEVICE_ID, value)
        }
        None => request,
    }
}

/// Shows the URLs and settings.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.base.as_str())
            .field("edge_url", &self.edge.as_ref().map(Url::as_str))
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
