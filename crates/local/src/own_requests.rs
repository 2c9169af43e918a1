//! The requests that this process sends to its own service.

use base16ct::lower::encode_string as hex;

use crate::error::LocalError;

/// The header that identifies them in the log.
const HEADER: &str = "x-request-id";
/// Number of random bytes in their id, so that clients cannot hide requests among them.
const ID_BYTES: usize = 8;

/// The request id that they share.
#[derive(Debug, Clone)]
pub(crate) struct OwnRequests(String);

impl OwnRequests {
    /// Picks an id that clients cannot guess.
    pub(crate) fn new() -> Result<Self, LocalError> {
        let mut bytes = [0; ID_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("own-{}", hex(&bytes))))
    }

    #[cfg(test)]
    pub(crate) fn of(id: &str) -> Self {
        Self(id.to_owned())
    }

    /// The header to send.
    pub(crate) fn header(&self) -> (&str, &str) {
        (HEADER, &self.0)
    }

    /// Whether the request with this id is one of them.
    pub(crate) fn includes(&self, request_id: &str) -> bool {
        self.0 == request_id
    }
}
