//! The document as text.

use serde_json::Value;

/// The document as compact JSON, with a line for each path and for each shared schema, answer and header, so
/// that a change of the interface changes only the lines about it. The keys are sorted, because `Map` sorts
/// them.
pub fn lines(document: &Value) -> String {
    text(document, &[]) + "\n"
}

fn text(value: &Value, place: &[&str]) -> String {
    let has_lines = matches!(place, [] | ["paths" | "components"] | ["components", _]);
    let Some(entries) = value.as_object().filter(|_| has_lines) else { return value.to_string() };
    let lines: Vec<String> = entries
        .iter()
        .map(|(key, value)| {
            let place = [place, &[key.as_str()]].concat();
            format!("{}:{}", Value::from(key.as_str()), text(value, &place))
        })
        .collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_path_and_each_schema_is_a_line() {
        let document = json!({
            "openapi": "3.1.0",
            "tags": [{ "name": "Notes" }],
            "paths": { "/b": { "get": { "tags": [] } }, "/a": {} },
            "components": { "schemas": { "Note": { "type": "object" }, "\"": {} } },
        });

        let text = lines(&document);

        let expected = r#"{
"components":{
"schemas":{
"\"":{},
"Note":{"type":"object"}
}
},
"openapi":"3.1.0",
"paths":{
"/a":{},
"/b":{"get":{"tags":[]}}
},
"tags":[{"name":"Notes"}]
}
"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(document));
    }
}
