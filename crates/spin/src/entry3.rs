//! The entry point of preview 3: an instance answers many requests.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use futures::StreamExt as _;
use http::HeaderValue;
use spindrift_web::{Body, ByteStream, Reply, Request, Response};
use wasip3::http::types::{ErrorCode, Fields, Method, Request as Incoming, Response as Outgoing};
use wasip3::{wit_bindgen, wit_future, wit_stream};

use crate::SpinPlatform;

/// Answers one request.
pub async fn serve(
    request: Incoming,
    handler: impl AsyncFnOnce(SpinPlatform, Request) -> Reply,
) -> Result<Outgoing, ErrorCode> {
    let Some(request) = incoming(request) else {
        return Err(ErrorCode::HttpRequestUriInvalid);
    };
    let reply = handler(SpinPlatform, request).await;
    if let Some(after) = reply.after {
        wit_bindgen::spawn(after);
    }
    send(reply.response)
}

fn incoming(request: Incoming) -> Option<Request> {
    let method = method(&request.get_method())?;
    let target = request.get_path_with_query()?;
    let headers = request.get_headers();
    let held = Rc::new(RefCell::new(Some(request)));
    let body = futures::stream::once(async move { read(held.borrow_mut().take()) }).flatten();
    let lookup = Box::new(move |name: &str| {
        headers.get(name).into_iter().filter_map(|value| HeaderValue::try_from(value).ok()).collect()
    });
    Some(Request::with_lookup(method, target, lookup, Box::pin(body)))
}

fn read(request: Option<Incoming>) -> ByteStream {
    let Some(request) = request else { return Box::pin(futures::stream::empty()) };
    let (_, result) = wit_future::new::<Result<(), ErrorCode>>(|| Ok(()));
    let (body, _trailers) = Incoming::consume_body(request, result);
    Box::pin(futures::stream::unfold(body, async |mut body| {
        let (status, bytes) = body.read(Vec::with_capacity(16 * 1024)).await;
        match status {
            wit_bindgen::StreamResult::Complete(_) => Some((Ok(Bytes::from(bytes)), body)),
            _ => None,
        }
    }))
}

fn method(method: &Method) -> Option<http::Method> {
    Some(match method {
        Method::Get => http::Method::GET,
        Method::Head => http::Method::HEAD,
        Method::Post => http::Method::POST,
        Method::Put => http::Method::PUT,
        Method::Delete => http::Method::DELETE,
        Method::Connect => http::Method::CONNECT,
        Method::Options => http::Method::OPTIONS,
        Method::Trace => http::Method::TRACE,
        Method::Patch => http::Method::PATCH,
        Method::Other(name) => http::Method::from_bytes(name.as_bytes()).ok()?,
    })
}

fn send(response: Response) -> Result<Outgoing, ErrorCode> {
    let (parts, body) = response.into_parts();
    let mut headers: Vec<(String, Vec<u8>)> = parts
        .headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect();
    if !matches!(parts.status, http::StatusCode::NO_CONTENT | http::StatusCode::NOT_MODIFIED) {
        headers.push(("content-length".to_owned(), body.len().to_string().into_bytes()));
    }
    let fields = Fields::from_list(&headers).map_err(|_| ErrorCode::InternalError(None))?;
    let (_, trailers) = wit_future::new(|| Ok(None));
    let (mut to, from) = wit_stream::new();
    let (response, _sent) = Outgoing::new(fields, Some(from), trailers);
    let _ = response.set_status_code(parts.status.as_u16());
    wit_bindgen::spawn(async move {
        match body {
            Body::Full(bytes) => {
                let _ = to.write_all(bytes.to_vec()).await;
            }
            Body::Stream(mut chunks, _) => {
                while let Some(Ok(chunk)) = chunks.next().await {
                    if !to.write_all(chunk.to_vec()).await.is_empty() {
                        return;
                    }
                }
            }
        }
    });
    Ok(response)
}
