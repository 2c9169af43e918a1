//! The reply of a component.

use crate::Response;
use crate::deferred::DeferredWork;
use crate::response::vary_by;

/// A response, and work to do after it has been sent.
pub struct Reply {
    pub response: Response,
    /// Runs after the response has been handed over, and cannot change it.
    pub after: Option<DeferredWork>,
}

impl Reply {
    /// Adds the request headers that a component reads (a comma-separated list) to `Vary`. Answers depend on
    /// them, including 304s and errors, so caches must not use them for other values of these headers.
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
