//! Responses for native updaters.

use http::{HeaderValue, StatusCode};
use spindrift_core::Updater;
use spindrift_core::feeds::{NativeAnswer, NativeQuestion};
use spindrift_web::{ApiError, Response, response};

use super::Question;
use crate::Failure;

/// The question of an updater's client that names no feed and no kind of installation.
pub fn question(question: &Question, updater: Updater) -> NativeQuestion<'_> {
    NativeQuestion {
        updater,
        file: "",
        scope: &question.scope,
        client: &question.version,
        device: question.device.as_ref().map(spindrift_core::DeviceId::expose),
        bundle: None,
    }
}

/// The response for a client; 404 if there is nothing for it and the format cannot say so.
pub fn respond(answer: NativeAnswer) -> Result<Response, Failure> {
    match answer {
        NativeAnswer::Body { content_type, text } => {
            Ok(response::respond(StatusCode::OK, HeaderValue::from_static(content_type), text))
        }
        NativeAnswer::NoUpdate => Ok(response::empty(StatusCode::NO_CONTENT)),
        NativeAnswer::Nothing => Err(ApiError::not_found("release").into()),
    }
}
