//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_web::describe::{Call, Who};

const NOUN: &str = "Documentation";

pub(crate) fn document() -> Call {
    Call::new(NOUN, Who::Anyone, "This document")
        .answers_json(
            200,
            "OpenAPI 3.1.",
            json!({
                "type": "object",
                "properties": { "openapi": { "description": "The version of the format.", "const": "3.1.0" } },
                "required": ["openapi"],
            }),
        )
        .shared()
}

pub(crate) fn page() -> Call {
    Call::new(NOUN, Who::Anyone, "A page to read this document")
        .answers_bytes(200, "The page. It loads nothing from elsewhere.", "text/html; charset=utf-8")
        .shared()
}

pub(crate) fn style() -> Call {
    Call::new(NOUN, Who::Anyone, "How the page looks")
        .answers_bytes(200, "The style sheet.", "text/css; charset=utf-8")
        .shared()
}
