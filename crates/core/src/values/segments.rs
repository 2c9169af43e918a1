//! Texts as segments of a URL path.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters to encode in a segment: all but the unreserved characters of RFC 3986, section 2.3.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Prefix of the keys of groups.
const GROUP_KEY: &str = "grp_";

/// Joins texts to a path without a leading `/`. Each is percent-encoded: only `A-Za-z0-9-._~` stay,
/// and a space becomes `%20`.
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

/// A path for logs. It omits parameters of segments, such as the keys of groups in
/// `/arm64;os_version=13.6;group=grp_.../`, and keys of groups anywhere else.
pub fn path_for_logs(path: &str) -> Cow<'_, str> {
    if !path.contains([';', '%']) && !path.contains(GROUP_KEY) {
        return Cow::Borrowed(path);
    }
    let logged: Vec<Cow<'_, str>> = path.split('/').map(segment_for_logs).collect();
    Cow::Owned(logged.join("/"))
}

fn segment_for_logs(segment: &str) -> Cow<'_, str> {
    let encoded = segment.to_ascii_lowercase();
    let parameters = [";", "%3b", GROUP_KEY].into_iter().filter_map(|start| encoded.find(start)).min();
    match parameters.and_then(|start| segment.get(..start)) {
        Some(start) => Cow::Owned(format!("{start};...")),
        None => Cow::Borrowed(segment),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_have_no_parameters_of_segments() {
        for (path, logged) in [
            ("/velopack/acme/notes/macos/arm64/RELEASES", "/velopack/acme/notes/macos/arm64/RELEASES"),
            ("/a/arm64;os_version=13;group=grp_0a/b.json", "/a/arm64;.../b.json"),
            ("/a/arm64%3Bgroup=grp_0a/b%20c", "/a/arm64;.../b%20c"),
            ("/a/x%3bGROUP=GRP_0A", "/a/x;..."),
            ("/a/grp_0a/b", "/a/;.../b"),
            ("/ä;b", "/ä;..."),
            ("", ""),
        ] {
            assert_eq!(path_for_logs(path), logged, "{path}");
        }
    }

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
