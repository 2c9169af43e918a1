//! Answers `hello` as the component in `tests/hello` does, after one look into the key-value store. A component that
//! looks into it as well cannot be faster.
#![cfg(target_family = "wasm")]
#![cfg_attr(target_family = "wasm", expect(unsafe_code, reason = "the entry point that the SDK generates"))]

use spin_sdk::http::{Fields, IncomingRequest, OutgoingBody, OutgoingResponse, ResponseOutparam};
use spin_sdk::http_component;
use spin_sdk::key_value::Store;

const BODY: &[u8] = b"hello";

#[http_component]
async fn handle(_request: IncomingRequest, outparam: ResponseOutparam) {
    // There is no such value. If the store fails, nothing is answered, so that a failure is not measured.
    let Ok(None) = Store::open_default().and_then(|store| store.get("hello")) else { return };
    let length = BODY.len().to_string().into_bytes();
    let headers =
        [("content-type".to_owned(), b"text/plain".to_vec()), ("content-length".to_owned(), length)];
    let Ok(headers) = Fields::from_list(&headers) else { return };
    let response = OutgoingResponse::new(headers);
    let Ok(body) = response.body() else { return };
    if let Ok(stream) = body.write() {
        let _ = stream.blocking_write_and_flush(BODY);
    }
    outparam.set(response);
    let _ = OutgoingBody::finish(body, None);
}
