//! Description of this component's call.

use spindrift_api::ErrorCode;
use spindrift_web::describe::{Call, Who};

pub(crate) fn metrics() -> Call {
    Call::new("Operation", Who::Monitor, "Returns metrics for Prometheus")
        .answers_bytes(
            200,
            "Metrics in the text format of Prometheus.",
            "text/plain; version=0.0.4; charset=utf-8",
        )
        .refuses(404, &[ErrorCode::NotFound])
}
