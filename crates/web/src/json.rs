//! JSON bodies.

use serde::de::DeserializeOwned;

use crate::ApiError;

/// Parses a JSON object. The error text gives the position. Unknown keys are ignored. A repeated key is a
/// 400, and so is anything but an object: serde would otherwise also read a derived struct from an array with
/// its fields by position. Inside the object serde's rules apply; body types state what they expect
/// (`#[serde(expecting)]`), because errors would otherwise contain their names.
pub fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let parsed = if bytes.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    } else {
        Err("expected an object".to_owned())
    };
    parsed.map_err(|why| ApiError::bad_request(format!("invalid JSON: {why}")))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Body {
        text: Option<String>,
    }

    fn parse(json: &str) -> Result<Body, String> {
        parse_json(json.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn objects_are_read() {
        let body = |text: &str| Ok(Body { text: Some(text.to_owned()) });
        assert_eq!(parse(" \r\n\t{\"text\":\"a\\n\\u00e4\",\"unknown\":[[]]} "), body("a\nä"));
        assert_eq!(parse(r#"{"text":null}"#), Ok(Body { text: None }));
        assert_eq!(parse("{}"), Ok(Body { text: None }));
    }

    #[test]
    fn everything_else_is_refused() {
        for (json, error) in [
            ("", "expected an object"),
            ("1", "expected an object"),
            ("[]", "expected an object"),
            (r#"["text"]"#, "expected an object"),
            ("{} x", "trailing characters at line 1 column 4"),
            (r#"{"text":"a","text":"b"}"#, "duplicate field `text` at line 1 column 18"),
            (r#"{"text":{}}"#, "invalid type: map, expected a string at line 1 column 8"),
        ] {
            assert_eq!(parse(json), Err(format!("invalid JSON: {error}")), "{json}");
        }
    }
}
