//! `release show`.

use clap::Args;
use serde::Serialize;
use serde_json::json;
use spindrift_api::{
    ArtifactEntry, BuiltByBody, OfferBody, PlaceRequiresBody, ReleaseBody, ReleaseEntry, RequiresBody,
    WithdrawalBody,
};
use spindrift_core::{Id, Requirements, WhenUnknown};

use super::selection::ReleaseSelection;
use crate::commands::rollout::{held, hours, steps, time};
use crate::context::Context;
use crate::error::CliError;
use crate::output::bytes;
use crate::releases;

/// A release as `--json` shows it.
#[derive(Serialize)]
struct ReleaseView {
    #[serde(flatten)]
    facts: ReleaseDetails,
    #[serde(rename = "Withdrawn", skip_serializing_if = "Option::is_none")]
    withdrawn: Option<WithdrawalBody>,
    #[serde(rename = "ShutOff")]
    is_shut_off: bool,
    #[serde(rename = "Requires", skip_serializing_if = "Vec::is_empty")]
    requires: Vec<PlaceRequiresBody>,
    #[serde(rename = "Cures", skip_serializing_if = "Vec::is_empty")]
    cures: Vec<String>,
    #[serde(rename = "BuiltBy", skip_serializing_if = "Vec::is_empty")]
    built_by: Vec<BuiltByBody>,
    /// Files that no publisher has uploaded, though one has uploaded others.
    #[serde(skip)]
    files_without_build: u64,
    #[serde(rename = "Offers")]
    offers: Vec<OfferBody>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ReleaseDetails {
    /// For users: includes the files.
    All(Box<ReleaseEntry>),
    /// For CI tokens, which see less.
    Few(ReleaseName),
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ReleaseName {
    #[serde(rename = "ID")]
    id: Id,
    app_name: String,
    version: String,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseShowCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
}

impl ReleaseShowCommand {
    pub(super) async fn run(self, context: &Context) -> Result<(), CliError> {
        let ReleaseSelection { version, app } = self.selection;
        let service = context.authenticated()?;
        let offered = releases::find_offers(&service, &app, &version).await?;
        let facts = match releases::find(&service, &app, &version).await {
            Ok(release) => ReleaseDetails::All(Box::new(release)),
            Err(CliError::Refused(refusal)) if refusal.status == 403 => {
                let ReleaseBody { id, app, version, .. } = offered.clone();
                ReleaseDetails::Few(ReleaseName { id, app_name: app, version })
            }
            Err(error) => return Err(error),
        };
        let shown = ReleaseView::of(facts, offered);
        context.output.rows(&shown, &["", ""], &rows(&shown))
    }
}

impl ReleaseView {
    fn of(facts: ReleaseDetails, offered: ReleaseBody) -> Self {
        let ReleaseBody { withdrawn, shut_off: is_shut_off, requires, cures, built_by, offers, .. } = offered;
        let files_without_build = offered.files_without_build;
        Self { facts, withdrawn, is_shut_off, requires, cures, built_by, files_without_build, offers }
    }

    fn own_offer(&self) -> Option<&OfferBody> {
        self.offers.iter().find(|offer| offer.own)
    }
}

fn rows(shown: &ReleaseView) -> Vec<Vec<String>> {
    let rows = match &shown.facts {
        ReleaseDetails::All(release) => detail_rows(shown, release),
        ReleaseDetails::Few(named) => summary_rows(shown, named),
    };
    rows.into_iter().map(|(label, value)| vec![label.to_owned(), value]).collect()
}

type Rows = Vec<(&'static str, String)>;

fn detail_rows(shown: &ReleaseView, release: &ReleaseEntry) -> Rows {
    let notes = release.changelog.first().map(|entry| entry.changes.clone()).unwrap_or_default();
    let mut rows = vec![
        ("application", release.app_name.clone()),
        ("version", release.version.clone()),
        ("channel", release.channel.clone()),
    ];
    rows.extend(offer_rows(shown));
    rows.extend(build_rows(shown));
    rows.extend([
        ("critical", release.critical.to_string()),
        ("intermediate", release.intermediate.to_string()),
        ("created", release.created_at.clone()),
        ("updated", release.updated_at.clone()),
        ("notes", notes),
    ]);
    rows.extend(release.artifacts.iter().map(|file| ("file", file_text(file))));
    rows
}

fn summary_rows(shown: &ReleaseView, named: &ReleaseName) -> Rows {
    let mut rows = vec![("application", named.app_name.clone()), ("version", named.version.clone())];
    rows.extend(shown.own_offer().map(|offer| ("channel", offer.channel.clone())));
    rows.extend(offer_rows(shown));
    rows.extend(build_rows(shown));
    rows
}

/// Where the files come from.
fn build_rows(shown: &ReleaseView) -> Rows {
    let mut rows: Rows = shown.built_by.iter().map(|build| ("built", build.to_string())).collect();
    if BuiltByBody::differ(&shown.built_by) {
        rows.push(("built", "from different commits".to_owned()));
    }
    if shown.files_without_build > 0 {
        rows.push(("built", format!("elsewhere: {} files", shown.files_without_build)));
    }
    rows
}

/// When clients see the release, and how many of them.
fn offer_rows(shown: &ReleaseView) -> Rows {
    let Some(offer) = shown.own_offer() else { return Vec::new() };
    let mut rows = vec![("state", state(offer))];
    let withdrawn = shown.withdrawn.as_ref();
    rows.extend(withdrawn.map(|text| ("withdrawn", format!("{}: {}", time(&text.at), text.reason))));
    rows.push(("rollout", format!("{} %, {}", offer.rollout.part(), offer.rollout.state)));
    rows.extend(steps(offer).into_iter().map(|step| ("step", step)));
    rows.extend(hours(offer).map(|hours| ("steps begin", hours)));
    rows.extend(offer.held_until.as_deref().map(|until| ("freeze", held(until))));
    if !offer.groups.is_empty() {
        rows.push(("groups", offer.groups.join(", ")));
    }
    if !shown.cures.is_empty() {
        rows.push(("cures", shown.cures.join(", ")));
    }
    rows.extend(shown.requires.iter().map(|place| ("requires", requirements_text(place))));
    for offer in shown.offers.iter().filter(|offer| !offer.own) {
        rows.push(("promoted to", format!("{}: {}", offer.channel, promotion(offer))));
    }
    if shown.is_shut_off {
        rows.push(("shut off", "`spindrift shutoff list` shows for which clients".to_owned()));
    }
    rows
}

/// `published, 5 %, running`.
fn promotion(offer: &OfferBody) -> String {
    let groups =
        if offer.groups.is_empty() { String::new() } else { format!(", {}", offer.groups.join(", ")) };
    format!("{}, {} %, {}{groups}", state(offer), offer.rollout.part(), offer.rollout.state)
}

/// `linux/amd64: os_version 12 or later`.
fn requirements_text(place: &PlaceRequiresBody) -> String {
    let PlaceRequiresBody { platform, arch, requires } = place;
    let place: Vec<&str> =
        [platform, arch].into_iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let place = if place.is_empty() { String::new() } else { format!("{}: ", place.join("/")) };
    format!("{place}{}", requirements(requires))
}

fn requirements(requires: &RequiresBody) -> String {
    let requires = json!(requires);
    match Requirements::from_json(&requires) {
        Ok(Some(known)) if known.unknown == WhenUnknown::Offer => {
            format!("{known}; clients that do not say theirs get it too")
        }
        Ok(Some(known)) => known.to_string(),
        // A requirement unknown to this version of the program.
        _ => requires.to_string(),
    }
}

fn state(offer: &OfferBody) -> String {
    match &offer.publish_at {
        Some(at) => format!("{} for {}", offer.state, time(at)),
        None => offer.state.clone(),
    }
}

fn file_text(file: &ArtifactEntry) -> String {
    let waiting = if file.offered { "" } else { ", waits for signatures" };
    let place = [file.platform.as_str(), file.arch.as_str(), file.package.as_str()];
    let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
    let base = file.patch.as_ref().map(|patch| format!(" of {} from {}", patch.package, patch.base_version));
    format!("{}{}, {}{waiting}: {}", place.join("/"), base.unwrap_or_default(), bytes(file.size), file.link)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// A release as CI tokens see it.
    fn release(state: &str, rest: &Value) -> ReleaseView {
        let mut offer = json!({ "channel": "beta", "own": true, "state": state, "revision": 3 });
        offer["rollout"] = json!({ "state": "running", "percent": 5, "seed": "s", "step": 0,
            "plan": [{ "percent": 5, "for": "1d" }, { "percent": 100 }] });
        offer["publish_at"] = rest["publish_at"].clone();
        offer["groups"] = rest.get("groups").cloned().unwrap_or_else(|| json!([]));
        let release = json!({ "id": "r", "app": "notes", "version": "2.0", "offers": [offer],
            "cures": rest.get("cures").cloned().unwrap_or_else(|| json!([])),
            "requires": rest.get("requires").cloned().unwrap_or_else(|| json!([])),
            "withdrawn": rest["withdrawn"], "shut_off": rest["shut_off"].as_bool().unwrap_or_default() });
        let release: ReleaseBody = serde_json::from_value(release).unwrap();
        let named =
            ReleaseName { id: release.id.clone(), app_name: "notes".to_owned(), version: "2.0".to_owned() };
        ReleaseView::of(ReleaseDetails::Few(named), release)
    }

    fn lines(shown: &ReleaseView) -> Vec<String> {
        rows(shown).iter().map(|row| row.join(": ")).collect()
    }

    #[test]
    fn a_ci_token_sees_how_a_release_is_offered() {
        let scheduled = release("scheduled", &json!({ "publish_at": "2026-12-01T08:00:00+00:00" }));
        assert_eq!(
            lines(&scheduled),
            [
                "application: notes",
                "version: 2.0",
                "channel: beta",
                "state: scheduled for 2026-12-01 08:00 UTC",
                "rollout: 5 %, running",
                "step: 5 % for 1d, from 2026-12-01 08:00 UTC",
                "step: 100 %",
            ]
        );
        let withdrawal = json!({ "at": "2026-12-02T08:00:00+00:00", "reason": "it deletes files" });
        let withdrawn = release("withdrawn", &json!({ "withdrawn": withdrawal, "shut_off": true }));
        let shown = lines(&withdrawn);
        for line in [
            "state: withdrawn",
            "withdrawn: 2026-12-02 08:00 UTC: it deletes files",
            "shut off: `spindrift shutoff list` shows for which clients",
        ] {
            assert!(shown.contains(&line.to_owned()), "{line}: {shown:?}");
        }
        let json = serde_json::to_value(&withdrawn).unwrap();
        assert_eq!(
            (&json["ID"], &json["AppName"], &json["ShutOff"]),
            (&"r".into(), &"notes".into(), &true.into())
        );
        assert_eq!(json["Withdrawn"]["reason"], "it deletes files");
    }

    #[test]
    fn groups_cures_and_requirements_are_rows() {
        let place = |platform: &str, arch: &str, requires: Value| json!({ "platform": platform, "arch": arch, "requires": requires });
        let requires = json!([
            place("linux", "amd64", json!({ "os_version": { "not": ["13.2"] } })),
            place("mac", "", json!({ "os_version": { "min": "12" }, "unknown": "offer" })),
            place("", "", json!({})),
        ]);
        let shown = release(
            "published",
            &json!({ "groups": ["qa", "beta"], "cures": ["1.9", "1.9.1"], "requires": requires }),
        );
        let known = Requirements::from_json(&requires[1]["requires"]).unwrap().unwrap();
        let text = lines(&shown);
        for line in [
            "groups: qa, beta",
            "cures: 1.9, 1.9.1",
            "requires: linux/amd64: os_version without 13.2",
            &format!("requires: mac: {known}; clients that do not say theirs get it too"),
            "requires: {}",
        ] {
            assert!(text.contains(&line.to_owned()), "{line}: {text:?}");
        }
        let json = serde_json::to_value(&shown).unwrap();
        assert_eq!((&json["Requires"], &json["Offers"][0]["groups"]), (&requires, &json!(["qa", "beta"])));
        assert_eq!(json["Cures"], json!(["1.9", "1.9.1"]));
        let nothing = release("published", &json!({}));
        let nothing = serde_json::to_value(&nothing).unwrap();
        assert_eq!((nothing.get("Requires"), nothing.get("Cures")), (None, None));
    }
}
