//! A component that follows the commands in a request, for tests of `spin-host`.
//!
//! The last path segment names the operation, and the query is its argument. An error is a status 500 with its text.
#![cfg(target_family = "wasm")]
#![cfg_attr(target_family = "wasm", expect(unsafe_code, reason = "the entry point that the SDK generates"))]

use futures::{SinkExt as _, StreamExt as _};
use spin_sdk::http::{
    Fields, IncomingRequest, Method, OutgoingResponse, Request, Response, ResponseOutparam,
};
use spin_sdk::http_component;
use spin_sdk::key_value::Store;
use spin_sdk::sqlite::{Connection, Value};
use spin_sdk::wit::wasi::keyvalue::{atomics, store};

#[http_component]
async fn handle(request: IncomingRequest, outparam: ResponseOutparam) {
    let target = request.path_with_query().unwrap_or_default();
    let (path, argument) = target.split_once('?').unwrap_or((&target, ""));
    let operation = path.rsplit('/').next().unwrap_or_default();
    if operation == "echo" {
        return echo(request, outparam).await;
    }
    let headers = request.headers().entries();
    let answer = match operation {
        "headers" => Ok(list(&headers)),
        "increment" => increment(argument),
        "set" => set(argument),
        "get" => get(argument),
        "race" => race(argument),
        "sql" => sql(argument),
        "variable" => spin_sdk::variables::get(argument).map_err(|error| error.to_string()),
        "environment" => std::env::var(argument).map_err(|error| error.to_string()),
        "fetch" => fetch(argument).await,
        "trap" => unreachable!("asked to"),
        "spin" => forever(),
        "grow" => Ok(vec![1_u8; argument.parse::<usize>().unwrap_or(0) << 20].len().to_string()),
        "later" => return later(argument, outparam).await,
        _ => Ok("ok".to_owned()),
    };
    send(outparam, answer).await;
}

type Answer = Result<String, String>;

async fn send(outparam: ResponseOutparam, answer: Answer) {
    let (status, text) = match answer {
        Ok(text) => (200, text),
        Err(text) => (500, text),
    };
    let length = text.len().to_string().into_bytes();
    let Ok(headers) = Fields::from_list(&[("content-length".to_owned(), length)]) else { return };
    let response = OutgoingResponse::new(headers);
    let _ = response.set_status_code(status);
    let mut body = response.take_body();
    outparam.set(response);
    let _ = body.send(text.into_bytes()).await;
}

/// Sends the request's body back, chunk by chunk.
async fn echo(request: IncomingRequest, outparam: ResponseOutparam) {
    let response = OutgoingResponse::new(Fields::new());
    let mut body = response.take_body();
    outparam.set(response);
    let mut chunks = request.into_body_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        if body.send(chunk).await.is_err() {
            return;
        }
    }
}

/// Answers first, and increments the counter afterwards.
async fn later(key: &str, outparam: ResponseOutparam) {
    send(outparam, Ok("soon".to_owned())).await;
    let _ = increment(key);
}

fn list(headers: &[(String, Vec<u8>)]) -> String {
    headers.iter().map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value))).collect()
}

fn increment(key: &str) -> Answer {
    let bucket = store::open("default").map_err(|error| format!("{error:?}"))?;
    atomics::increment(&bucket, key, 1).map(|sum| sum.to_string()).map_err(|error| format!("{error:?}"))
}

fn set(argument: &str) -> Answer {
    let (key, value) = argument.split_once('=').ok_or("key=value")?;
    let store = Store::open_default().map_err(|error| format!("{error:?}"))?;
    store.set(key, value.as_bytes()).map_err(|error| format!("{error:?}")).map(|()| String::new())
}

fn get(key: &str) -> Answer {
    let store = Store::open_default().map_err(|error| format!("{error:?}"))?;
    let value = store.get(key).map_err(|error| format!("{error:?}"))?;
    Ok(value.map_or_else(|| "(absent)".to_owned(), |value| String::from_utf8_lossy(&value).into_owned()))
}

/// Changes the key between reading and swapping it, then swaps with the handle from the failure.
fn race(key: &str) -> Answer {
    let bucket = store::open("default").map_err(|error| format!("{error:?}"))?;
    let cas = atomics::Cas::new(&bucket, key).map_err(|error| format!("{error:?}"))?;
    bucket.set(key, b"other").map_err(|error| format!("{error:?}"))?;
    match atomics::swap(cas, b"mine") {
        Err(atomics::CasError::CasFailed(cas)) => {
            let seen = cas.current().map_err(|error| format!("{error:?}"))?.unwrap_or_default();
            atomics::swap(cas, b"mine").map_err(|error| format!("{error:?}"))?;
            Ok(format!("saw {}, now mine", String::from_utf8_lossy(&seen)))
        }
        other => Err(format!("{other:?}")),
    }
}

fn sql(argument: &str) -> Answer {
    let statement = argument.replace('+', " ").replace("%25", "%").replace("%22", "\"");
    let connection = Connection::open_default().map_err(|error| format!("{error:?}"))?;
    let result = connection.execute(&statement, &[]).map_err(|error| format!("{error:?}"))?;
    let text = |value: &Value| match value {
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{bytes:?}"),
        Value::Null => "null".to_owned(),
    };
    let rows = result.rows.iter().map(|row| row.values.iter().map(text).collect::<Vec<_>>().join(","));
    Ok(rows.collect::<Vec<_>>().join(";"))
}

async fn fetch(url: &str) -> Answer {
    let request = Request::builder().method(Method::Get).uri(url).build();
    let response: Response = spin_sdk::http::send(request).await.map_err(|error| error.to_string())?;
    Ok(format!("{} {}", response.status(), String::from_utf8_lossy(response.body())))
}

fn forever() -> Answer {
    let mut n = 0_u64;
    loop {
        n = std::hint::black_box(n.wrapping_add(1));
    }
}
