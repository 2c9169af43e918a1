//! Values of arguments that several commands share.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use spindrift_api::GuardActionName;
use spindrift_core::{MAX_PUBLIC_REASON_CHARS, Timestamp};

/// A time with an offset, or in UTC.
pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    let time = Timestamp::from_rfc3339(text);
    time.ok_or_else(|| "a time looks like 2026-12-01T09:00:00+01:00, or 2026-12-01T08:00:00Z".to_owned())
}

/// Validates the reason of a withdrawal or a shut-off.
pub(super) fn public_reason(text: &str) -> Result<String, String> {
    let reason = text.trim();
    match reason.chars().count() {
        1..=MAX_PUBLIC_REASON_CHARS => Ok(reason.to_owned()),
        _ => Err(format!("a reason has 1 to {MAX_PUBLIC_REASON_CHARS} characters")),
    }
}

/// Parses the step of a guard: `pause` or `halt`.
pub(crate) fn guard_step() -> impl TypedValueParser<Value = GuardActionName> {
    PossibleValuesParser::new(["pause", "halt"]).map(|step| match step.as_str() {
        "halt" => GuardActionName::Halt,
        _ => GuardActionName::Pause,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_an_offset() {
        for text in ["2026-12-01T09:00:00+01:00", "2026-12-01T08:00:00Z"] {
            assert_eq!(time(text).map(Timestamp::to_rfc3339), Ok("2026-12-01T08:00:00+00:00".to_owned()));
        }
        for text in ["2026-12-01", "2026-12-01T08:00:00", "tomorrow", ""] {
            assert!(time(text).unwrap_err().starts_with("a time looks like"), "{text}");
        }
    }

    #[test]
    fn reasons_are_short() {
        let long = "ä".repeat(MAX_PUBLIC_REASON_CHARS);
        assert_eq!(public_reason(&format!(" {long}\n")), Ok(long.clone()));
        for text in ["", "  ", &format!("{long}.")] {
            assert_eq!(public_reason(text), Err("a reason has 1 to 200 characters".to_owned()));
        }
    }
}
