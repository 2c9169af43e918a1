//! The console's cookies. Scripts cannot read them, and other sites cannot send them.
//!
//! If cookies are restricted to https, their names begin with `__Host-`. Browsers then reject a
//! cookie with this name from another host in the same domain ([cookie name
//! prefixes](https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis)). Such a cookie
//! has the path `/`.

use std::time::Duration;

use http::HeaderValue;
use spindrift_web::Request;

/// A login token, as returned by `POST /login`, or another secret. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SessionToken(String);

impl SessionToken {
    /// `None`: the text is not a valid cookie value, so it cannot be a token.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let is_token =
            |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+' | b'/' | b'=');
        (!text.is_empty() && text.bytes().all(is_token)).then(|| Self(text.to_owned()))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cookie {
    /// The login token.
    Session,
    /// Random text, for forms that are shown before a login.
    Visitor,
    /// A new secret, on its way to the page that shows it.
    Shown,
    /// A sign-in at the provider for single sign-on.
    SignIn,
}

/// Validity of a login token, which the service determines.
const SESSION_AGE: Duration = Duration::from_hours(24);
/// How long a login form may stay open.
const VISITOR_AGE: Duration = Duration::from_hours(1);
/// Time limit for loading the page that shows a secret.
const SHOWN_AGE: Duration = Duration::from_mins(1);
/// How long somebody can take at the provider, which the service determines.
const SIGN_IN_AGE: Duration = Duration::from_mins(10);

impl Cookie {
    fn name(self, is_secure: bool) -> &'static str {
        match (self, is_secure) {
            (Self::Session, true) => "__Host-spindrift_session",
            (Self::Session, false) => "spindrift_session",
            (Self::Visitor, true) => "__Host-spindrift_visitor",
            (Self::Visitor, false) => "spindrift_visitor",
            (Self::Shown, true) => "__Host-spindrift_shown",
            (Self::Shown, false) => "spindrift_shown",
            (Self::SignIn, true) => "__Host-spindrift_sign_in",
            (Self::SignIn, false) => "spindrift_sign_in",
        }
    }

    fn age(self) -> Duration {
        match self {
            Self::Session => SESSION_AGE,
            Self::Visitor => VISITOR_AGE,
            Self::Shown => SHOWN_AGE,
            Self::SignIn => SIGN_IN_AGE,
        }
    }

    /// The value that the browser sent. `is_secure`: as for [`Self::set`].
    pub(crate) fn read(self, request: &Request, is_secure: bool) -> Option<SessionToken> {
        let headers = request.header_values("cookie");
        let pairs =
            headers.iter().filter_map(|header| header.to_str().ok()).flat_map(|header| header.split(';'));
        let mut values =
            pairs.filter_map(|pair| pair.trim().strip_prefix(self.name(is_secure))?.strip_prefix('='));
        values.find_map(SessionToken::new)
    }

    /// A `Set-Cookie` header. `is_secure`: browsers may send it over https only.
    pub(crate) fn set(self, value: &SessionToken, is_secure: bool) -> Option<HeaderValue> {
        self.header(value.expose(), self.age(), is_secure)
    }

    /// A `Set-Cookie` header that deletes the cookie.
    pub(crate) fn remove(self, is_secure: bool) -> Option<HeaderValue> {
        self.header("", Duration::ZERO, is_secure)
    }

    fn header(self, value: &str, age: Duration, is_secure: bool) -> Option<HeaderValue> {
        let (path, secure) = if is_secure { ("/", "; Secure") } else { ("/console", "") };
        let (name, age) = (self.name(is_secure), age.as_secs());
        let text = format!("{name}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
        let mut header = HeaderValue::try_from(text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(cookies: &str) -> Request {
        let request = http::Request::get("/console/").header("cookie", cookies).body(()).unwrap();
        Request::new(request.into_parts().0, Box::pin(futures::stream::empty()))
    }

    #[test]
    fn over_https_only_the_host_itself_sets_the_cookies() {
        for cookie in [Cookie::Session, Cookie::Visitor, Cookie::SignIn] {
            let set = cookie.set(&SessionToken::new("abc").unwrap(), true).unwrap();
            let set = set.to_str().unwrap();
            assert!(set.starts_with("__Host-") && set.contains("; Path=/; ") && set.ends_with("; Secure"));
            assert!(!set.contains("Domain"));
            let kept = set.split(';').next().unwrap();
            assert_eq!(cookie.read(&request(kept), true).unwrap().expose(), "abc");
            let of_another_host = kept.trim_start_matches("__Host-");
            assert!(cookie.read(&request(of_another_host), true).is_none(), "{of_another_host}");
            assert!(cookie.read(&request(kept), false).is_none(), "the setting has changed");
        }
    }
}
