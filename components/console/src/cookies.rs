//! The console's cookies. None can be read by a script or sent from another site.

use std::time::Duration;

use http::HeaderValue;
use spindrift_web::Request;

/// A login token, as `POST /login` gives it. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SessionToken(String);

impl SessionToken {
    /// `None` if it cannot stand in a header: then it is no token.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let is_token = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        (!text.is_empty() && text.bytes().all(is_token)).then(|| Self(text.to_owned()))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

/// Which cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cookie {
    /// Holds the login token.
    Session,
    /// Holds random text for the forms that are shown before a login.
    Visitor,
    /// Holds a new secret on its way to the page that shows it.
    Shown,
}

/// How long a login token is valid: what the service gives it.
const SESSION_AGE: Duration = Duration::from_hours(24);
/// How long a login form may stay open.
const VISITOR_AGE: Duration = Duration::from_hours(1);
/// How long a page may take to ask for what it shows.
const SHOWN_AGE: Duration = Duration::from_mins(1);

impl Cookie {
    fn name(self) -> &'static str {
        match self {
            Self::Session => "spindrift_session",
            Self::Visitor => "spindrift_visitor",
            Self::Shown => "spindrift_shown",
        }
    }

    fn age(self) -> Duration {
        match self {
            Self::Session => SESSION_AGE,
            Self::Visitor => VISITOR_AGE,
            Self::Shown => SHOWN_AGE,
        }
    }

    /// The value that the browser sent.
    pub(crate) fn read(self, request: &Request) -> Option<SessionToken> {
        let headers = request.header_values("cookie");
        let pairs =
            headers.iter().filter_map(|header| header.to_str().ok()).flat_map(|header| header.split(';'));
        let mut values = pairs.filter_map(|pair| pair.trim().strip_prefix(self.name())?.strip_prefix('='));
        values.find_map(SessionToken::new)
    }

    /// A `Set-Cookie` header. `is_secure`: browsers may send it over https only.
    pub(crate) fn set(self, value: &SessionToken, is_secure: bool) -> Option<HeaderValue> {
        self.header(value.expose(), self.age(), is_secure)
    }

    /// A `Set-Cookie` header that removes it.
    pub(crate) fn remove(self, is_secure: bool) -> Option<HeaderValue> {
        self.header("", Duration::ZERO, is_secure)
    }

    fn header(self, value: &str, age: Duration, is_secure: bool) -> Option<HeaderValue> {
        let secure = if is_secure { "; Secure" } else { "" };
        let (name, age) = (self.name(), age.as_secs());
        let text = format!("{name}={value}; Path=/console; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
        let mut header = HeaderValue::try_from(text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}
