//! Addresses of pages and calls. This is the only place that encodes them.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::{ConsoleError, Result};

/// The characters left unescaped in a path segment or a query value.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A path with a query. Segments and values may contain any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    text: String,
    has_query: bool,
}

impl Address {
    /// A call to the service. `path` is fixed text: the variable segments are added later.
    pub(crate) fn call(path: &'static str) -> Self {
        Self { text: path.to_owned(), has_query: false }
    }

    /// A page of the console: `/console/` with these segments.
    pub(crate) fn page<'a>(segments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut address = Self::call("/console");
        for segment in segments {
            address = address.with_segment(segment);
        }
        if address.text == "/console" {
            address.text.push('/');
        }
        address
    }

    /// Adds a path segment.
    pub(crate) fn with_segment(mut self, segment: &str) -> Self {
        self.text.push('/');
        // Alone in a segment, these two would be relative steps.
        match segment {
            "." => self.text.push_str("%2E"),
            ".." => self.text.push_str("%2E%2E"),
            _ => self.text.extend(utf8_percent_encode(segment, ENCODED)),
        }
        self
    }

    /// Adds a query parameter, unless the value is empty.
    pub(crate) fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        let value = value.to_string();
        if value.is_empty() {
            return self;
        }
        self.text.push(if self.has_query { '&' } else { '?' });
        self.has_query = true;
        self.text.push_str(name);
        self.text.push('=');
        self.text.extend(utf8_percent_encode(&value, ENCODED));
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl maud::Render for Address {
    fn render_to(&self, buffer: &mut String) {
        maud::Render::render_to(&self.text, buffer);
    }
}

/// A decoded segment of a path. `/console/apps/notes` has the segments 0 to 2.
pub(crate) fn segment(path: &str, number: usize) -> Result<String> {
    let segment = path.trim_start_matches('/').split('/').nth(number).unwrap_or_default();
    let text = percent_decode_str(segment).decode_utf8().map_err(|_| ConsoleError::NoPage)?;
    if text.is_empty() { Err(ConsoleError::NoPage) } else { Ok(text.into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_one_segment_or_one_value() {
        for (segment, expected) in [
            ("notes", "/console/apps/notes"),
            ("a/b?c#d", "/console/apps/a%2Fb%3Fc%23d"),
            ("..", "/console/apps/%2E%2E"),
            ("ü ", "/console/apps/%C3%BC%20"),
        ] {
            assert_eq!(Address::page(["apps", segment]).as_str(), expected);
        }
        assert_eq!(Address::page([]).as_str(), "/console/");
        let address = Address::call("/search").with("a", "x&y=z").with("b", "").with("c", 2);
        assert_eq!(address.as_str(), "/search?a=x%26y%3Dz&c=2");
    }
}
