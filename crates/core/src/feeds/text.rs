//! Helpers shared by the formats: text, references to files, URLs.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::FeedError;
use crate::{MAX_FEED_BYTES, MAX_FILE_NAME_BYTES};

/// Characters that never occur in a valid URL. Encoding only these leaves an encoded URL unchanged. See [RFC
/// 3986, appendix A](https://www.rfc-editor.org/rfc/rfc3986#appendix-A).
const NOT_IN_ADDRESSES: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The text of a feed without its byte order mark. Must be UTF-8, which is what all these tools write.
pub(super) fn decode<'a>(feed: &'static str, bytes: &'a [u8]) -> Result<&'a str, FeedError> {
    if u64::try_from(bytes.len()).map_or(true, |length| length > MAX_FEED_BYTES) {
        return Err(FeedError::whole(feed, format!("larger than {MAX_FEED_BYTES} bytes")));
    }
    let not_utf8 = |_| FeedError::whole(feed, "not UTF-8: save it in that encoding");
    let text = std::str::from_utf8(bytes).map_err(not_utf8)?;
    // Latin text in UTF-16 without a byte order mark is valid UTF-8 full of NUL characters.
    let is_stray = |b: &u8| *b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r');
    if let Some(stray) = bytes.iter().copied().find(|b| is_stray(b)) {
        let problem = format!("the control character U+{stray:04X}, which UTF-8 text does not have");
        return Err(FeedError::whole(feed, problem));
    }
    let text = text.strip_prefix(MARK).unwrap_or(text);
    // A parser that skips the mark would report offsets into another text.
    if text.starts_with(MARK) {
        return Err(FeedError::whole(feed, "two byte order marks"));
    }
    Ok(text)
}

/// Parses several feeds; the first error fails them all.
pub(super) fn parse_all<R>(
    files: &[&[u8]],
    parse: fn(&[u8]) -> Result<R, FeedError>,
) -> Result<Vec<R>, FeedError> {
    files.iter().map(|bytes| parse(bytes)).collect()
}

/// Whether a reference in a feed is an absolute URL.
pub(super) fn is_http_url(reference: &str) -> bool {
    let starts = |scheme: &str| reference.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    starts("http://") || starts("https://")
}

/// The file names that a reference may mean, most likely first: the reference itself if it is a
/// plain name, the last segment of its path, and that segment percent-decoded.
pub(super) fn candidates(reference: &str) -> Vec<String> {
    let mut names = Vec::with_capacity(3);
    if !reference.contains('/') {
        names.push(reference.to_owned());
    }
    let path = reference.split(['?', '#']).next().unwrap_or_default();
    let segment = path.rsplit('/').next().unwrap_or_default();
    let decoded = percent_decode_str(segment).decode_utf8().ok();
    for name in [Some(segment.into()), decoded].into_iter().flatten() {
        if !name.is_empty() && !names.iter().any(|known| *known == name) {
            names.push(name.into_owned());
        }
    }
    names
}

/// The error for a reference that [`is_too_long`].
pub(super) const LONG_NAME: &str = "a file name of more than 255 bytes";

/// Whether every name that a reference may mean is longer than [`MAX_FILE_NAME_BYTES`].
pub(super) fn is_too_long(reference: &str) -> bool {
    let names = candidates(reference);
    !names.is_empty() && names.iter().all(|name| name.len() > MAX_FILE_NAME_BYTES)
}

/// An absolute URL as written into a feed, with spaces and other invalid characters encoded.
pub(super) fn wire_url(url: &str) -> String {
    utf8_percent_encode(url, NOT_IN_ADDRESSES).to_string()
}

/// Whether the text is `digits` hexadecimal digits.
pub(super) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_utf8_text() {
        assert_eq!(decode("x", b"\xef\xbb\xbfa\r\n").unwrap(), "a\r\n");
        for (bytes, text) in [
            (&b"\xff\xfea\0"[..], "x: not UTF-8: save it in that encoding"),
            (b"\xfe\xff\0a", "x: not UTF-8: save it in that encoding"),
            (b"a\0b\0", "x: the control character U+0000, which UTF-8 text does not have"),
            (b"a\x1b", "x: the control character U+001B, which UTF-8 text does not have"),
            (b"\xe4", "x: not UTF-8: save it in that encoding"),
            (b"\xef\xbb\xbf\xef\xbb\xbfa", "x: two byte order marks"),
        ] {
            assert_eq!(decode("x", bytes).unwrap_err().to_string(), text);
        }
        let large = vec![b' '; usize::try_from(MAX_FEED_BYTES).unwrap() + 1];
        assert_eq!(decode("x", &large).unwrap_err().to_string(), "x: larger than 10485760 bytes");
    }

    #[test]
    fn names_behind_references() {
        for (reference, names) in [
            ("App Setup.exe", &["App Setup.exe"][..]),
            ("App%20Setup.exe", &["App%20Setup.exe", "App Setup.exe"]),
            ("https://h.example/a/App%20Setup.exe?t=1#x", &["App%20Setup.exe", "App Setup.exe"]),
            ("a/b/App.exe", &["App.exe"]),
            ("C#App.exe", &["C#App.exe", "C"]),
            ("https://h.example/", &[]),
        ] {
            assert_eq!(candidates(reference), names, "{reference}");
        }
    }

    #[test]
    fn addresses_are_encoded_once() {
        let once = wire_url("https://h.example/My App/ä#1.nupkg?a=1&b=%20");
        assert_eq!(once, "https://h.example/My%20App/%C3%A4%231.nupkg?a=1&b=%20");
        assert_eq!(wire_url(&once), once);
    }
}
