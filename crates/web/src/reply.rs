//! What a component gives back.

use std::future::Future;
use std::pin::Pin;

use crate::Response;

/// Work that the caller need not wait for.
pub type After = Pin<Box<dyn Future<Output = ()>>>;

/// A response, and work that is done once it is out.
pub struct Reply {
    /// The response.
    pub response: Response,
    /// Runs after the response was handed over; it cannot change the answer.
    pub after: Option<After>,
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self { response, after: None }
    }
}
