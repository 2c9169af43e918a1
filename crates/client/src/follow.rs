//! Redirects: which ones are followed, and with which headers.

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, header};
use url::Url;

use crate::{Body, Cause, Client, EndpointError, address, exchange};

/// Gets `url` and follows redirects. `secrets` are sent only to the origin of `url`, and no longer after a
/// redirect to another origin.
pub(crate) async fn get(
    client: &Client,
    url: &Url,
    headers: &HeaderMap,
    secrets: &HeaderMap,
    max_redirects: u32,
) -> Result<Response<Body>, EndpointError> {
    let mut url = url.clone();
    let mut at_home = true;
    for _ in 0..=max_redirects {
        let shown = address::redact(&url);
        let mut request = Request::get(url.as_str());
        if let Some(request) = request.headers_mut() {
            request.clone_from(headers);
            if at_home {
                request.extend(secrets.clone());
            }
        }
        let request = request
            .body(Bytes::new())
            .map_err(|error| exchange::failure(&shown, None, Cause::Invalid(error.to_string())))?;
        let answer = client
            .transport
            .send(request, None)
            .await
            .map_err(|error| exchange::failure(&shown, None, Cause::Transport(error)))?;
        if !is_redirect(answer.status()) {
            return Ok(answer);
        }
        let next = next(&url, answer.headers())
            .map_err(|what| exchange::failure(&shown, Some(answer.status()), Cause::Invalid(what.into())))?;
        at_home = at_home && next.origin() == url.origin();
        url = next;
    }
    let cause = Cause::Invalid(format!("more than {max_redirects} redirects"));
    Err(exchange::failure(&address::redact(&url), None, cause))
}

/// Redirects that give another URL for the same request: RFC 9110, section 15.4.
const fn is_redirect(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    )
}

/// The target of a redirect.
fn next(from: &Url, headers: &HeaderMap) -> Result<Url, &'static str> {
    let location = headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
    let next =
        location.and_then(|location| from.join(location).ok()).ok_or("a redirect without an address")?;
    match (from.scheme(), next.scheme()) {
        (_, "https") | ("http", "http") => Ok(next),
        ("https", "http") => Err("a redirect from https to http"),
        _ => Err("a redirect to something other than a web address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_redirect_leads() {
        for (from, location, expected) in [
            ("https://a.example/x/y", Some("z"), Ok("https://a.example/x/z")),
            ("https://a.example/x", Some("//b.example/z"), Ok("https://b.example/z")),
            ("http://a.example/x", Some("https://a.example/x"), Ok("https://a.example/x")),
            ("http://a.example/x", Some("http://b.example/"), Ok("http://b.example/")),
            ("https://a.example/x", Some("http://a.example/x"), Err("a redirect from https to http")),
            (
                "https://a.example/x",
                Some("file:///etc/passwd"),
                Err("a redirect to something other than a web address"),
            ),
            ("https://a.example/x", Some("http://"), Err("a redirect without an address")),
            ("https://a.example/x", None, Err("a redirect without an address")),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(location) = location {
                headers.insert(header::LOCATION, location.parse().unwrap());
            }
            let next = next(&from.parse().unwrap(), &headers);
            assert_eq!(next.as_ref().map(Url::as_str).map_err(|what| *what), expected, "{from} {location:?}");
        }
    }
}
