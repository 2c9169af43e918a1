//! `Retry-After`, RFC 9110 section 10.2.3.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, header};

/// The delay in `Retry-After`, given as seconds or a date; a date in the past means no delay. `None` without
/// a valid header.
pub(crate) fn parse(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (text, expected) in [
            ("120", Some(120)),
            ("0", Some(0)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, text.parse().unwrap());
            assert_eq!(parse(&headers, now), expected.map(Duration::from_secs), "{text}");
        }
        assert_eq!(parse(&HeaderMap::new(), now), None);
    }
}
