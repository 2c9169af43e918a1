//! The host as a trait object, so that pages need no type parameter.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use futures::future::LocalBoxFuture;
use spindrift_core::Timestamp;
use spindrift_service::Ports;
use spindrift_settings::{VariableError, Variables};
use spindrift_web::response;

use crate::{ConsoleError, Result, ServiceAnswer};

/// Maximum size of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// A clock, randomness, settings and an HTTP client.
pub(crate) trait Host {
    fn time(&self) -> Timestamp;
    fn fill_randomly(&self, buffer: &mut [u8]);
    fn setting(&self, name: &str) -> Result<Option<String>, VariableError>;
    /// Calls the service, and reads the whole answer. `time_limit`: for the start of the answer.
    fn ask(&self, request: http::Request<Bytes>, time_limit: Duration) -> AnswerFuture<'_>;
}

pub(crate) type AnswerFuture<'a> = LocalBoxFuture<'a, Result<ServiceAnswer>>;

impl<P: Ports> Host for P {
    fn time(&self) -> Timestamp {
        self.now()
    }

    fn fill_randomly(&self, buffer: &mut [u8]) {
        self.fill(buffer);
    }

    fn setting(&self, name: &str) -> Result<Option<String>, VariableError> {
        self.variable(name)
    }

    fn ask(&self, request: http::Request<Bytes>, time_limit: Duration) -> AnswerFuture<'_> {
        Box::pin(async move {
            let answer = self.send(request, time_limit).await.map_err(ConsoleError::no_answer)?;
            let (head, mut stream) = answer.into_parts();
            let mut body = BytesMut::new();
            while let Some(chunk) = stream.next().await {
                body.extend_from_slice(&chunk.map_err(ConsoleError::no_answer)?);
                if body.len() > MAX_ANSWER_BYTES {
                    return Err(ConsoleError::NoAnswer(format!("more than {MAX_ANSWER_BYTES} bytes")));
                }
            }
            Ok(ServiceAnswer { status: head.status, headers: head.headers, body: body.freeze() })
        })
    }
}

impl Variables for &dyn Host {
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
        self.setting(name)
    }
}

/// `N` random bytes in hex.
pub(crate) fn random_hex<const N: usize>(host: &dyn Host) -> String {
    let mut bytes = [0; N];
    host.fill_randomly(&mut bytes);
    let mut text = String::with_capacity(2 * N);
    response::push_hex(&mut text, &bytes);
    text
}
