//! GET requests that follow redirects, as updaters send them.

use std::time::Duration;

use ureq::Agent;

/// Time limit of a client's request.
const TIME_OUT: Duration = Duration::from_mins(1);

/// The final answer after redirects.
pub(crate) struct Fetched {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Fetched {
    /// The body, if the answer has this status.
    pub(crate) fn with_status(self, status: u16) -> Result<Vec<u8>, String> {
        if self.status == status { Ok(self.body) } else { Err(format!("status {}", self.status)) }
    }
}

/// Sends a GET with these headers. Fails if there is no answer.
pub(crate) fn fetch(url: &str, headers: &[(&str, &str)]) -> Result<Fetched, String> {
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_idle_connections(0)
        .timeout_global(Some(TIME_OUT))
        .proxy(None)
        .build()
        .new_agent();
    let mut request = agent.get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, mut body) = request.call().map_err(|error| format!("{url}: {error}"))?.into_parts();
    let body = body.with_config().limit(u64::MAX).read_to_vec().map_err(|error| format!("{url}: {error}"))?;
    Ok(Fetched { status: parts.status.as_u16(), body })
}
