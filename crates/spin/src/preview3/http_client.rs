//! Outgoing HTTP.

use std::time::Duration;

use bytes::Bytes;
use http::uri::{Authority, PathAndQuery};
use spindrift_storage::{ByteStream, HttpSend, SendError};
use spindrift_web::ResponseBody;
use wasip3::http::client;
use wasip3::http::types::{ErrorCode, Fields, Method, Request, RequestOptions, Response, Scheme};

use super::body;
use crate::SpinPlatform;

impl<const IS_EDGE: bool> HttpSend for SpinPlatform<IS_EDGE> {
    async fn send(
        &self,
        request: http::Request<Bytes>,
        time_out: Duration,
    ) -> Result<http::Response<ByteStream>, SendError> {
        let (parts, bytes) = request.into_parts();
        let response =
            client::send(outgoing(&parts, bytes, time_out)?).await.map_err(|error| match error {
                ErrorCode::HttpRequestDenied => SendError::Denied,
                other => unreachable(format!("{other:?}")),
            })?;
        let mut builder = http::Response::builder().status(response.get_status_code());
        for (name, value) in response.get_headers().copy_all() {
            builder = builder.header(name, value);
        }
        let (stream, end) = Response::consume_body(response, body::no_error());
        builder.body(body::read(stream, end)).map_err(|error| unreachable(error.to_string()))
    }
}

fn unreachable(reason: impl Into<String>) -> SendError {
    SendError::Unreachable(reason.into())
}

fn outgoing(parts: &http::request::Parts, bytes: Bytes, time_out: Duration) -> Result<Request, SendError> {
    let sent = |name: &http::HeaderName| *name != http::header::HOST && *name != http::header::CONTENT_LENGTH;
    let headers = parts.headers.iter().filter(|(name, _)| sent(name));
    let mut headers: Vec<_> =
        headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect();
    if !matches!(parts.method, http::Method::GET | http::Method::HEAD) {
        headers.push(("content-length".to_owned(), bytes.len().to_string().into_bytes()));
    }
    let fields = Fields::from_list(&headers).map_err(|error| unreachable(format!("{error:?}")))?;
    let contents = body::write(ResponseBody::Full(bytes));
    let (request, _sent) = Request::new(fields, contents, body::no_trailers(), Some(options(time_out)?));
    let uri = &parts.uri;
    let scheme = if uri.scheme_str() == Some("https") { Scheme::Https } else { Scheme::Http };
    request
        .set_method(&method(&parts.method))
        .and_then(|()| request.set_scheme(Some(&scheme)))
        .and_then(|()| request.set_authority(uri.authority().map(Authority::as_str)))
        .and_then(|()| request.set_path_with_query(uri.path_and_query().map(PathAndQuery::as_str)))
        .map_err(|()| unreachable("the address is not valid"))?;
    Ok(request)
}

fn options(time_out: Duration) -> Result<RequestOptions, SendError> {
    let nanos = u64::try_from(time_out.as_nanos()).unwrap_or(u64::MAX);
    let options = RequestOptions::new();
    options
        .set_connect_timeout(Some(nanos))
        .and_then(|()| options.set_first_byte_timeout(Some(nanos)))
        .and_then(|()| options.set_between_bytes_timeout(Some(nanos)))
        .map_err(|_| unreachable("the platform knows no time-outs"))?;
    Ok(options)
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
