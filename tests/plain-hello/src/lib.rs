//! Answers `hello` like a new Spin project: a function from `Request` to `Response`. The component in `tests/hello`
//! avoids the work that the SDK does for that.
#![cfg(target_family = "wasm")]
#![cfg_attr(target_family = "wasm", expect(unsafe_code, reason = "the entry point that the SDK generates"))]

use spin_sdk::http::{IntoResponse, Request, Response};
use spin_sdk::http_component;

#[http_component]
fn handle(_request: Request) -> impl IntoResponse {
    Response::builder().status(200).header("content-type", "text/plain").body("hello").build()
}
