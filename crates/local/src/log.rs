//! The lines of the log: text for people at a terminal, JSON for programs.

use std::io::IsTerminal as _;

use clap::ValueEnum;
use jiff::{Timestamp, Zoned};
use serde_json::{Map, Value};
use spindrift_http::set_log_format;

use crate::own_requests::OwnRequests;

/// Prefix of the ids of requests that `spindrift publish` expects to be refused.
const PROBE: &str = "probe-";

/// The format of a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// `20:04:05 POST /login 200 80 ms ada`, in the time zone of this machine.
    Text,
    /// One JSON object.
    Json,
}

impl LogFormat {
    /// Uses this format for all further lines of the process. `None`: text if the log goes to a terminal,
    /// otherwise JSON.
    pub(crate) fn install(given: Option<Self>, own: OwnRequests) {
        let automatic = if std::io::stderr().is_terminal() { Self::Text } else { Self::Json };
        match given.unwrap_or(automatic) {
            Self::Json => {
                set_log_format(Box::new(|component, line| Some(json(component, line, Timestamp::now()))));
            }
            Self::Text => set_log_format(Box::new(move |component, line| {
                text(component, line, &own)
                    .map(|line| format!("{} {line}", Zoned::now().strftime("%H:%M:%S")))
            })),
        }
    }
}

/// The object that a component has written, with the component and the time added. Any other line becomes the
/// message of a new object.
fn json(component: Option<&str>, line: &str, now: Timestamp) -> String {
    let mut entry = object(line).unwrap_or_else(|| Map::from_iter([("message".to_owned(), line.into())]));
    entry.insert("component".to_owned(), component.unwrap_or("server").into());
    entry.insert("time".to_owned(), now.to_string().into());
    Value::Object(entry).to_string()
}

/// The line without the time. `None` if people need not see it.
fn text(component: Option<&str>, line: &str, own: &OwnRequests) -> Option<String> {
    let Some(entry) = object(line) else {
        return Some(component.map_or_else(|| line.to_owned(), |component| format!("{component}: {line}")));
    };
    let field = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
    let status = entry.get("status").and_then(Value::as_u64).unwrap_or_default();
    if entry.contains_key("message") {
        return Some(message(&entry, status));
    }
    let id = field("request_id");
    let is_expected = (own.includes(id) && status < 400) || (id.starts_with(PROBE) && status < 500);
    let duration = entry.get("duration_ms").and_then(Value::as_i64).unwrap_or_default();
    let shown = format!("{} {status} {duration} ms {}", field("request"), field("owner"));
    (!is_expected).then(|| shown.trim_end().to_owned())
}

/// A failure with its cause, or a note.
fn message(entry: &Map<String, Value>, status: u64) -> String {
    let field = |name: &str| entry.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let level = match field("level") {
        Some("error") => "error: ",
        Some("warn") => "warning: ",
        _ => "",
    };
    let message = field("message").unwrap_or_default();
    let request = field("request").map(|request| format!(" ({request}, {status})")).unwrap_or_default();
    let reason = field("reason").map(|reason| format!(": {reason}")).unwrap_or_default();
    let id = field("request_id").filter(|_| !level.is_empty()).map(|id| format!(" [request {id}]"));
    let line = format!("{level}{message}{request}{reason}{}", id.unwrap_or_default());
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn object(line: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Option<String> {
        text(Some("accounts"), line, &OwnRequests::of("own-1"))
    }

    fn request(id: &str, status: u16) -> String {
        format!(
            r#"{{"duration_ms":80,"level":"info","owner":"ada","request":"POST /login","request_id":"{id}","status":{status}}}"#
        )
    }

    #[test]
    fn people_see_requests_and_failures() {
        assert_eq!(shown(&request("1", 200)).as_deref(), Some("POST /login 200 80 ms ada"));
        let anonymous = request("1", 401).replace("\"ada\"", "null");
        assert_eq!(shown(&anonymous).as_deref(), Some("POST /login 401 80 ms"));
        let failure = r#"{"level":"error","message":"the database is unavailable","reason":"locked\nfor long","request":"GET /app/list","request_id":"7","status":503}"#;
        let description =
            "error: the database is unavailable (GET /app/list, 503): locked for long [request 7]";
        assert_eq!(shown(failure).as_deref(), Some(description));
        let audited =
            r#"{"level":"info","message":"ada published notes 1.2.0","hash":"ab","request_id":"7","seq":3}"#;
        assert_eq!(shown(audited).as_deref(), Some("ada published notes 1.2.0"));
        assert_eq!(shown("thread panicked").as_deref(), Some("accounts: thread panicked"));
        assert_eq!(text(None, "Compiling", &OwnRequests::of("1")).as_deref(), Some("Compiling"));
    }

    #[test]
    fn expected_requests_are_left_out_unless_they_fail() {
        for (id, status, is_shown) in [
            ("own-1", 200, false),
            ("own-1", 409, true),
            ("own-2", 200, true),
            ("probe-1", 400, false),
            ("probe-1", 503, true),
            ("1", 400, true),
        ] {
            assert_eq!(shown(&request(id, status)).is_some(), is_shown, "{id} {status}");
        }
    }

    #[test]
    fn programs_get_an_object_in_each_line() {
        let now = "2026-11-27T20:04:05Z".parse().unwrap();
        let read =
            |component, line: &str| serde_json::from_str::<Value>(&json(component, line, now)).unwrap();
        let of_component = read(Some("accounts"), &request("1", 200));
        assert_eq!((&of_component["component"], &of_component["status"]), (&"accounts".into(), &200.into()));
        assert_eq!(of_component["time"], "2026-11-27T20:04:05Z");
        let of_server = read(None, "Compiling \"bare\"");
        assert_eq!(
            (&of_server["component"], &of_server["message"]),
            (&"server".into(), &"Compiling \"bare\"".into())
        );
    }
}
