//! A question, its answer, and the answer of a state.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use semver::Version;
use serde_json::{Value, json};
use spindrift_tests::{Answer, CDN_BUCKET};

use super::line::{Access, Line, OWNER};
use super::state::{Asker, Release, Said, State};

/// A question about an application.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) line: &'static Line,
    pub(super) kind: Kind,
    /// The version that the client has.
    pub(super) client: Version,
    pub(super) device: Option<String>,
    /// Only in checks and feeds.
    pub(super) said: Said,
}

/// The place where it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// `/checkVersion`.
    Check,
    /// The feed of a native updater.
    Feed,
    /// `/responses`: the check without a device, as a file.
    File,
    /// The same as an object in the CDN bucket.
    Object,
    /// `/apps/latest`.
    Latest,
    /// `/search`, by the owner.
    Search,
}

/// A file of a release, by the version in its name.
static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[a-z]-(\d+\.\d+\.\d+)[-.]").unwrap());
/// An absolute address.
static LINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"http://[^"'\s#]+"#).unwrap());

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Feed => "feed",
            Self::File => "file of an answer",
            Self::Object => "object of an answer",
            Self::Latest => "newest build",
            Self::Search => "search",
        }
    }

    /// The statuses of a right answer. There is always a release that everybody may have, unless updates are shut off.
    pub(super) const fn statuses(self) -> &'static [u16] {
        match self {
            Self::Feed => &[200, 204, 404],
            Self::Latest => &[302],
            _ => &[200],
        }
    }

    /// Whether a device that asks there is counted.
    pub(super) const fn counts(self) -> bool {
        matches!(self, Self::Check | Self::Feed)
    }
}

impl Question {
    /// The path and query. For an object it is the path in the storage.
    pub(super) fn path(&self) -> String {
        let (line, client) = (self.line, &self.client);
        let feed = line.feed.map_or("", |feed| feed.name);
        match self.kind {
            Kind::Check => format!("/checkVersion?{}{}", line.query(client), self.query()),
            Kind::Feed => format!("/update/{}/{client}/{feed}?{}", line.segments(), self.query()),
            Kind::File => format!("/responses/{}/{client}.json", line.segments()),
            Kind::Object => format!("/{CDN_BUCKET}/responses/{}/{client}.json", line.segments()),
            Kind::Latest => {
                format!("/apps/latest?app_name={}&owner={OWNER}&channel=stable&package=deb", line.app)
            }
            Kind::Search => format!("/search?app_name={}&channel=stable&limit=100", line.app),
        }
    }

    /// The parameters of what the client says.
    fn query(&self) -> String {
        let Said { group, os, asks } = &self.said;
        let group = group.as_ref().map(|key| format!("&group={key}")).unwrap_or_default();
        let os = os.map(|os| format!("&os_version={os}.1")).unwrap_or_default();
        let asks = if *asks { "&interactive=1" } else { "" };
        format!("{group}{os}{asks}")
    }

