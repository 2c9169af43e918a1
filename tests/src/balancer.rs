//! nginx in front of several hosts of one service.

use std::time::Duration;

use crate::client::Client;
use crate::nginx::Nginx;
use crate::wait::until;

/// Time limit for nginx to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(20);

/// Passes requests to the hosts in turns. Dropping it stops it.
pub(crate) struct Balancer {
    _nginx: Nginx,
    url: String,
}

impl Balancer {
    /// One that listens at `address` and passes requests to the hosts at `urls`, which answer already.
    pub(crate) fn start(address: &str, urls: &[String]) -> Self {
        let hosts: Vec<&str> = urls.iter().map(|url| url.trim_start_matches("http://")).collect();
        let upstream = format!("upstream hosts {{ server {}; keepalive 16; }}", hosts.join("; server "));
        // A request that fails is not repeated elsewhere, and the service decides what is too large.
        let server = "client_max_body_size 0;
            location / {
              proxy_pass http://hosts; proxy_next_upstream off; proxy_http_version 1.1;
              proxy_request_buffering off; proxy_buffering off; proxy_read_timeout 120s;
              proxy_set_header Host $http_host; proxy_set_header Connection '';
            }";
        let nginx = Nginx::start(address, &upstream, server);
        let balancer =
            Self { _nginx: nginx.expect("nginx, for several hosts"), url: format!("http://{address}") };
        let client = Client::new(balancer.url());
        until("nginx answers", START_LIMIT, || client.get("/health").try_send().ok());
        balancer
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}
