//! The error text for an unknown name: the name, a suggestion, and the existing names.

/// Maximum number of names to list in an error. More would bury the rest of the text.
const MOST_NAMES: usize = 10;
/// Minimum similarity for suggesting a name, from 0 (nothing in common) to 1 (equal).
const LEAST_SIMILARITY: f64 = 0.8;

/// The error text for a `value` not in `existing`: `unknown channel "stabel": did you mean
/// "stable"? There are beta, stable`.
pub(crate) fn unknown(noun: &str, value: &str, existing: &[&str]) -> String {
    format!("unknown {noun} {value:?}{}", suggestion(value, existing))
}

/// The suggestion at the end of such a text.
fn suggestion(value: &str, existing: &[&str]) -> String {
    match (similar(value, existing), existing) {
        (_, []) => ": there is none yet".to_owned(),
        (Some(meant), [_]) => format!(": did you mean {meant:?}?"),
        (Some(meant), _) => format!(": did you mean {meant:?}? {}", there_are(existing)),
        (None, _) => format!(": {}", lower_first(&there_are(existing))),
    }
}

/// `There are beta, stable`.
pub(crate) fn there_are(existing: &[&str]) -> String {
    let mut names: Vec<&str> = existing.to_vec();
    names.sort_unstable();
    names.dedup();
    let shown = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        1 => format!("There is only {shown}"),
        count if count > MOST_NAMES => format!("There are {shown} and {} more", count - MOST_NAMES),
        _ => format!("There are {shown}"),
    }
}

/// The existing name that is most similar to `value`, if one is similar enough.
fn similar<'a>(value: &str, existing: &[&'a str]) -> Option<&'a str> {
    let value = value.to_lowercase();
    let similarity = |name: &str| strsim::jaro_winkler(&value, &name.to_lowercase());
    let rated = existing.iter().map(|name| (similarity(name), *name));
    rated
        .filter(|(rate, _)| *rate >= LEAST_SIMILARITY)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_value_and_what_exists() {
        for (noun, value, existing, expected) in [
            (
                "channel",
                "stabel",
                &["stable", "beta"][..],
                "unknown channel \"stabel\": did you mean \"stable\"? There are beta, stable",
            ),
            (
                "package",
                "DEB",
                &["deb", "rpm"],
                "unknown package \"DEB\": did you mean \"deb\"? There are deb, rpm",
            ),
            ("application", "nots", &["notes"], "unknown application \"nots\": did you mean \"notes\"?"),
            ("application", "mail", &["notes"], "unknown application \"mail\": there is only notes"),
            (
                "platform",
                "plan9",
                &["linux", "windows"],
                "unknown platform \"plan9\": there are linux, windows",
            ),
            ("channel", "stable", &[], "unknown channel \"stable\": there is none yet"),
            ("channel", "a\n\"b", &["c"], "unknown channel \"a\\n\\\"b\": there is only c"),
        ] {
            assert_eq!(unknown(noun, value, existing), expected);
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (10..25).map(|number| format!("channel-{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(there_are(&names).ends_with("channel-18, channel-19 and 5 more"));
    }
}
