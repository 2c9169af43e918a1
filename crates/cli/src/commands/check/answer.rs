//! Formats the answer to a check.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};
use spindrift_client::{CheckResult, Requirements, Source, Unmet};

use crate::refusal::one_line;

/// The packages and their links.
pub(super) fn links(update: &CheckResult) -> Vec<(&str, &str)> {
    let bare = update.offer.update_url.iter().map(|url| ("no-extension", url.as_str()));
    bare.chain(update.offer.package_urls.iter().map(|link| (link.package.as_str(), link.url.as_str())))
        .collect()
}

/// The output of `--json`.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of an answer")]
#[derive(Serialize)]
pub(super) struct CheckReport<'a> {
    update_available: bool,
    version: Option<&'a str>,
    critical: bool,
    is_intermediate_required: bool,
    possible_rollback: bool,
    withdrawn: Option<&'a str>,
    unmet: Option<Value>,
    shut_off: bool,
    held_back: bool,
    changelog: Option<&'a str>,
    signature: Option<&'a str>,
    packages: BTreeMap<&'a str, &'a str>,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) downloaded: Option<SavedFile>,
}

/// A downloaded file.
#[derive(Serialize)]
pub(super) struct SavedFile {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

impl<'a> CheckReport<'a> {
    pub(super) fn new(update: &'a CheckResult) -> Self {
        Self {
            update_available: update.update_available,
            version: update.offer.version.as_deref(),
            critical: update.offer.critical,
            is_intermediate_required: update.offer.is_intermediate_required,
            possible_rollback: update.possible_rollback,
            withdrawn: update.withdrawn.as_deref(),
            unmet: update.unmet.as_ref().map(unmet_json),
            shut_off: update.shut_off,
            held_back: update.held_back,
            changelog: update.offer.changelog.as_deref(),
            signature: update.offer.signature.as_deref(),
            packages: links(update).into_iter().collect(),
            source: match update.source {
                Source::Edge => "edge",
                Source::Api => "api",
            },
            downloaded: None,
        }
    }
}

/// The answer for people, to a copy of `app` with the version `installed`.
pub(super) fn as_text(app: &str, installed: &str, update: &CheckResult, saved: Option<&SavedFile>) -> String {
    let version = update.offer.version.as_deref().unwrap_or("none");
    let mut lines = Vec::new();
    lines.push(match update.update_available {
        true if update.offer.critical => format!("{version} is available, and critical"),
        true => format!("{version} is available"),
        false if update.shut_off => "updates are shut off".to_owned(),
        false if update.held_back => "the newest release is not rolled out to this device".to_owned(),
        false if update.error.is_some() => format!("nothing is published there for {app}"),
        false if update.possible_rollback => {
            format!("{installed} is newer than {version}, the newest one")
        }
        false if update.unmet.is_some() => format!("{installed} is the newest for this system"),
        false => format!("{installed} is up to date"),
    });
    lines.extend(update.unmet.as_ref().map(unmet_text));
    if let Some(reason) = &update.withdrawn {
        lines.push(format!("{installed} was withdrawn: {}", one_line(reason)));
    }
    if update.update_available {
        lines.extend(links(update).into_iter().map(|(name, url)| format!("  {name}  {url}")));
    }
    if let Some(saved) = saved {
        lines.push(format!("downloaded to {}", saved.path.display()));
    }
    lines.join("\n")
}

fn unmet_json(unmet: &Unmet) -> Value {
    json!({ "version": unmet.version, "requires": unmet.requires.as_ref().map(Requirements::to_json) })
}

/// `2.0.0 needs os_version 12 or later`.
fn unmet_text(unmet: &Unmet) -> String {
    let Unmet { version, requires, .. } = unmet;
    match requires {
        Some(requires) => format!("{version} needs {requires}"),
        None => format!("{version} does not run on this system"),
    }
}

#[cfg(test)]
mod tests {
    use spindrift_client::{CheckOptions, Client, Config, MemoryTransport};

    use super::*;

    /// The answer to a copy with version 1.0.0.
    async fn answered(body: Value) -> CheckResult {
        let service = MemoryTransport::new().with_answer("/checkVersion", 200, body.to_string());
        let client = Client::with_transport(Config::new("https://updates.example"), service).unwrap();
        client.check_result(&CheckOptions::new("ada", "notes", "1.0.0")).await.unwrap()
    }

    fn text(update: &CheckResult) -> String {
        as_text("notes", "1.0.0", update, None)
    }

    #[tokio::test]
    async fn a_release_for_other_systems_is_told() {
        let requires = json!({ "os_version": { "min": "12" } });
        let unmet = json!({ "version": "2.0.0", "requires": requires });
        let update = answered(json!({ "update_available": false, "version": "1.0.0", "unmet": unmet })).await;
        assert_eq!(text(&update), "1.0.0 is the newest for this system\n2.0.0 needs os_version 12 or later");
        assert_eq!(json!(CheckReport::new(&update))["unmet"], unmet);

        // A requirement that only a later version of the service knows.
        let unmet = json!({ "version": "2.0.0", "requires": { "memory": 4 } });
        let update = answered(json!({ "update_available": false, "version": "1.0.0", "unmet": unmet })).await;
        assert!(text(&update).ends_with("\n2.0.0 does not run on this system"));
        assert_eq!(
            json!(CheckReport::new(&update))["unmet"],
            json!({ "version": "2.0.0", "requires": null })
        );
    }

    #[tokio::test]
    async fn without_such_a_release_nothing_is_told() {
        let update = answered(json!({ "update_available": false, "version": "1.0.0" })).await;
        assert_eq!(text(&update), "1.0.0 is up to date");
        assert_eq!(json!(CheckReport::new(&update))["unmet"], Value::Null);
    }
}
