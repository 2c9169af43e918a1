//! [Cross-origin requests](https://fetch.spec.whatwg.org/#http-cors-protocol): pages of chosen origins may
//! send and read objects, as everyone may who has the URL.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};

/// The methods that pages may use.
const METHODS: [Method; 2] = [Method::GET, Method::PUT];
/// The headers that a presigned upload has.
const HEADERS: HeaderValue = HeaderValue::from_static("content-md5, content-type");
/// Seconds for which a browser may keep the answer to a preflight.
const PREFLIGHT_MAX_AGE_SECONDS: HeaderValue = HeaderValue::from_static("600");
/// The entry of the list that allows every origin.
const ANY: &str = "*";

#[derive(Debug, Clone)]
pub(super) struct Origins(Arc<[String]>);

/// The CORS-related part of a request.
pub(super) struct CorsRequest {
    /// The origin of the page that sends the request, if it is allowed.
    allowed: Option<HeaderValue>,
    /// Whether the browser asks if the page may send the request.
    pub(super) is_preflight: bool,
}

impl Origins {
    pub(super) fn new(origins: &[String]) -> Self {
        Self(origins.into())
    }

    pub(super) fn of(&self, method: &Method, headers: &HeaderMap) -> CorsRequest {
        let wanted = headers.get(header::ACCESS_CONTROL_REQUEST_METHOD);
        let is_preflight = *method == Method::OPTIONS && wanted.is_some();
        let used =
            if is_preflight { wanted.and_then(|wanted| wanted.to_str().ok()) } else { Some(method.as_str()) };
        let may = METHODS.iter().any(|method| used == Some(method.as_str()));
        let origin = headers.get(header::ORIGIN).filter(|_| may);
        let allowed = origin.filter(|origin| {
            self.0.iter().any(|own| own == ANY || own.as_bytes().eq_ignore_ascii_case(origin.as_bytes()))
        });
        CorsRequest { allowed: allowed.cloned(), is_preflight }
    }
}

impl CorsRequest {
    /// The answer to a preflight. Without headers that allow the request, the browser does not send it.
    pub(super) fn preflight<B: Default>(&self) -> Response<B> {
        let mut answer = Response::new(B::default());
        *answer.status_mut() = StatusCode::NO_CONTENT;
        let headers = answer.headers_mut();
        if self.allowed.is_some() {
            headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, PUT"));
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE_SECONDS);
        }
        self.mark(headers);
        answer
    }

    /// Lets a page of an allowed origin read the answer.
    pub(super) fn mark(&self, headers: &mut HeaderMap) {
        if let Some(origin) = &self.allowed {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.append(header::VARY, HeaderValue::from_static("Origin"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cors_request(origins: &[&str], method: &Method, origin: &str, wanted: Option<&str>) -> CorsRequest {
        let origins: Vec<String> = origins.iter().map(|origin| (*origin).to_owned()).collect();
        let mut headers = HeaderMap::new();
        headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        if let Some(wanted) = wanted {
            headers.insert(header::ACCESS_CONTROL_REQUEST_METHOD, HeaderValue::from_str(wanted).unwrap());
        }
        Origins::new(&origins).of(method, &headers)
    }

    #[test]
    fn only_allowed_pages_may_send_and_read() {
        let own = "https://console.example";
        for (origins, method, origin, wanted, is_allowed) in [
            (&[own][..], Method::OPTIONS, own, Some("PUT"), true),
            (&[own], Method::PUT, own, None, true),
            (&["*"], Method::PUT, "https://other.example", None, true),
            (&[own], Method::PUT, "https://other.example", None, false),
            (&[own], Method::PUT, "https://console.example.evil.example", None, false),
            (&[own], Method::OPTIONS, own, Some("DELETE"), false),
            (&[own], Method::GET, own, None, true),
            (&[own], Method::GET, "https://other.example", None, false),
            (&[own], Method::DELETE, own, None, false),
            (&[], Method::PUT, own, None, false),
        ] {
            let asked = cors_request(origins, &method, origin, wanted);
            let mut headers = HeaderMap::new();
            asked.mark(&mut headers);
            let shown = headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN).map(|value| value.to_str().unwrap());
            assert_eq!(shown, is_allowed.then_some(origin), "{method} {origin} {wanted:?}");
        }
    }

    #[test]
    fn a_preflight_tells_what_is_allowed() {
        let own = "https://console.example";
        let answer: Response<()> = cors_request(&[own], &Method::OPTIONS, own, Some("PUT")).preflight();
        assert_eq!(answer.status(), StatusCode::NO_CONTENT);
        assert_eq!(answer.headers()[header::ACCESS_CONTROL_ALLOW_METHODS], "GET, PUT");
        assert_eq!(answer.headers()[header::ACCESS_CONTROL_ALLOW_HEADERS], "content-md5, content-type");
        let answer: Response<()> = cors_request(&[], &Method::OPTIONS, own, Some("PUT")).preflight();
        assert!(answer.headers().is_empty());
    }
}
