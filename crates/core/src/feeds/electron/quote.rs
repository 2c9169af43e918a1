//! Quotes texts for YAML.

use std::fmt::Write as _;

/// A text in double quotes. Escapes everything that a YAML parser could misread: js-yaml fails at characters
/// that are not printable, and folds line breaks. See [YAML 1.2.2,
/// 5.7](https://yaml.org/spec/1.2.2/#57-escaped-characters).
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_special(c) => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Control characters, line separators, the byte order mark and noncharacters, all in the Basic Multilingual
/// Plane.
fn is_special(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
