//! Values from callers, as quoted in errors.

use serde_json::Value;

use crate::one_line;

/// How many characters of a value an error quotes.
const MAX_SENT_CHARS: usize = 40;

/// The value of a field violates its rule. The message has all three: `md5: 32 hexadecimal digits,
/// not "abc"`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {rule}, not {sent}")]
pub struct InvalidValue {
    name: &'static str,
    rule: &'static str,
    sent: String,
}

impl InvalidValue {
    /// A text violates the rule.
    pub fn of_text(name: &'static str, rule: &'static str, sent: &str) -> Self {
        Self { name, rule, sent: quoted(sent) }
    }

    /// A value of any type violates the rule.
    pub fn of_json(name: &'static str, rule: &'static str, sent: &Value) -> Self {
        Self { name, rule, sent: quoted_json(sent) }
    }
}

/// A text in quotes, escaped and truncated.
pub fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

/// A value as JSON, on one line and truncated.
pub fn quoted_json(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => one_line(&cut(&other.to_string())),
    }
}

/// A text on one line and truncated, without quotes.
pub(crate) fn shortened(text: &str) -> String {
    one_line(&cut(text))
}

fn cut(text: &str) -> String {
    let mut excerpt: String = text.chars().take(MAX_SENT_CHARS).collect();
    if excerpt.len() < text.len() {
        excerpt.push_str("...");
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_repeated_in_one_short_line() {
        let long = "ä".repeat(41);
        let of = |value: Value| InvalidValue::of_json("n", "a rule", &value).to_string();
        for (value, expected) in [
            (json!("abc"), r#"n: a rule, not "abc""#.to_owned()),
            (json!("a\n\"b\""), r#"n: a rule, not "a\n\"b\"""#.to_owned()),
            (json!("gpj.\u{202e}exe"), r#"n: a rule, not "gpj.\u{202e}exe""#.to_owned()),
            (json!(long), format!("n: a rule, not \"{}...\"", "ä".repeat(40))),
            (json!(101), "n: a rule, not 101".to_owned()),
            (json!({ "a": ["\u{2028}"] }), "n: a rule, not {\"a\":[\" \"]}".to_owned()),
            (json!([long]), format!("n: a rule, not [\"{}...", "ä".repeat(38))),
        ] {
            assert_eq!(of(value.clone()), expected, "{value}");
        }
        assert_eq!(InvalidValue::of_text("n", "a rule", "x").to_string(), r#"n: a rule, not "x""#);
        assert_eq!(shortened("a\u{1b}b"), "a b");
    }
}
