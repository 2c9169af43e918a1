//! What a component gives back.

use std::future::Future;
use std::pin::Pin;

use crate::Response;
use crate::response::vary_by;

/// Work that the caller need not wait for.
pub type After = Pin<Box<dyn Future<Output = ()>>>;

/// A response, and work that is done once it is out.
pub struct Reply {
    /// The response.
    pub response: Response,
    /// Runs after the response was handed over; it cannot change the answer.
    pub after: Option<After>,
}

impl Reply {
    /// Says which request headers (a comma list) a component looks at: what it answers with one of them, a 304 or an
    /// error too, is no answer for those who send another.
    #[must_use]
    pub fn varying_by(mut self, headers: &str) -> Self {
        vary_by(self.response.headers_mut(), headers);
        self
    }
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self { response, after: None }
    }
}
