//! Requests between the components of an application.

use std::pin::Pin;

use http::{Request, Response};
use wasmtime_wasi_http::WasiBody;

/// The components of an application, as one of them reaches them.
pub(crate) trait Chain: Send + Sync {
    /// Sends a request to the component `id`, whatever the routes say.
    fn send(
        &self,
        id: String,
        request: Request<WasiBody>,
    ) -> Pin<Box<dyn Future<Output = Response<WasiBody>> + Send>>;
}
