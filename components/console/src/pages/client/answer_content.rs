//! Which version an answer offers, read as the updater reads it.

use serde_json::Value;
use spindrift_core::{Updater, Version};

use crate::ServiceAnswer;

/// The content of an answer, as the updater understands it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerContent {
    /// This version, which is newer than the client's.
    Update(Version),
    /// Nothing newer.
    Nothing,
    /// The call was refused, or the answer cannot be read.
    Unknown,
}

impl AnswerContent {
    pub(super) fn of(updater: Updater, client: &Version, answer: &ServiceAnswer) -> Self {
        let status = answer.status.as_u16();
        let text = String::from_utf8_lossy(&answer.body);
        let versions = match (status, updater) {
            (204, _) => return Self::Nothing,
            // The scope has no releases. Other missing things have other texts.
            (404, _) if text.contains("\"release not found\"") => return Self::Nothing,
            (200, Updater::Manual) => return manual(&text),
            (200, Updater::Velopack | Updater::Sparkle) if is_empty_list(&text) => return Self::Nothing,
            (200, Updater::SquirrelDarwin | Updater::Tauri) => json(&text, |body| vec![&body["version"]]),
            (200, Updater::Velopack) => json(&text, |body| {
                body["Assets"].as_array().into_iter().flatten().map(|asset| &asset["Version"]).collect()
            }),
            (200, Updater::ElectronBuilder) => after(&text, "version:"),
            (200, Updater::SquirrelWindows) => packages(&text),
            (200, Updater::Sparkle) => items(&text),
            _ => return Self::Unknown,
        };
        match versions.into_iter().max() {
            None => Self::Unknown,
            Some(newest) if newest > *client => Self::Update(newest),
            Some(_) => Self::Nothing,
        }
    }
}

fn manual(text: &str) -> AnswerContent {
    let Ok(body) = serde_json::from_str::<Value>(text) else { return AnswerContent::Unknown };
    match (body["update_available"].as_bool(), version(&body["version"])) {
        (Some(true), Some(version)) => AnswerContent::Update(version),
        (Some(false), _) => AnswerContent::Nothing,
        _ => AnswerContent::Unknown,
    }
}

/// Whether a feed that lists releases is empty, as while updates are shut off.
fn is_empty_list(text: &str) -> bool {
    let body: Value = serde_json::from_str(text).unwrap_or_default();
    let is_appcast = text.contains("</channel>") && !text.contains("<item");
    is_appcast || body["Assets"].as_array().is_some_and(Vec::is_empty)
}

fn version(value: &Value) -> Option<Version> {
    value.as_str()?.parse().ok()
}

fn json(text: &str, versions: impl Fn(&Value) -> Vec<&Value>) -> Vec<Version> {
    let body: Value = serde_json::from_str(text).unwrap_or_default();
    versions(&body).into_iter().filter_map(version).collect()
}

/// The values of lines that begin with this key.
fn after(text: &str, key: &str) -> Vec<Version> {
    let values = text.lines().filter_map(|line| line.strip_prefix(key));
    values.filter_map(|value| value.trim().trim_matches(['\'', '"']).parse().ok()).collect()
}

/// The versions in names of packages, like `App-1.1.0-full.nupkg`.
fn packages(text: &str) -> Vec<Version> {
    let names = text.lines().filter_map(|line| line.split_whitespace().nth(1));
    let of = |name: &str| {
        let stem = name.strip_suffix("-full.nupkg").or_else(|| name.strip_suffix("-delta.nupkg"))?;
        stem.match_indices('-').find_map(|(at, _)| stem.get(at + 1..)?.parse().ok())
    };
    names.filter_map(of).collect()
}

/// The versions of a feed's items, as elements or attributes.
fn items(text: &str) -> Vec<Version> {
    let marks = [("<sparkle:shortVersionString>", '<'), ("sparkle:shortVersionString=\"", '"')];
    let others = [("<sparkle:version>", '<'), ("sparkle:version=\"", '"')];
    let of = |marks: [(&str, char); 2]| -> Vec<Version> {
        let values = marks
            .into_iter()
            .flat_map(|(mark, end)| text.split(mark).skip(1).filter_map(move |rest| rest.split(end).next()));
        values.filter_map(|value| value.trim().parse().ok()).collect()
    };
    let short = of(marks);
    if short.is_empty() { of(others) } else { short }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, StatusCode};

    use super::*;

    fn offered(updater: Updater, status: u16, body: &str) -> AnswerContent {
        let answer = ServiceAnswer {
            status: StatusCode::from_u16(status).unwrap(),
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
        };
        AnswerContent::of(updater, &"1.0.0".parse().unwrap(), &answer)
    }

    #[test]
    fn every_form_says_what_it_offers() {
        let update = |version: &str| AnswerContent::Update(version.parse().unwrap());
        for (updater, body, expected) in [
            (Updater::Manual, r#"{"update_available":true,"version":"1.1.0"}"#, update("1.1.0")),
            (Updater::Manual, r#"{"update_available":false,"version":"1.0.0"}"#, AnswerContent::Nothing),
            (Updater::Tauri, r#"{"version":"1.2.0","url":"x"}"#, update("1.2.0")),
            (Updater::SquirrelDarwin, r#"{"version":"1.2.0","name":"x"}"#, update("1.2.0")),
            (Updater::Velopack, r#"{"Assets":[{"Version":"1.0.0"},{"Version":"1.1.0"}]}"#, update("1.1.0")),
            (Updater::ElectronBuilder, "version: '1.1.0'\nfiles:\n  - url: a\n", update("1.1.0")),
            (Updater::ElectronBuilder, "version: 1.0.0\n", AnswerContent::Nothing),
            (
                Updater::SquirrelWindows,
                "AB my-app-1.0.0-full.nupkg 1\nCD my-app-1.1.0-beta-delta.nupkg 2 # 50%\n",
                update("1.1.0-beta"),
            ),
            (
                Updater::Sparkle,
                "<sparkle:version>7</sparkle:version><sparkle:shortVersionString>1.1.0</sparkle:shortVersionString>",
                update("1.1.0"),
            ),
            (Updater::Sparkle, "<enclosure sparkle:version=\"1.3.0\"/>", update("1.3.0")),
            (Updater::Manual, "nonsense", AnswerContent::Unknown),
            (Updater::Sparkle, "<rss/>", AnswerContent::Unknown),
            (Updater::Sparkle, "<rss><channel><title>n</title>\n  </channel></rss>", AnswerContent::Nothing),
            (Updater::Velopack, r#"{"Assets":[]}"#, AnswerContent::Nothing),
            (Updater::Velopack, "{}", AnswerContent::Unknown),
        ] {
            assert_eq!(offered(updater, 200, body), expected, "{updater} {body}");
        }
        assert_eq!(offered(Updater::Tauri, 204, ""), AnswerContent::Nothing);
        assert_eq!(offered(Updater::Tauri, 404, r#"{"error":"release not found"}"#), AnswerContent::Nothing);
        assert_eq!(offered(Updater::Tauri, 404, r#"{"error":"channel not found"}"#), AnswerContent::Unknown);
    }
}
