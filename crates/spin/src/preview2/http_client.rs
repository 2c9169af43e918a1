//! Outgoing HTTP with timeouts, which the SDK's own `send` cannot set.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use spin_sdk::wit::wasi::http0_2_0::outgoing_handler;
use spin_sdk::wit::wasi::http0_2_0::types::{
    ErrorCode, Fields, FutureIncomingResponse, IncomingResponse, Method, OutgoingBody, OutgoingRequest,
    RequestOptions, Scheme,
};
use spindrift_storage::{ByteStream, HttpSend, SendError};

use super::waiting::wake_when;
use crate::SpinPlatform;

impl<const IS_EDGE: bool> HttpSend for SpinPlatform<IS_EDGE> {
    async fn send(
        &self,
        request: http::Request<Bytes>,
        time_out: Duration,
    ) -> Result<http::Response<ByteStream>, SendError> {
        let (parts, body) = request.into_parts();
        let outgoing = outgoing_request(&parts, body.len())?;
        let outgoing_body = outgoing.body().map_err(|()| unreachable("the request has no body"))?;
        let future = outgoing_handler::handle(outgoing, Some(options(time_out)?))
            .map_err(|error| send_error(&error))?;
        // The server may answer before the body is sent, to refuse the request. That answer is more useful
        // than the write error.
        let written = write_body(outgoing_body, &body).await;
        let response = answer(&future).await?;
        let status = response.status();
        if !(200..600).contains(&status) {
            written?;
        }
        incoming(&response)
    }
}

fn unreachable(reason: impl Into<String>) -> SendError {
    SendError::Unreachable(reason.into())
}

fn send_error(error: &ErrorCode) -> SendError {
    match error {
        ErrorCode::HttpRequestDenied => SendError::Denied,
        other => unreachable(format!("{other:?}")),
    }
}

fn options(time_out: Duration) -> Result<RequestOptions, SendError> {
    let nanos = u64::try_from(time_out.as_nanos()).unwrap_or(u64::MAX);
    let options = RequestOptions::new();
    options
        .set_connect_timeout(Some(nanos))
        .and_then(|()| options.set_first_byte_timeout(Some(nanos)))
        .and_then(|()| options.set_between_bytes_timeout(Some(nanos)))
        .map_err(|()| unreachable("the platform knows no time-outs"))?;
    Ok(options)
}

fn outgoing_request(parts: &http::request::Parts, body_length: usize) -> Result<OutgoingRequest, SendError> {
    let bodiless = matches!(parts.method, http::Method::GET | http::Method::HEAD);
    let mut headers: Vec<(String, Vec<u8>)> = parts
        .headers
        .iter()
        .filter(|(name, _)| **name != http::header::HOST && **name != http::header::CONTENT_LENGTH)
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect();
    if !bodiless {
        headers.push(("content-length".to_owned(), body_length.to_string().into_bytes()));
    }
    let fields = Fields::from_list(&headers).map_err(|error| unreachable(format!("{error:?}")))?;
    let request = OutgoingRequest::new(fields);
    let uri = &parts.uri;
    let scheme = if uri.scheme_str() == Some("https") { Scheme::Https } else { Scheme::Http };
    request
        .set_method(&method(&parts.method))
        .and_then(|()| request.set_scheme(Some(&scheme)))
        .and_then(|()| request.set_authority(uri.authority().map(http::uri::Authority::as_str)))
        .and_then(|()| request.set_path_with_query(uri.path_and_query().map(http::uri::PathAndQuery::as_str)))
        .map_err(|()| unreachable("the address is not valid"))?;
    Ok(request)
}

fn method(method: &http::Method) -> Method {
    match *method {
        http::Method::GET => Method::Get,
        http::Method::HEAD => Method::Head,
        http::Method::POST => Method::Post,
        http::Method::PUT => Method::Put,
        http::Method::DELETE => Method::Delete,
        ref other => Method::Other(other.as_str().to_owned()),
    }
}

async fn write_body(body: OutgoingBody, bytes: &[u8]) -> Result<(), SendError> {
    let stream = body.write().map_err(|()| unreachable("the request body cannot be written"))?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut waiting = None;
        let room = poll_fn(|context| match stream.check_write() {
            Ok(0) => {
                waiting = Some(wake_when(stream.subscribe(), context));
                Poll::Pending
            }
            room => Poll::Ready(room),
        })
        .await
        .map_err(|error| unreachable(error.to_string()))?;
        let (now, later) = rest.split_at(rest.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
        stream.write(now).map_err(|error| unreachable(error.to_string()))?;
        rest = later;
    }
    drop(stream);
    OutgoingBody::finish(body, None).map_err(|error| send_error(&error))
}

async fn answer(future: &FutureIncomingResponse) -> Result<IncomingResponse, SendError> {
    let mut waiting = None;
    poll_fn(|context| {
        if let Some(answer) = future.get() {
            return Poll::Ready(answer);
        }
        waiting = Some(wake_when(future.subscribe(), context));
        Poll::Pending
    })
    .await
    .map_err(|()| unreachable("the answer was taken"))?
    .map_err(|error| send_error(&error))
}

fn incoming(response: &IncomingResponse) -> Result<http::Response<ByteStream>, SendError> {
    let mut builder = http::Response::builder().status(response.status());
    for (name, value) in response.headers().entries() {
        builder = builder.header(name, value);
    }
    let stream = response
        .take_body_stream()
        .map(|chunk| chunk.map(Bytes::from).map_err(|error| std::io::Error::other(error.to_debug_string())));
    builder.body(Box::pin(stream) as ByteStream).map_err(|error| unreachable(error.to_string()))
}
