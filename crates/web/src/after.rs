//! Work after the response.

use std::future::Future;
use std::pin::Pin;

/// Work that the caller does not wait for.
pub type After = Pin<Box<dyn Future<Output = ()>>>;
