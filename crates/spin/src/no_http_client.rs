//! The HTTP client of a component that connects to nothing.

use std::time::Duration;

use bytes::Bytes;
use spindrift_storage::{ByteStream, HttpSend, SendError};

use crate::SpinPlatform;

impl HttpSend for SpinPlatform {
    async fn send(
        &self,
        _request: http::Request<Bytes>,
        _time_out: Duration,
    ) -> Result<http::Response<ByteStream>, SendError> {
        Err(SendError::Denied)
    }
}
