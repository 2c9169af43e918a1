//! The form of a role that its signatures cover.

use std::collections::BTreeMap;

use serde_json::Value;

/// OLPC's canonical JSON: sorted names, no white space, and nothing escaped but `"` and `\`.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.iter().collect();
            let fields = fields.iter().map(|(name, value)| format!("{}:{}", quoted(name), canonical(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::String(text) => quoted(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', r#"\""#))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_sorted_and_line_feeds_stay() {
        let value = json!({ "b": [1, true, null], "a": { "\"": "\\ä\n" } });
        assert_eq!(canonical(&value), "{\"a\":{\"\\\"\":\"\\\\ä\n\"},\"b\":[1,true,null]}");
    }
}
