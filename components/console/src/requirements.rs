//! Describes requirements on a client's OS version.

use spindrift_api::{OsRangeBody, RequiresBody};

/// "12 to 14, but not 13.2".
pub(crate) fn describe(requires: &RequiresBody) -> String {
    let OsRangeBody { min, max, not } = requires.os_version.clone().unwrap_or_default();
    let but = if min.is_some() || max.is_some() { ", but not" } else { " but" };
    let range = match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("{min} or later"),
        (None, Some(max)) => format!("{max} or earlier"),
        (None, None) => "any".to_owned(),
    };
    if not.is_empty() { range } else { format!("{range}{but} {}", not.join(", ")) }
}

/// Whether clients that do not report their OS version get the release.
pub(crate) fn are_for_unknown(requires: &RequiresBody) -> bool {
    requires.unknown.as_deref() == Some("offer")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requirements_are_told_in_words() {
        for (os_version, expected) in [
            (json!({ "min": "12" }), "12 or later"),
            (json!({ "max": "14" }), "14 or earlier"),
            (json!({ "min": "12", "max": "14", "not": ["13.2", "13.3"] }), "12 to 14, but not 13.2, 13.3"),
            (json!({ "not": ["13.2"] }), "any but 13.2"),
            (json!({}), "any"),
        ] {
            let requires = |unknown: &str| {
                let body = json!({ "os_version": os_version, "unknown": unknown });
                serde_json::from_value::<RequiresBody>(body).unwrap()
            };
            assert_eq!(describe(&requires("hold")), expected);
            assert!(are_for_unknown(&requires("offer")) && !are_for_unknown(&requires("hold")));
        }
    }
}
