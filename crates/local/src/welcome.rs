//! The text that is printed once the service is running: the console's address, and how to create the first
//! admin.

use std::path::Path;

use http::{Method, StatusCode};
use serde_json::Value;

use crate::client::{HttpAnswer, send};
use crate::own_requests::OwnRequests;

/// The call that reports whether there is an admin.
const STATE: &str = "/signup";
/// The page for creating the first admin.
const SIGNUP: &str = "/console/signup";

/// The console of a running service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Console {
    has_admin: bool,
}

/// Where to find the key that signing up requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignupKey<'a> {
    /// In this file of generated secrets.
    In(&'a Path),
    /// It was given when the program was started.
    Given,
    /// There is no key, so nobody can sign up.
    None,
}

impl Console {
    /// Asks the service at `url`. `None` if it has no console or does not answer.
    pub(crate) async fn of(url: &str, own: &OwnRequests) -> Option<Self> {
        Self::read(&send(Method::GET, &format!("{url}{STATE}"), &[own.header()], "").await.ok()?)
    }

    fn read(answer: &HttpAnswer) -> Option<Self> {
        let has_admin = answer.json().get("has_admin").and_then(Value::as_bool);
        has_admin.filter(|_| answer.status == StatusCode::OK).map(|has_admin| Self { has_admin })
    }

    /// The lines to print. `address` is that of the service, as people reach it, without a trailing slash.
    pub(crate) fn lines(self, address: &str, key: SignupKey<'_>) -> Vec<String> {
        let console = format!("Console {address}/console/");
        if self.has_admin {
            return vec![console];
        }
        let create = format!("There is no admin yet. Create one at {address}{SIGNUP}");
        let how = match key {
            SignupKey::In(path) => format!("{create} with the api_key from {}", path.display()),
            SignupKey::Given => format!("{create} with the api_key that you have set"),
            SignupKey::None => "There is no admin yet, and nobody can sign up: api_key is empty".to_owned(),
        };
        vec![console, how]
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderMap;

    use super::*;

    fn answer(status: u16, body: &'static str) -> HttpAnswer {
        let (headers, body) = (HeaderMap::new(), Bytes::from_static(body.as_bytes()));
        HttpAnswer { status: StatusCode::from_u16(status).unwrap(), headers, body }
    }

    #[test]
    fn the_service_tells_whether_there_is_an_admin() {
        for (status, body, has_admin) in [
            (200, r#"{"has_admin":true}"#, Some(true)),
            (200, r#"{"has_admin":false}"#, Some(false)),
            (200, "hello", None),
            (404, "", None),
            (503, r#"{"error":"the database is unavailable"}"#, None),
        ] {
            let console = Console::read(&answer(status, body));
            assert_eq!(console.map(|console| console.has_admin), has_admin, "{status} {body}");
        }
    }

    #[test]
    fn people_are_told_where_to_go() {
        let lines = |has_admin, key| Console { has_admin }.lines("http://127.0.0.1:3000", key);
        let console = "Console http://127.0.0.1:3000/console/";
        let file = Path::new(".spindrift/secrets.json");
        assert_eq!(lines(true, SignupKey::In(file)), [console]);
        for (key, end) in [
            (
                SignupKey::In(file),
                "Create one at http://127.0.0.1:3000/console/signup with the api_key from \
                 .spindrift/secrets.json",
            ),
            (SignupKey::Given, "/console/signup with the api_key that you have set"),
            (SignupKey::None, "nobody can sign up: api_key is empty"),
        ] {
            let text = lines(false, key);
            assert_eq!((text.len(), text[0].as_str()), (2, console));
            assert!(text[1].ends_with(end), "{}", text[1]);
        }
    }
}
