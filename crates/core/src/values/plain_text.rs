//! Texts that are shown to people on one line: names, reasons, and sentences that contain them.

/// A name or a reason with a character that could make it look like another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it has the character U+{:04X}; use one line, without control characters and without characters that \
     change the direction of text",
    u32::from(*.0)
)]
pub struct DeceptiveChar(char);

/// Whether a character breaks a line, controls a terminal or changes the direction of text. The
/// last group has the property `Bidi_Control` in Unicode.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Validates a name or a reason before it is stored.
///
/// # Errors
/// The first character for which [`is_deceptive`] is true.
pub fn check_plain(text: &str) -> Result<(), DeceptiveChar> {
    text.chars().find(|c| is_deceptive(*c)).map_or(Ok(()), |c| Err(DeceptiveChar(c)))
}

/// The text on one line: each run of deceptive characters becomes a space.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut is_in_run = false;
    for c in text.chars() {
        match (is_deceptive(c), is_in_run) {
            (true, true) => {}
            (true, false) => line.push(' '),
            (false, _) => line.push(c),
        }
        is_in_run = is_deceptive(c);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deceptive_characters_are_refused_and_replaced() {
        for text in
            ["a\nb", "a\u{0}b", "a\r\n\tb", "a\u{7f}b", "a\u{85}b", "a\u{2028}b", "a\u{202e}b", "a\u{2066}b"]
        {
            assert!(check_plain(text).is_err(), "{text:?}");
            assert_eq!(one_line(text), "a b", "{text:?}");
        }
        for text in ["", "two  spaces", "schließt beim Start", "👩‍💻 שלום"] {
            assert_eq!((check_plain(text), one_line(text).as_str()), (Ok(()), text));
        }
    }

    #[test]
    fn the_error_names_the_character() {
        let error = check_plain("gpj.\u{202e}exe").unwrap_err().to_string();
        assert!(
            error.starts_with("it has the character U+202E; use one line, without control characters"),
            "{error}"
        );
    }
}
