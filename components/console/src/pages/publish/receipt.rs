//! The receipt of the release that the form describes, before anything is sent.

use bytes::Bytes;
use http::{Method, StatusCode};
use serde::Serialize;
use spindrift_api::{ReceiptAskBody, ReceiptBody};
use spindrift_web::{Request, Response};

use super::send::{JSON, MAX_INIT_BYTES, json, pass_on, require_script};
use crate::pages::release;
use crate::{Address, ConsoleError, Context, Result};

/// A part of the page.
#[derive(Serialize)]
struct ReceiptMarkup {
    html: String,
}

/// `POST /console/apps/{app}/publish/receipt`: the body of `POST /releases/receipt`.
pub(crate) async fn receipt(context: &Context<'_>, mut request: Request) -> Result<Response> {
    require_script(context, &request)?;
    let wanted: ReceiptAskBody = request.read_json(MAX_INIT_BYTES).await?;
    let body = serde_json::to_vec(&wanted).map_err(ConsoleError::no_answer)?;
    let call = Address::call("/releases/receipt");
    let answer = context.service.ask(Method::POST, &call, Some((JSON, Bytes::from(body))), &[]).await?;
    if answer.status != StatusCode::OK {
        return Ok(pass_on(answer));
    }
    let receipt: ReceiptBody = answer.read()?;
    json(StatusCode::OK, &ReceiptMarkup { html: release::receipt_section(&receipt).into_string() })
}
