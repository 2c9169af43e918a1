//! Lets the program around a host learn about its requests.

use std::fmt::Debug;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use wasmtime_wasi_http::{Error, WasiBody};

/// Learns about requests from outside, and may add to their answers.
pub trait Observer: Debug + Send + Sync {
    /// A component has begun to answer a request, after this time.
    fn answered(&self, component: &str, status: StatusCode, time: Duration);

    /// A text that is appended to the answer of a `GET` of this path, if its status is 200.
    fn addition(&self, path: &str) -> Option<String>;
}

/// The answer with the observer's addition.
pub(crate) async fn add(
    observer: &dyn Observer,
    method: &Method,
    path: &str,
    answer: Response<WasiBody>,
) -> Result<Response<WasiBody>, Error> {
    let may_have_more = *method == Method::GET && answer.status() == StatusCode::OK;
    let Some(addition) = may_have_more.then(|| observer.addition(path)).flatten() else { return Ok(answer) };
    let (mut parts, body) = answer.into_parts();
    let mut whole = body.collect().await?.to_bytes().to_vec();
    whole.extend_from_slice(addition.as_bytes());
    parts.headers.remove(header::CONTENT_LENGTH);
    let body = Full::new(Bytes::from(whole)).map_err(|never| match never {}).boxed_unsync();
    Ok(Response::from_parts(parts, body))
}
