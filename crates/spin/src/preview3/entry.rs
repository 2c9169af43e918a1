//! The entry point: receives the request, returns the response, and runs the remaining work beside it.

use std::cell::RefCell;
use std::sync::Once;

use futures::StreamExt as _;
use http::{HeaderValue, StatusCode};
use spindrift_web::{Reply, Request, Response, log_line};
use wasip3::http::types::{ErrorCode, Fields, Method, Request as Incoming, Response as Outgoing};

use super::{body, lifetime};

static HOOK: Once = Once::new();

/// Makes a function the entry point of a component: `async fn(SpinPlatform, Request) -> Reply`. Its platform
/// may be another one, such as `EdgePlatform`.
#[macro_export]
macro_rules! entry {
    ($handle:path) => {
        $crate::entry!($handle, $crate::SpinPlatform);
    };
    ($handle:path, $platform:ty) => {
        const _: () = {
            use $crate::wasip3::exports::http::handler::Guest;
            use $crate::wasip3::http::types::{ErrorCode, Request, Response};

            struct Component;

            $crate::wasip3::http::service::export!(Component);

            impl Guest for Component {
                async fn handle(request: Request) -> Result<Response, ErrorCode> {
                    $crate::serve::<$platform>(request, $handle).await
                }
            }
        };
    };
}

/// Answers one request with `handler`. A panic ends the instance: the host answers the instance's requests
/// with 500, and starts another one.
///
/// # Errors
/// The host cannot take the response.
pub async fn serve<P: Default>(
    request: Incoming,
    handler: impl AsyncFnOnce(P, Request) -> Reply,
) -> Result<Outgoing, ErrorCode> {
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            log_line(format_args!(
                "{{\"level\":\"error\",\"message\":\"panic\",\"panic\":{:?}}}",
                panic.to_string()
            ));
        }));
    });
    lifetime::begin();
    let request = incoming(request).ok_or(ErrorCode::HttpRequestUriInvalid)?;
    let reply = handler(P::default(), request).await;
    let response = outgoing(reply.response)?;
    if let Some(after) = reply.after {
        wit_bindgen::spawn(async {
            // Let the host take the response first: a call to a store would delay it.
            wit_bindgen::yield_async().await;
            after.await;
        });
    }
    Ok(response)
}

fn incoming(request: Incoming) -> Option<Request> {
    let method = method(&request.get_method())?;
    let target = request.get_path_with_query()?;
    let headers = request.get_headers();
    let request = RefCell::new(Some(request));
    // Fetched only when a handler reads it: most requests have no body.
    let stream = futures::stream::once(async move {
        let (stream, end) = Incoming::consume_body(request.take()?, body::no_error());
        Some(body::read(stream, end))
    });
    let stream = stream.filter_map(std::future::ready).flatten();
    let lookup = Box::new(move |name: &str| {
        headers.get(name).into_iter().filter_map(|value| HeaderValue::try_from(value).ok()).collect()
    });
    Some(Request::with_lookup(method, target, lookup, Box::pin(stream)))
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

fn outgoing(response: Response) -> Result<Outgoing, ErrorCode> {
    let (parts, body) = response.into_parts();
    let headers = parts.headers.iter();
    let mut headers: Vec<_> =
        headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect();
    // Not allowed with 204. With 304 it would be the length of another response.
    if !matches!(parts.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        let length = itoa::Buffer::new().format(body.len()).as_bytes().to_vec();
        headers.push(("content-length".to_owned(), length));
    }
    let fields =
        Fields::from_list(&headers).map_err(|error| ErrorCode::InternalError(Some(format!("{error:?}"))))?;
    let (response, _sent) = Outgoing::new(fields, body::write(body), body::no_trailers());
    // Only a status outside 100-599 is refused, and all `http::StatusCode` values that we send are inside.
    let _ = response.set_status_code(parts.status.as_u16());
    Ok(response)
}
