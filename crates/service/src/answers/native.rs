//! Responses for native updaters.

use http::{HeaderValue, StatusCode};
use spindrift_core::feeds::{NativeAnswer, NativeQuestion};
use spindrift_core::{ClientFacts, Timestamp, Updater};
use spindrift_web::{Response, response};

use super::Question;

/// Builds the question that a client of an updater asks at a given time, naming no feed and no kind of
/// bundle.
pub fn question<'a>(
    question: &'a Question,
    updater: Updater,
    facts: &'a ClientFacts,
    at: Timestamp,
) -> NativeQuestion<'a> {
    NativeQuestion {
        updater,
        file: "",
        scope: &question.scope,
        client: &question.version,
        device: question.device.as_ref().map(spindrift_core::DeviceId::expose),
        bundle: None,
        facts,
        at,
    }
}

/// The response for a client, or `None` if there is nothing to offer and the format cannot express that.
pub fn respond(answer: NativeAnswer) -> Option<Response> {
    match answer {
        NativeAnswer::Body { content_type, text } => {
            Some(response::respond(StatusCode::OK, HeaderValue::from_static(content_type), text))
        }
        NativeAnswer::NoUpdate => Some(response::empty(StatusCode::NO_CONTENT)),
        NativeAnswer::Nothing => None,
    }
}
