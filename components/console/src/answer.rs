//! Answers of the service.

use bytes::Bytes;
use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::{ConsoleError, Result};

/// An unparsed answer. It may contain a secret.
pub(crate) struct ServiceAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Bytes,
}

impl ServiceAnswer {
    /// The body as JSON.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.body).map_err(ConsoleError::no_answer)
    }
}
