//! Work after the response.

use std::future::Future;
use std::pin::Pin;

/// Work that the caller does not wait for.
pub type DeferredWork = Pin<Box<dyn Future<Output = ()>>>;
