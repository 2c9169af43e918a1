//! The text that is printed once the service runs: the console's address, and how to create the first admin.

use std::path::Path;

use http::{Method, StatusCode, header};

use crate::client::{Answer, send};

/// The page to log in at, which leads to [`SIGNUP`] while there is no admin.
const LOGIN: &str = "/console/login";
const SIGNUP: &str = "/console/signup";

/// The console of a running service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Console {
    has_admin: bool,
}

/// The place of the key that signing up needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignupKey<'a> {
    /// In this file of generated secrets.
    In(&'a Path),
    /// It was given when the program was started.
    Given,
    /// There is none, so nobody can sign up.
    None,
}

impl Console {
    /// Asks the service at `url`. `None`: it has no console, or does not answer.
    pub(crate) async fn of(url: &str) -> Option<Self> {
        Self::read(&send(Method::GET, &format!("{url}{LOGIN}"), &[("accept", "text/html")], "").await.ok()?)
    }

    fn read(answer: &Answer) -> Option<Self> {
        let location = answer.headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
        match (answer.status, location) {
            (StatusCode::OK, _) => Some(Self { has_admin: true }),
            (StatusCode::SEE_OTHER, Some(SIGNUP)) => Some(Self { has_admin: false }),
            _ => None,
        }
    }

    /// The lines to print. `address`: of the service, as people reach it, without a trailing slash.
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
    use http::{HeaderMap, HeaderValue};

    use super::*;

    fn answer(status: u16, location: Option<&'static str>) -> Answer {
        let location = location.map(|to| (header::LOCATION, HeaderValue::from_static(to)));
        let headers = location.into_iter().collect::<HeaderMap>();
        Answer { status: StatusCode::from_u16(status).unwrap(), headers, body: Bytes::new() }
    }

    #[test]
    fn the_login_page_tells_whether_there_is_an_admin() {
        for (status, location, has_admin) in [
            (200, None, Some(true)),
            (303, Some("/console/signup"), Some(false)),
            (303, Some("/elsewhere"), None),
            (404, None, None),
            (503, None, None),
        ] {
            let console = Console::read(&answer(status, location));
            assert_eq!(console.map(|console| console.has_admin), has_admin, "{status} {location:?}");
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
                "Create one at http://127.0.0.1:3000/console/signup with the api_key from .spindrift/secrets.json",
            ),
            (SignupKey::Given, "/console/signup with the api_key that you have set"),
            (SignupKey::None, "nobody can sign up: api_key is empty"),
        ] {
            let told = lines(false, key);
            assert_eq!((told.len(), told[0].as_str()), (2, console));
            assert!(told[1].ends_with(end), "{}", told[1]);
        }
    }
}
