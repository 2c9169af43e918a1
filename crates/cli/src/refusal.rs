//! Error answers of the service.

use std::fmt;

use spindrift_api::ErrorCode;

use crate::exit;

/// Maximum number of characters to show of the service's text.
const MAX_TEXT_LENGTH: usize = 300;

/// An error answer of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    /// `code` of the body.
    pub(crate) code: Option<ErrorCode>,
    /// `error` of the body.
    pub(crate) text: String,
    /// `files` of the body: the affected files of an upload.
    pub(crate) files: Vec<String>,
    /// `X-Request-Id`, for finding the cause in the service's log.
    pub(crate) request_id: Option<String>,
    /// Seconds, from `Retry-After`.
    pub(crate) retry_after: Option<u64>,
}

impl Refusal {
    pub(crate) const fn exit_code(&self) -> u8 {
        match self.status {
            _ if matches!(self.code, Some(ErrorCode::AccessDenied)) => exit::NOT_ALLOWED,
            _ if matches!(self.code, Some(ErrorCode::ExpiredToken)) => exit::NOT_LOGGED_IN,
            400 | 405 | 413 | 415 | 422 => exit::USAGE,
            401 => exit::NOT_LOGGED_IN,
            403 => exit::NOT_ALLOWED,
            404 => exit::NOT_FOUND,
            409 | 410 => exit::CONFLICT,
            429 | 500.. => exit::UNAVAILABLE,
            _ => exit::FAILED,
        }
    }

    /// Whether the same call may succeed if it is soon repeated.
    pub(crate) const fn is_passing(&self) -> bool {
        matches!(self.status, 408 | 429 | 500 | 502..=504)
    }
}

impl Refusal {
    /// The failure, without advice, for a call that is retried anyway.
    pub(crate) fn brief(&self) -> String {
        match self.status {
            429 => "too many requests".to_owned(),
            500.. => {
                let id = self.request_id.as_deref().map(|id| format!(", request {}", one_line(id)));
                let text = one_line(&self.text);
                format!("the service failed with {} ({text}){}", self.status, id.unwrap_or_default())
            }
            _ => one_line(&self.text),
        }
    }
}

