//! nginx as a proxy in front of a service.

use std::time::Duration;

use crate::client::Client;
use crate::free_address::free_address;
use crate::nginx::Nginx;
use crate::skipped::skipped;
use crate::wait::until;

/// Time limit for nginx to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(20);

/// A proxy that caches everything that `Cache-Control` and `Vary` allow. `X-Cache` is `HIT` for a cached
/// answer. Dropping it stops it.
pub struct CachingProxy {
    client: Client,
    _nginx: Nginx,
}

impl CachingProxy {
    /// A proxy for the service at `url`. `None`: nginx is not installed.
    pub fn before(url: &str) -> Option<Self> {
        let address = free_address();
        let cache = "proxy_cache_path {folder}/cache keys_zone=answers:10m use_temp_path=off;";
        let server = format!(
            "location / {{ proxy_pass {url}; proxy_cache answers; add_header X-Cache $upstream_cache_status always; }}"
        );
        let nginx = Nginx::start(&address, cache, &server)?;
        let proxy = Self { client: Client::new(&format!("http://{address}")), _nginx: nginx };
        until("nginx answers", START_LIMIT, || proxy.client.get("/health").try_send().ok());
        Some(proxy)
    }

    /// A client that sends requests through the proxy.
    pub fn client(&self) -> &Client {
        &self.client
    }
}

/// A proxy that passes each byte of a request on as it arrives. Dropping it stops it.
pub struct StreamingProxy {
    url: String,
    _nginx: Nginx,
}

impl StreamingProxy {
    /// A proxy for the service at `url`. `None`: nginx is not installed.
    pub fn before(url: &str) -> Option<Self> {
        let address = free_address();
        let server = format!(
            "location / {{ proxy_pass {url}; proxy_http_version 1.1; proxy_request_buffering off; \
               proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }}"
        );
        let Some(nginx) = Nginx::start(&address, "", &server) else {
            skipped("nginx is not installed");
            return None;
        };
        let url = format!("http://{address}");
        let client = Client::new(&url);
        until("nginx answers", START_LIMIT, || client.get("/health").try_send().ok());
        Some(Self { url, _nginx: nginx })
    }

    pub fn url(&self) -> &str {
        &self.url
    }
}
