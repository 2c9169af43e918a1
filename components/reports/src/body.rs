//! The body of a report: JSON, parsed field by field so that errors can name the field.

use std::str::FromStr;

use serde_json::{Map, Value};
use spindrift_api::{DETAILS_CONTENT_TYPE, DETAILS_ENCODING};
use spindrift_core::FailureReport;
use spindrift_web::ApiError;

type JsonObject = Map<String, Value>;

/// Parses a report, and the payload of its details as sent. Unknown fields are ignored.
pub(crate) fn parse(bytes: &[u8]) -> Result<(FailureReport, Option<Value>), ApiError> {
    let malformed = |_| ApiError::bad_request("malformed JSON");
    let mut body: JsonObject = serde_json::from_slice(bytes).map_err(malformed)?;
    let details = body.remove("details").filter(|details| !details.is_null());
    let field = ReportFields(&body);
    let report = FailureReport {
        app: field.parse("application", "name")?,
        version: field.parse("application", "version")?,
        channel: field.parse("application", "channel")?,
        platform: field.parse("system", "platform")?,
        arch: field.parse("system", "arch")?,
        event: field.parse("event", "type")?,
        reason: field.parse("event", "reason")?,
    };
    Ok((report, details.map(payload).transpose()?))
}

/// The payload of details in the only supported form; null if it is missing.
fn payload(details: Value) -> Result<Value, ApiError> {
    let Value::Object(mut details) = details else {
        return Err(ApiError::bad_request("invalid details"));
    };
    for (name, supported) in [("encoding", DETAILS_ENCODING), ("content_type", DETAILS_CONTENT_TYPE)] {
        if text(details.get(name), || format!("details.{name}"))? != supported {
            return Err(ApiError::bad_request(format!("unsupported details.{name}")));
        }
    }
    Ok(details.remove("payload").unwrap_or_default())
}

struct ReportFields<'a>(&'a JsonObject);

impl ReportFields<'_> {
    fn parse<T: FromStr>(&self, part: &str, name: &str) -> Result<T, ApiError> {
        let object = match self.0.get(part) {
            None | Some(Value::Null) => None,
            Some(Value::Object(object)) => Some(object),
            Some(_) => return Err(ApiError::bad_request(format!("invalid {part}"))),
        };
        let text = text(object.and_then(|object| object.get(name)), || format!("{part}.{name}"))?;
        text.parse().map_err(|_| ApiError::bad_request(format!("invalid {part}.{name}")))
    }
}

/// A required text that is not empty.
pub(crate) fn text(value: Option<&Value>, name: impl Fn() -> String) -> Result<&str, ApiError> {
    match value {
        None | Some(Value::Null) => Err(ApiError::bad_request(format!("missing {}", name()))),
        Some(Value::String(text)) if text.is_empty() => {
            Err(ApiError::bad_request(format!("missing {}", name())))
        }
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(ApiError::bad_request(format!("invalid {}", name()))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn good() -> Value {
        json!({
            "application": {"name": "notes", "version": "1-2-3", "channel": "stable"},
            "system": {"platform": "linux", "arch": "amd64"},
            "event": {"type": "crash", "reason": "segv"},
            "extra": 1,
        })
    }

    fn error(body: &Value) -> String {
        parse(body.to_string().as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_report() {
        let (report, details) = parse(good().to_string().as_bytes()).unwrap();
        assert_eq!(report.version.as_str(), "1.2.3");
        assert_eq!(details, None);
    }

    #[test]
    fn the_form_of_details_is_part_of_the_report() {
        let mut body = good();
        body["details"] = json!({"encoding": DETAILS_ENCODING, "content_type": DETAILS_CONTENT_TYPE});
        assert_eq!(parse(body.to_string().as_bytes()).unwrap().1, Some(Value::Null));
        body["details"]["payload"] = json!(1);
        assert_eq!(parse(body.to_string().as_bytes()).unwrap().1, Some(json!(1)));
        for (name, other) in [("encoding", "gzip"), ("content_type", "text/plain")] {
            let before = body["details"][name].take();
            assert_eq!(error(&body), format!("missing details.{name}"));
            body["details"][name] = json!(1);
            assert_eq!(error(&body), format!("invalid details.{name}"));
            body["details"][name] = json!(other);
            assert_eq!(error(&body), format!("unsupported details.{name}"));
            body["details"][name] = before;
        }
        for other in [json!("text"), json!([])] {
            body["details"] = other;
            assert_eq!(error(&body), "invalid details");
        }
        body["event"]["type"] = json!("explosion");
        assert_eq!(error(&body), "invalid event.type", "the report's own fields come first");
    }

    #[test]
    fn every_field_is_missed_and_checked() {
        for (part, name, bad) in [
            ("application", "name", "a/b"),
            ("application", "version", "one"),
            ("application", "channel", "a b"),
            ("system", "platform", "a/b"),
            ("system", "arch", ".."),
            ("event", "type", "explosion"),
            ("event", "reason", "a b"),
        ] {
            let mut body = good();
            body[part][name] = json!(bad);
            assert_eq!(error(&body), format!("invalid {part}.{name}"));
            body[part][name] = json!(1);
            assert_eq!(error(&body), format!("invalid {part}.{name}"));
            for absent in [json!(null), json!("")] {
                body[part][name] = absent;
                assert_eq!(error(&body), format!("missing {part}.{name}"));
            }
        }
    }

    #[test]
    fn parts_are_objects_and_the_whole_is() {
        let mut body = good();
        body["system"] = json!("linux");
        assert_eq!(error(&body), "invalid system");
        assert_eq!(error(&json!({})), "missing application.name");
        for bad in ["", "{", "[]", "null", "1", "{\"a\":1}x"] {
            assert_eq!(parse(bad.as_bytes()).unwrap_err().to_string(), "malformed JSON", "{bad}");
        }
        assert_eq!(parse(&[0xff]).unwrap_err().to_string(), "malformed JSON");
    }
}
