//! The entry point: receives the request, sends the response, then runs the remaining work.

use std::cell::RefCell;

use futures::{SinkExt, StreamExt};
use spin_sdk::http::{Headers, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam};
use spindrift_web::{ByteStream, Reply, Request, Response, ResponseBody, log_line};
use wasi::http::types as host;

use super::request_headers::RequestHeaders;

/// Largest body that is written before the response is handed over, in bytes. The host then sends head and
/// body in one segment; two segments on a connection cost 40 ms (Nagle's algorithm combined with delayed
/// acknowledgements).
const WRITE_FIRST_MAX_BYTES: usize = 64 * 1024;

thread_local! {
    /// The outparam for the response, until it is sent; the panic hook uses it too.
    static OUT: RefCell<Option<ResponseOutparam>> = const { RefCell::new(None) };
}

/// Makes a function the entry point of a component: `async fn(SpinPlatform, Request) -> Reply`. Its platform
/// may be another one, such as `EdgePlatform`.
#[macro_export]
macro_rules! entry {
    ($handle:path) => {
        $crate::entry!($handle, $crate::SpinPlatform);
    };
    ($handle:path, $platform:ty) => {
        const _: () = {
            use $crate::wasi::exports::http::incoming_handler::{Guest, IncomingRequest, ResponseOutparam};

            struct Component;

    $crate::wasi::http::proxy::export!(Component with_types_in $crate::wasi);

            impl Guest for Component {
                fn handle(request: IncomingRequest, out: ResponseOutparam) {
                    $crate::serve::<$platform>(&request, &out, $handle);
                }
            }
        };
    };
}

/// Answers one request with `handler`. A panic is answered with 500 and ends only this instance.
#[expect(unsafe_code, reason = "the SDK has types of its own for the resources of the host")]
pub fn serve<P: Default>(
    request: &host::IncomingRequest,
    out: &host::ResponseOutparam,
    handler: impl AsyncFnOnce(P, Request) -> Reply,
) {
    // SAFETY: each handle is taken from its owner, and both types stand for the same resource.
    let request = unsafe { IncomingRequest::from_handle(request.take_handle()) };
    // SAFETY: as above.
    let out = unsafe { ResponseOutparam::from_handle(out.take_handle()) };
    spin_executor::run(answer(request, out, handler));
}

async fn answer<P: Default>(
    request: IncomingRequest,
    out: ResponseOutparam,
    handler: impl AsyncFnOnce(P, Request) -> Reply,
) {
    OUT.set(Some(out));
    std::panic::set_hook(Box::new(|panic| {
        log_line(format_args!(
            "{{\"level\":\"error\",\"message\":\"panic\",\"panic\":{:?}}}",
            panic.to_string()
        ));
        send_short(
            500,
            &[("content-type", "application/json")],
            br#"{"error":"internal error","code":"internal"}"#,
        );
    }));
    let Some(request) = incoming(request) else {
        send_short(
            400,
            &[("content-type", "application/json")],
            br#"{"error":"invalid request","code":"bad_request"}"#,
        );
        return;
    };
    let reply = handler(P::default(), request).await;
    send(reply.response).await;
    if let Some(after) = reply.after {
        after.await;
    }
}

fn incoming(request: IncomingRequest) -> Option<Request> {
    let method = method(&request.method())?;
    let target = request.path_with_query()?;
    let headers = RequestHeaders::of(request);
    let body = headers.clone();
    // Fetched only when a handler reads it: most requests have no body, and each call to the host costs a
    // microsecond.
    let stream = futures::stream::once(async move { body.take_body() }).flatten();
    let lookup = Box::new(move |name: &str| headers.get(name));
    Some(Request::with_lookup(method, target, lookup, Box::pin(stream)))
}

fn method(method: &Method) -> Option<http::Method> {
    match method {
        Method::Get => Some(http::Method::GET),
        Method::Head => Some(http::Method::HEAD),
        Method::Post => Some(http::Method::POST),
        Method::Other(name) => http::Method::from_bytes(name.as_bytes()).ok(),
        known => http::Method::from_bytes(known.to_string().as_bytes()).ok(),
    }
}

async fn send(response: Response) {
    let (parts, body) = response.into_parts();
    let mut headers: Vec<(String, Vec<u8>)> = parts
        .headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect();
    // Not allowed with 204. With 304 it would be the length of another response.
    if !matches!(parts.status, http::StatusCode::NO_CONTENT | http::StatusCode::NOT_MODIFIED) {
        let length = itoa::Buffer::new().format(body.len()).as_bytes().to_vec();
        headers.push(("content-length".to_owned(), length));
    }
    let outgoing = outgoing(parts.status.as_u16(), &headers);
    match body {
        ResponseBody::Full(bytes) if bytes.len() <= WRITE_FIRST_MAX_BYTES => {
            hand_over_written(outgoing, &bytes);
        }
        ResponseBody::Full(bytes) => stream_out(outgoing, Box::pin(futures::stream::iter([Ok(bytes)]))).await,
        ResponseBody::Stream(stream, _) => stream_out(outgoing, stream).await,
    }
}

fn outgoing(status: u16, headers: &[(String, Vec<u8>)]) -> OutgoingResponse {
    let fields = Headers::from_list(headers).unwrap_or_else(|error| {
        log_line(format_args!(
            "{{\"level\":\"error\",\"message\":\"response headers refused\",\"error\":\"{error:?}\"}}"
        ));
        Headers::new()
    });
    let response = OutgoingResponse::new(fields);
    // The default is 200.
    if status != 200 {
        // Only a status outside 100-599 is refused, and all `http::StatusCode` values that we send are
        // inside.
        let _ = response.set_status_code(status);
    }
    response
}

fn hand_over_written(outgoing: OutgoingResponse, bytes: &[u8]) {
    if let Ok(body) = outgoing.body() {
        if let Ok(stream) = body.write()
            && !bytes.is_empty()
            && let Err(error) = stream.check_write().and_then(|_| stream.write(bytes))
        {
            log_line(format_args!(
                "{{\"level\":\"error\",\"message\":\"response body\",\"error\":\"{error}\"}}"
            ));
        }
        let _ = OutgoingBody::finish(body, None);
    }
    if let Some(out) = OUT.take() {
        out.set(outgoing);
    }
}

async fn stream_out(outgoing: OutgoingResponse, mut chunks: ByteStream) {
    let mut sink = Box::pin(outgoing.take_body());
    if let Some(out) = OUT.take() {
        out.set(outgoing);
    }
    while let Some(chunk) = chunks.next().await {
        let sent = match chunk {
            Ok(bytes) => sink.send(bytes.to_vec()).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        // The declared length tells the client that the body is incomplete. A client that has disconnected is
        // not an error.
        if sent.is_err() {
            return;
        }
    }
}

fn send_short(status: u16, headers: &[(&str, &str)], body: &[u8]) {
    let length = body.len().to_string();
    let headers: Vec<(String, Vec<u8>)> = headers
        .iter()
        .chain(&[("content-length", length.as_str())])
        .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()))
        .collect();
    hand_over_written(outgoing(status, &headers), body);
}
