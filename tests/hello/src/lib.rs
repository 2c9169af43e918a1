//! A minimal component: answers every request with `hello`, with as few calls to the host as possible.
#![cfg(target_family = "wasm")]
#![cfg_attr(target_family = "wasm", expect(unsafe_code, reason = "the entry point that the SDK generates"))]

use spin_sdk::http::{Fields, IncomingRequest, OutgoingBody, OutgoingResponse, ResponseOutparam};
use spin_sdk::http_component;

const BODY: &[u8] = b"hello";

#[http_component]
async fn handle(_request: IncomingRequest, outparam: ResponseOutparam) {
    let length = BODY.len().to_string().into_bytes();
    let headers =
        [("content-type".to_owned(), b"text/plain".to_vec()), ("content-length".to_owned(), length)];
    let Ok(headers) = Fields::from_list(&headers) else { return };
    let response = OutgoingResponse::new(headers);
    let Ok(body) = response.body() else { return };
    // The whole body is ready before the host gets the response, so both leave in one segment.
    if let Ok(stream) = body.write() {
        let _ = stream.blocking_write_and_flush(BODY);
    }
    outparam.set(response);
    let _ = OutgoingBody::finish(body, None);
}
