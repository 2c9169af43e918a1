//! Texts as segments of a URL path.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters to encode in a segment: all but the unreserved characters of RFC 3986, section 2.3.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Texts as a path without a leading `/`, each percent-encoded: only `A-Za-z0-9-._~` stay, a space is `%20`.
pub fn encode_segments<'a>(segments: impl IntoIterator<Item = &'a str>) -> String {
    let mut path = String::new();
    for (index, segment) in segments.into_iter().enumerate() {
        if index > 0 {
            path.push('/');
        }
        path.extend(utf8_percent_encode(segment, ENCODED));
    }
    path
}

/// Decodes a percent-encoded segment. `None`: the result is not UTF-8.
pub fn decode_segment(segment: &str) -> Option<String> {
    Some(percent_decode_str(segment).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_survive() {
        let segments = ["", "my app-é", "1.0~x_y", "a b+c%2F?#&/.zip"];
        let path = encode_segments(segments);
        assert_eq!(path, "/my%20app-%C3%A9/1.0~x_y/a%20b%2Bc%252F%3F%23%26%2F.zip");
        let decoded: Vec<_> = path.split('/').map(|segment| decode_segment(segment).unwrap()).collect();
        assert_eq!(decoded, segments);
        assert_eq!(decode_segment("%ff"), None);
    }
}
