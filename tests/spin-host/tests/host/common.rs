//! Plain HTTP requests for the integration tests. Every status is a value, not an error.

use ureq::http::{HeaderMap, Response};

/// An answer: status, headers, body as text.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// Body; bytes that are not UTF-8 are replaced.
    pub(crate) text: String,
}

impl Answer {
    /// The value of a header; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

fn answer(response: Result<Response<ureq::Body>, ureq::Error>) -> Answer {
    let mut response = response.unwrap();
    let text = response.body_mut().with_config().limit(1 << 30).lossy_utf8(true).read_to_string().unwrap();
    Answer { status: response.status().as_u16(), headers: response.headers().clone(), text }
}

pub(crate) fn get(url: &str) -> Answer {
    answer(agent().get(url).call())
}

pub(crate) fn get_with(url: &str, headers: &[(&str, &str)]) -> Answer {
    answer(
        headers.iter().fold(agent().get(url), |request, (name, value)| request.header(*name, *value)).call(),
    )
}
