//! Describes the conditions in a client's own answer.

use maud::{Markup, html};
use spindrift_api::CheckBody;

use crate::{ServiceAnswer, requirements};

/// Empty for feeds, which have no such conditions.
pub(super) fn describe(answer: &ServiceAnswer) -> Markup {
    let Ok(body) = serde_json::from_slice::<CheckBody<'_>>(&answer.body) else { return html! {} };
    let could_say: Vec<&str> = body.varies_with.iter().map(|name| fact_name(name)).collect();
    html! {
        @if let Some(unmet) = &body.unmet {
            p.warning {
                "Its system does not meet the requirements of " strong { (unmet.version) } ": system version "
                (requirements::describe(&unmet.requires)) "."
            }
        }
        @if !could_say.is_empty() {
            p.hint { "It could get another answer if it said " (could_say.join(" or ")) "." }
        }
    }
}

/// A fact that a client can report. Unknown words are returned unchanged.
fn fact_name(word: &str) -> &str {
    match word {
        "group" => "its group",
        "os_version" => "the version of its system",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, StatusCode};
    use serde_json::json;

    use super::*;

    fn shown(body: &str) -> String {
        let (status, headers) = (StatusCode::OK, HeaderMap::new());
        describe(&ServiceAnswer { status, headers, body: Bytes::copy_from_slice(body.as_bytes()) })
            .into_string()
    }

    #[test]
    fn the_answer_is_told_in_words() {
        let unmet =
            json!({ "version": "2.0", "requires": { "os_version": { "min": "12", "not": ["13.2"] } } });
        let page = shown(&json!({ "update_available": false, "unmet": unmet }).to_string());
        assert!(page.contains("<strong>2.0</strong>: system version 12 or later, but not 13.2."), "{page}");
        for (names, expected) in [
            (&["group"][..], "if it said its group."),
            (&["group", "os_version"], "if it said its group or the version of its system."),
            (&["<b>"], "if it said &lt;b&gt;."),
        ] {
            let page = shown(&json!({ "update_available": true, "varies_with": names }).to_string());
            assert!(page.contains(expected) && !page.contains("warning"), "{page}");
        }
    }

    #[test]
    fn other_answers_say_nothing_of_it() {
        for body in
            [r#"{"update_available":true,"version":"1.1.0"}"#, r#"{"version":"1.1.0"}"#, "version: 1", ""]
        {
            assert_eq!(shown(body), "", "{body}");
        }
    }
}
