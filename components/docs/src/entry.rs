//! The component's entry point in Spin: the only file that uses the Spin SDK.
#![expect(unsafe_code, reason = "the SDK's export glue")]

use spin_sdk::http::{IncomingRequest, ResponseOutparam};
use spin_sdk::http_component;

#[http_component]
async fn entry(request: IncomingRequest, out: ResponseOutparam) {
    spindrift_spin::serve(request, out, crate::handle).await;
}
