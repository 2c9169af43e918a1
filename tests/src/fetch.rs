//! GET requests that follow redirects, as updaters send them.

use std::io::Read as _;
use std::time::Duration;

use ureq::{Agent, BodyReader};

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

/// An answer whose body has not been read.
pub(crate) struct Opened {
    pub(crate) status: u16,
    pub(crate) body: BodyReader<'static>,
}

/// Sends a GET with these headers. Fails if there is no answer, or if its body takes longer than a minute.
pub(crate) fn fetch(url: &str, headers: &[(&str, &str)]) -> Result<Fetched, String> {
    let mut opened = open(url, headers, TIME_OUT)?;
    let mut body = Vec::new();
    let _bytes = opened.body.read_to_end(&mut body).map_err(|error| format!("{url}: {error}"))?;
    Ok(Fetched { status: opened.status, body })
}

/// Sends a GET with these headers. Fails if there is no answer. `limit`: for everything until the end of the
/// body.
pub(crate) fn open(url: &str, headers: &[(&str, &str)], limit: Duration) -> Result<Opened, String> {
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_idle_connections(0)
        .timeout_global(Some(limit))
        .proxy(None)
        .build()
        .new_agent();
    let mut request = agent.get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, body) = request.call().map_err(|error| format!("{url}: {error}"))?.into_parts();
    Ok(Opened { status: parts.status.as_u16(), body: body.into_reader() })
}
