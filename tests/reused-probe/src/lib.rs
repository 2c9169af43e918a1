//! A component of WASI 0.3 that does what a request says, for tests of `spin-host`. Its instances answer many requests.
//!
//! The last path segment names the operation, and the query is its argument. An error is a status 500 with its text.
#![cfg(target_family = "wasm")]

mod bindings {
    #![expect(clippy::same_length_and_capacity, reason = "generated bindings")]

    wit_bindgen::generate!({ path: "../../wit", world: "spindrift:service/components", generate_all });
}

use std::cell::Cell;

use bindings::wasi::keyvalue::{atomics, store};
use wasip3::clocks::monotonic_clock::wait_for;
use wasip3::exports::http::handler::Guest;
use wasip3::http::client;
use wasip3::http::types::{ErrorCode, Fields, Request, Response, Scheme};
use wasip3::wit_bindgen::StreamResult;
use wasip3::{wit_future, wit_stream};

/// How long work after an answer waits before it is done.
const LATER_NANOS: u64 = 250_000_000;

thread_local! {
    /// Requests that this instance has begun.
    static REQUESTS: Cell<u32> = const { Cell::new(0) };
}

struct Component;

wasip3::http::service::export!(Component);

impl Guest for Component {
    async fn handle(request: Request) -> Result<Response, ErrorCode> {
        REQUESTS.set(REQUESTS.get() + 1);
        let target = request.get_path_with_query().unwrap_or_default();
        let (path, argument) = target.split_once('?').unwrap_or((&target, ""));
        let operation = path.rsplit('/').next().unwrap_or_default();
        let answer = match operation {
            "echo" => return echo(request),
            "error" => return Err(ErrorCode::InternalError(Some("asked to".to_owned()))),
            "headers" => Ok(list(&request)),
            "count" => Ok(REQUESTS.get().to_string()),
            "slow" => slow(argument).await,
            "increment" => increment(argument),
            "stores" => stores(argument),
            "later" => later(argument),
            "fetch" => fetch(argument).await,
            "trap" => unreachable!("asked to"),
            "spin" => forever(),
            "grow" => Ok(vec![1_u8; argument.parse::<usize>().unwrap_or(0) << 20].len().to_string()),
            _ => Ok("ok".to_owned()),
        };
        send(answer)
    }
}

type Answer = Result<String, String>;

fn send(answer: Answer) -> Result<Response, ErrorCode> {
    let (status, text) = match answer {
        Ok(text) => (200, text),
        Err(text) => (500, text),
    };
    let length = [("content-length".to_owned(), text.len().to_string().into_bytes())];
    let headers = Fields::from_list(&length).map_err(|_| ErrorCode::HttpProtocolError)?;
    let (mut sink, stream) = wit_stream::new();
    wit_bindgen::spawn(async move {
        let _unread = sink.write_all(text.into_bytes()).await;
    });
    let (response, _sent) = Response::new(headers, Some(stream), wit_future::new(|| Ok(None)).1);
    response.set_status_code(status).map_err(|()| ErrorCode::HttpProtocolError)?;
    Ok(response)
}

/// Sends the request's body back.
fn echo(request: Request) -> Result<Response, ErrorCode> {
    let (body, end) = Request::consume_body(request, wit_future::new(|| Ok(())).1);
    let (response, _sent) = Response::new(Fields::new(), Some(body), end);
    Ok(response)
}

/// Scheme and authority of the request, and its headers.
fn list(request: &Request) -> String {
    let scheme = match request.get_scheme() {
        Some(Scheme::Http) => "http",
        _ => "other",
    };
    let authority = request.get_authority().unwrap_or_default();
    let headers = request.get_headers().copy_all();
    let lines = headers.iter().map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value)));
    format!("{scheme}://{authority}\n{}", lines.collect::<String>())
}

/// Waits so many milliseconds. Answers how many requests the instance has begun by then.
async fn slow(milliseconds: &str) -> Answer {
    let milliseconds: u64 = milliseconds.parse().map_err(|_| "milliseconds")?;
    wait_for(milliseconds * 1_000_000).await;
    Ok(REQUESTS.get().to_string())
}

fn increment(key: &str) -> Answer {
    let bucket = store::open("default").map_err(|error| format!("{error:?}"))?;
    atomics::increment(&bucket, key, 1).map(|sum| sum.to_string()).map_err(|error| format!("{error:?}"))
}

/// Opens so many stores, and closes them.
fn stores(count: &str) -> Answer {
    let count: usize = count.parse().map_err(|_| "a number")?;
    let open = |_| store::open("default").map_err(|error| format!("{error:?}"));
    let stores = (0..count).map(open).collect::<Result<Vec<_>, _>>()?;
    Ok(stores.len().to_string())
}

/// Increments the counter a while after the answer.
fn later(key: &str) -> Answer {
    let key = key.to_owned();
    wit_bindgen::spawn(async move {
        wait_for(LATER_NANOS).await;
        let _ = increment(&key);
    });
    Ok("soon".to_owned())
}

/// Sends a GET to `http://authority/path`.
async fn fetch(url: &str) -> Answer {
    let rest = url.strip_prefix("http://").ok_or("http://")?;
    let (authority, path) = rest.split_once('/').ok_or("a path")?;
    let (request, _sent) = Request::new(Fields::new(), None, wit_future::new(|| Ok(None)).1, None);
    request
        .set_scheme(Some(&Scheme::Http))
        .and_then(|()| request.set_authority(Some(authority)))
        .and_then(|()| request.set_path_with_query(Some(&format!("/{path}"))))
        .map_err(|()| "a URL")?;
    let response = client::send(request).await.map_err(|error| format!("{error:?}"))?;
    let status = response.get_status_code();
    let (mut body, _end) = Response::consume_body(response, wit_future::new(|| Ok(())).1);
    let mut text = Vec::new();
    loop {
        let (result, bytes) = body.read(Vec::with_capacity(4096)).await;
        text.extend(bytes);
        if !matches!(result, StreamResult::Complete(_)) {
            return Ok(format!("{status} {}", String::from_utf8_lossy(&text)));
        }
    }
}

fn forever() -> Answer {
    let mut n = 0_u64;
    loop {
        n = std::hint::black_box(n.wrapping_add(1));
    }
}
