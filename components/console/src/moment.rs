//! Times in fields of forms. Browsers write them without a zone: here they are in UTC.

/// Characters of a time to the minute.
const TO_THE_MINUTE: usize = "2026-11-21T01:43".len();

/// The time in a field, which may have no seconds, for a call. Other texts are refused by the service.
pub(crate) fn rfc3339(field: &str) -> String {
    let seconds = if field.len() == TO_THE_MINUTE { ":00" } else { "" };
    format!("{field}{seconds}Z")
}

/// The value of a field for a time of the service (RFC 3339, UTC).
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
