//! The errors of the tests' client for answers that are not as documented.

use http::{HeaderMap, HeaderValue, Method};
use spindrift_tests::Answer;
use spindrift_tests::contract::Contract;

const JSON: &str = "application/json";

fn answer(status: u16, content_type: &'static str, body: &str) -> Answer {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static(content_type));
    Answer { status, headers, body: body.as_bytes().to_vec() }
}

fn check(method: &Method, path: &str, answer: &Answer) -> Result<(), String> {
    Contract::own().check(method, path, answer)
}

#[test]
fn answers_as_documented_pass() {
    let not_found = r#"{"error":"not found","code":"not_found"}"#;
    let not_allowed = r#"{"error":"method not allowed","code":"method_not_allowed"}"#;
    for (method, path, status, content_type, body) in [
        (Method::GET, "/health", 200, JSON, r#"{"status":"healthy"}"#),
        (Method::GET, "/health", 503, JSON, r#"{"status":"unhealthy","details":"database"}"#),
        (Method::GET, "/health", 503, JSON, r#"{"error":"e","code":"settings_unavailable"}"#),
        (Method::HEAD, "/health", 200, JSON, ""),
        (Method::OPTIONS, "/health", 204, "", ""),
        (Method::POST, "/login", 200, JSON, r#"{"token":"t"}"#),
        (Method::POST, "/app/create", 200, JSON, r#"{"createAppResult.Created":"1"}"#),
        (Method::GET, "/nowhere", 404, JSON, not_found),
        (Method::PUT, "/health", 405, JSON, not_allowed),
        (Method::GET, "/tuf/repository/ada/notes/targets/a/b/c.deb", 302, "", ""),
        (Method::GET, "/tuf/repository/ada/notes/targets/", 404, JSON, not_found),
        (Method::GET, "/update/o/a/c/p/x/1.0/", 200, "text/plain; charset=utf-8", "RELEASES"),
        (Method::GET, "/download", 200, "application/octet-stream", "bytes"),
    ] {
        assert_eq!(check(&method, path, &answer(status, content_type, body)), Ok(()), "{method} {path}");
    }
}

#[test]
fn answers_otherwise_do_not() {
    let refused = r#"{"error":"e","code":"forbidden"}"#;
    for (method, path, status, content_type, body, expected) in [
        (Method::GET, "/health", 201, JSON, "{}", "201 is not documented"),
        (Method::HEAD, "/health", 201, JSON, "", "201 is not documented"),
        (Method::GET, "/health", 200, JSON, "{}", "status"),
        (Method::GET, "/health", 200, JSON, r#"{"status":"healthy","more":1}"#, "more"),
        (Method::GET, "/health", 200, JSON, r#"{"status":1}"#, "status"),
        (Method::GET, "/health", 200, JSON, "healthy", "expected value"),
        (Method::GET, "/health", 200, "text/plain", "healthy", "the content type `text/plain`"),
        (Method::POST, "/login", 401, JSON, refused, "forbidden"),
        (Method::POST, "/login", 401, JSON, r#"{"error":"e"}"#, "code"),
        (Method::POST, "/app/create", 200, JSON, r#"{"createArchResult.Created":"1"}"#, "createAppResult"),
        (Method::GET, "/apps/latest", 302, "text/html", "moved", "a body that is not documented"),
        (Method::GET, "/nowhere", 200, JSON, "{}", "an unknown path"),
        (Method::PUT, "/health", 200, JSON, "{}", "a method that is not documented"),
        (Method::PUT, "/health", 404, JSON, r#"{"error":"e","code":"not_found"}"#, "405"),
        (Method::PUT, "/health", 405, JSON, "", "405"),
        (Method::GET, "/nowhere", 404, JSON, "", "an unknown path"),
        (Method::OPTIONS, "/health", 500, JSON, "", "a method that is not documented"),
        (Method::OPTIONS, "/health", 204, JSON, "{}", "a method that is not documented"),
    ] {
        let error = check(&method, path, &answer(status, content_type, body)).unwrap_err();
        assert!(error.contains(expected), "{method} {path}: {error}");
    }
}
