//! Descriptions of the calls.

use serde_json::json;
use spindrift_api::{CheckBody, ErrorCode};
use spindrift_web::describe::schema::text;
use spindrift_web::describe::{Call, Who};

pub(crate) fn respond() -> Call {
    Call::new("Updates", Who::Anyone, "The answer to a check, under a static path")
        .details(
            "The same body as that of the check without a device. For an application with `cdn` on, the same files are in the \
             CDN bucket. `scope.json` is the record from which an edge deployment fills its store.",
        )
        .scope()
        .path("updater", "The client's updater.")
        .path("file", "`{version}.json`, with the client's version, or `scope.json`.")
        .query("dimensions", "For `scope.json`: which of `channel,platform,arch` the scope has; `none` of them.", text())
        .answers::<CheckBody<'_>>(200, "The answer of the check, or the record.")
        .answers_json(
            200,
            "",
            json!({ "description": "A feed in the form of another updater, or the record of a scope.", "type": "object" }),
        )
        .refuses(400, &[ErrorCode::BadRequest])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(503, &[ErrorCode::OriginUnavailable])
        .shared()
}