impl Refusal {
    /// The message for refusals whose code alone says what to do. `text`: that of the service.
    fn by_code(&self, text: &str) -> Option<String> {
        Some(match self.code.as_ref()? {
            ErrorCode::WrongCredentials | ErrorCode::WrongApiKey => format!("{text}: try again"),
            ErrorCode::SecondFactorRequired => {
                format!("{text}: run `spindrift login` without a name, which opens a browser")
            }
            ErrorCode::FreshLoginRequired => {
                format!("{text}: run `spindrift login`, and then this command again")
            }
            ErrorCode::InvalidIdentity | ErrorCode::PublisherMismatch | ErrorCode::PublisherChanged => {
                format!("the service does not accept this CI job: {text}")
            }
            ErrorCode::NotForCiTokens => {
                format!("{text}: log in as a person, with `spindrift login` and without SPINDRIFT_TOKEN")
            }
            // Neither another token nor another state of the service would change these.
            ErrorCode::AccessDenied
            | ErrorCode::ExpiredToken
            | ErrorCode::NotDelivered
            | ErrorCode::PasskeyRequired
            | ErrorCode::WebhooksOff => text.to_owned(),
            _ => return None,
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = one_line(&self.text);
        let code = self.code.as_ref().map(ErrorCode::as_str);
        if let Some(text) = self.by_code(&text) {
            return f.write_str(&text);
        }
        match self.status {
            401 => write!(
                f,
                "the service does not accept the token ({text}): run `spindrift login`, or set \
                 SPINDRIFT_TOKEN to a valid one"
            ),
            403 if text.starts_with("not allowed") => {
                write!(f, "{text}. Ask the owner for it, or use another token")
            }
            403 => write!(f, "not allowed ({text}): ask the owner for the permission, or use another token"),
            404 => write!(
                f,
                "{text}: check the spelling; the `list` commands and `spindrift releases` show the existing names"
            ),
            409 if self.code == Some(ErrorCode::WouldCutOff) => {
                write!(f, "{text}; nothing was changed: --force makes the change anyway")
            }
            409 if matches!(code, Some("wrong_state" | "release_changed")) => {
                write!(
                    f,
                    "{text}; nothing was changed: `spindrift rollout show` shows the state and the revision"
                )
            }
            409 if self.code == Some(ErrorCode::Busy) => write!(f, "{text}: try again in a minute"),
            409 => write!(
                f,
                "conflict ({text}): `spindrift releases` and the `list` commands show the existing items"
            ),
            429 => {
                let seconds = self.retry_after.unwrap_or(60);
                write!(f, "{}: try again in {seconds} s", self.brief())
            }
            502 if text.ends_with("; call again") => {
                write!(f, "{}: run the same command again", text.trim_end_matches("; call again"))
            }
            500.. => write!(f, "{}: `spindrift doctor` finds the problem", self.brief()),
            _ => write!(f, "the service refuses this: {text}"),
        }
    }
}

/// `text` on one line, shortened, and without characters that could control the terminal or hide
/// other text.
pub(crate) fn one_line(text: &str) -> String {
    let words = spindrift_core::one_line(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_TEXT_LENGTH) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, text: &str) -> Refusal {
        Refusal { status, text: text.to_owned(), ..Refusal::default() }
    }

    #[test]
    fn errors_are_one_line() {
        for status in [400, 401, 403, 404, 409, 410, 429, 500, 503] {
            let shown = refusal(status, "first\r\nsecond\u{1b}[31m").to_string();
            assert!(!shown.chars().any(char::is_control), "{shown:?}");
        }
        assert!(refusal(400, &"long ".repeat(1000)).to_string().len() < 400);
    }

    #[test]
    fn a_wrong_password_suggests_another_try() {
        for (code, message) in [
            (Some(ErrorCode::WrongCredentials), "try again"),
            (Some(ErrorCode::WrongApiKey), "try again"),
            (Some(ErrorCode::TokenExpired), "spindrift login"),
            (None, "spindrift login"),
        ] {
            let refusal = Refusal { code, ..refusal(401, "wrong") };
            assert!(refusal.to_string().contains(message), "{refusal}");
        }
    }

    #[test]
    fn orders_that_do_not_fit_suggest_to_look_at_the_rollout() {
        for (code, text) in [
            ("wrong_state", "the rollout is halted"),
            ("release_changed", "somebody has changed the release"),
        ] {
            let refusal = Refusal { code: Some(code.to_owned().into()), ..refusal(409, text) };
            let message = refusal.to_string();
            assert!(message.starts_with(text) && message.contains("spindrift rollout show"), "{message}");
        }
    }

    #[test]
    fn a_missing_right_is_named_once() {
        let text = "not allowed: the token lacks the right publish, and has upload";
        let message = refusal(403, text).to_string();
        assert_eq!(message, format!("{text}. Ask the owner for it, or use another token"));
        let other = refusal(403, "telemetry is disabled").to_string();
        assert!(other.starts_with("not allowed (telemetry is disabled)"), "{other}");
    }

    #[test]
    fn a_service_at_work_suggests_another_try() {
        let refusal = Refusal { code: Some(ErrorCode::Busy), ..refusal(409, "a guard run is under way") };
        assert_eq!(refusal.to_string(), "a guard run is under way: try again in a minute");
    }

    #[test]
    fn statuses_have_exit_codes() {
        for (status, code) in
            [(400, 2), (401, 3), (403, 4), (404, 5), (409, 6), (410, 6), (429, 7), (503, 7), (418, 1)]
        {
            assert_eq!(refusal(status, "").exit_code(), code, "{status}");
        }
    }
}