    fn asker(&self) -> Asker<'_> {
        let chooses = match self.kind {
            Kind::Feed => self.line.feed.is_some_and(|feed| feed.staged.is_some()),
            _ => true,
        };
        match &self.device {
            Some(device) => Asker::Device(device),
            None if chooses => Asker::Chooser,
            None => Asker::Anybody,
        }
    }

    /// The content of an answer, as far as it depends on the application's state.
    pub(super) fn said(&self, answer: &Answer) -> Value {
        match self.kind {
            Kind::Check | Kind::File | Kind::Object => said_by_check(&answer.json()),
            Kind::Feed => json!({ "versions": named(&answer.text()) }),
            Kind::Latest => json!({ "versions": named(answer.header("location")) }),
            Kind::Search => said_by_search(&answer.json()),
        }
    }

    /// The right answers while the application is in this state.
    pub(super) fn expected(&self, state: &State) -> Vec<Value> {
        let versions = |release: Option<&Release>| {
            let versions: Vec<String> = release.iter().map(|release| release.version.to_string()).collect();
            json!({ "versions": versions })
        };
        match self.kind {
            Kind::Latest => return vec![versions(state.newest())],
            Kind::Search => return vec![state.releases().rev().map(listed).collect()],
            _ => {}
        }
        let decision = state.decide(&self.client, self.asker(), &self.said);
        let says_nothing = self.line.feed.is_some_and(|feed| feed.name == "tauri.json");
        if self.kind == Kind::Feed {
            if (says_nothing && !decision.update) || decision.shown.is_empty() {
                return vec![versions(None)];
            }
            return decision.shown.iter().map(|release| versions(Some(release))).collect();
        }
        let said = |release: Option<&Release>| {
            json!({
                "update": decision.update,
                "version": release.map_or(&self.client, |release| &release.version).to_string(),
                "file": release.map(|release| release.version.to_string()),
                "critical": decision.critical,
                "changelog": release.map_or("", |release| &release.changelog),
                "rollback": decision.rollback,
                "required": decision.update && release.is_some_and(|release| release.intermediate),
                "percent": release.and_then(Release::told).filter(|_| !state.shut_off && !decision.let_in),
                "fallback": decision.fallback.map(|release| release.version.to_string()),
                "withdrawn": decision.withdrawn,
                "shut_off": state.shut_off,
                "unmet": decision.unmet.map(|release| release.version.to_string()),
                "varies_with": Some(&decision.varies_with).filter(|names| !names.is_empty()),
            })
        };
        if decision.shown.is_empty() {
            return vec![said(None)];
        }
        decision.shown.iter().map(|release| said(Some(*release))).collect()
    }

    /// The links of an answer to files of a release, without those that need a login.
    pub(super) fn links(&self, answer: &Answer) -> Vec<(Version, String)> {
        if self.line.access == Access::Token && self.kind != Kind::Check {
            return Vec::new();
        }
        let text = [answer.header("location"), &answer.text()].join(" ");
        let links = LINK.find_iter(&text).filter_map(|link| {
            let version = NAMED.captures_iter(link.as_str()).last()?[1].parse().ok()?;
            Some((version, link.as_str().to_owned()))
        });
        links.collect()
    }
}

/// The versions in the names of files.
fn named(text: &str) -> BTreeSet<String> {
    NAMED.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

fn said_by_check(body: &Value) -> Value {
    json!({
        "update": body["update_available"],
        "version": body["version"],
        "file": named(body["update_url_deb"].as_str().unwrap_or_default()).pop_last(),
        "critical": body["critical"],
        "changelog": body["changelog"].as_str().unwrap_or_default(),
        "rollback": body["possible_rollback"].as_bool().unwrap_or_default(),
        "required": body["is_intermediate_required"].as_bool().unwrap_or_default(),
        "percent": body["rollout"]["percent"],
        "fallback": body["fallback"]["version"],
        "withdrawn": body["withdrawn"]["reason"],
        "shut_off": body["shut_off"].as_bool().unwrap_or_default(),
        "unmet": body["unmet"]["version"],
        "varies_with": body["varies_with"],
    })
}

fn said_by_search(body: &Value) -> Value {
    let releases = body["items"].as_array().into_iter().flatten();
    let said = |release: &Value| {
        json!([
            release["Version"],
            release["Published"],
            release["RolloutPercent"],
            release["Critical"],
            release["Intermediate"],
            release["Changelog"][0]["Changes"].as_str().unwrap_or_default(),
        ])
    };
    releases.map(said).collect()
}

fn listed(release: &Release) -> Value {
    let Release { version, published, critical, intermediate, changelog, .. } = release;
    // The search tells how a release is offered in its own channel.
    let rollout = if release.promoted { 100 } else { release.rollout };
    json!([version.to_string(), published, rollout, critical, intermediate, changelog])
}
