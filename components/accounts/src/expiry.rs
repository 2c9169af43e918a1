//! The expiry of a token.

use spindrift_core::{TextRule as _, Timestamp};
use spindrift_web::ApiError;

/// A time in [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339) after `now`; 400 otherwise.
pub(crate) fn parse(text: &str, now: Timestamp) -> Result<Timestamp, ApiError> {
    let time = Timestamp::from_rfc3339(text)
        .ok_or_else(|| ApiError::invalid("expires_at", Timestamp::RULE, Some(text)))?;
    if time <= now {
        Err(ApiError::invalid("expires_at", "a time in the future", Some(text)))
    } else {
        Ok(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_future() {
        let now = Timestamp::from_millis(1_795_225_422_000);
        for (text, expected) in [
            ("2026-11-21T01:43:43Z", Ok(1_795_225_423_000)),
            ("2026-11-21T03:43:42.5+02:00", Ok(1_795_225_422_500)),
            ("2026-11-21T01:43:42Z", Err("a time in the future")),
            ("2020-01-01T00:00:00Z", Err("a time in the future")),
            ("2026-11-21", Err("a time like 2026-11-27T20:00:00Z")),
            ("2026-11-21T01:43:43", Err("a time like 2026-11-27T20:00:00Z")),
            ("2026-11-22T02:43:43+25:00", Err("a time like 2026-11-27T20:00:00Z")),
            ("2026-11-21T01:43:43+00:00[UTC]", Err("a time like 2026-11-27T20:00:00Z")),
            ("tomorrow", Err("a time like 2026-11-27T20:00:00Z")),
            ("", Err("a time like 2026-11-27T20:00:00Z")),
        ] {
            let parsed = parse(text, now).map(Timestamp::as_millis).map_err(|error| error.to_string());
            let message = |rule| format!("invalid expires_at parameter: {rule}, not {text:?}");
            assert_eq!(parsed, expected.map_err(message), "{text}");
        }
    }
}
