//! Times in form fields. Browsers send them without a time zone; here they are in UTC.

/// Length of a time to the minute.
const TO_THE_MINUTE: usize = "2026-11-21T01:43".len();

/// Converts the time in a field, with or without seconds, to RFC 3339. The service rejects other
/// texts.
pub(crate) fn rfc3339(field: &str) -> String {
    let seconds = if field.len() == TO_THE_MINUTE { ":00" } else { "" };
    format!("{field}{seconds}Z")
}

/// Converts a time of the service (RFC 3339, UTC) to the value of a field.
pub(crate) fn field(moment: &str) -> &str {
    moment.get(..TO_THE_MINUTE).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_utc() {
        assert_eq!(rfc3339("2026-11-26T10:00"), "2026-11-26T10:00:00Z");
        assert_eq!(rfc3339("2026-11-26T10:00:30"), "2026-11-26T10:00:30Z");
        assert_eq!(field("2026-11-26T10:00:30+00:00"), "2026-11-26T10:00");
        assert_eq!(field("soon"), "");
    }
}
