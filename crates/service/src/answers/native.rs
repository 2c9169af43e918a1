//! Answers to native updaters as responses.

use http::{HeaderValue, StatusCode};
use spindrift_core::feeds::{NativeAnswer, NativeFormat, NativeQuestion, UpdaterRecord};
use spindrift_web::{ApiError, Response, response};

use super::Question;
use crate::Failure;

/// What a client asks in a form; `bundle`: how a Tauri application was installed.
pub fn question<'a>(
    question: &'a Question,
    format: NativeFormat,
    bundle: Option<&'a str>,
) -> NativeQuestion<'a> {
    NativeQuestion {
        format,
        client: &question.version,
        device: question.device.as_ref().map(spindrift_core::DeviceId::expose),
        bundle,
        title: question.scope.app.as_str(),
    }
}

/// The response to a client; 404 where there is nothing that it may have and its form cannot say so.
pub fn respond(record: &UpdaterRecord, question: &NativeQuestion<'_>) -> Result<Response, Failure> {
    match record.answer(question) {
        NativeAnswer::Body { content_type, text } => {
            Ok(response::respond(StatusCode::OK, HeaderValue::from_static(content_type), text))
        }
        NativeAnswer::NoUpdate => Ok(response::empty(StatusCode::NO_CONTENT)),
        NativeAnswer::Nothing => Err(ApiError::not_found("release").into()),
    }
}
