//! An HTTP client with a deadline.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use spindrift_core::Timestamp;
use spindrift_storage::{ByteStream, HttpSend, SendError};

use crate::Ports;

/// Sends nothing after the deadline, and waits for responses only until then.
pub struct Deadline<'a, P> {
    pub ports: &'a P,
    pub until: Timestamp,
}

impl<P: Ports> HttpSend for Deadline<'_, P> {
    async fn send(
        &self,
        request: Request<Bytes>,
        time_out: Duration,
    ) -> Result<Response<ByteStream>, SendError> {
        let left = self.until.as_millis() - self.ports.now().as_millis();
        match u64::try_from(left) {
            Ok(left) if left > 0 => self.ports.send(request, time_out.min(Duration::from_millis(left))).await,
            _ => Err(SendError::Unreachable("there was no time left for the request".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use spindrift_native::NativePlatform;
    use spindrift_web::Clock as _;

    use super::*;

    #[test]
    fn nothing_is_sent_when_the_time_is_over() {
        let ports = NativePlatform::new("unused").with_time(Timestamp::from_millis(1_000));
        // No server listens on this port, so a request that is sent fails with another error.
        let ask = |until| {
            let request = Request::get("http://127.0.0.1:1/").body(Bytes::new()).unwrap();
            let deadline = Deadline { ports: &ports, until };
            block_on(deadline.send(request, Duration::from_secs(1))).map(drop).unwrap_err().to_string()
        };
        assert!(!ask(ports.now().plus_seconds(1)).contains("no time left"));
        assert!(ask(ports.now()).contains("no time left"));
        assert!(ask(ports.now().plus_seconds(-1)).contains("no time left"));
    }
}
