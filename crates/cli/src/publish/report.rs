//! What was published.

use std::time::Duration;

use serde_json::{Value, json};

use super::digest::Digests;
use super::plan::Plan;
use super::state_file::Granted;
use crate::output::{bytes, text};

/// How long it took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seconds {
    /// What had to be known before anything could be sent.
    pub(super) hashing: Duration,
    /// Everything.
    pub(super) total: Duration,
}

/// The result of `publish`.
#[derive(Debug)]
pub(super) struct Report {
    json: Value,
    text: String,
}

impl Report {
    pub(super) fn new(
        plan: &Plan,
        release: &str,
        digests: Vec<Digests>,
        upload: Option<&Granted>,
        resumed: bool,
        seconds: Seconds,
    ) -> Self {
        let granted = upload.map_or(&[][..], |upload| &upload.files);
        let files: Vec<Value> = plan
            .files
            .large
            .iter()
            .zip(digests)
            .enumerate()
            .map(|(place, (file, digests))| {
                let there = granted.get(place);
                let sha256 = digests.sha256.or_else(|| there?.sha256.clone());
                let sha512 = digests.sha512.or_else(|| there?.sha512.clone());
                json!({ "name": file.name, "length": file.length, "md5": digests.md5, "sha256": sha256, "sha512": sha512 })
            })
            .collect();
        let (app, version) = (text(&plan.data, "app_name"), text(&plan.data, "version"));
        let published = plan.data["publish"] == true;
        let total = plan.files.total();
        let state = if published { "published" } else { "uploaded as a draft" };
        let count = plan.files.large.len() + plan.files.feeds.len();
        let told = format!(
            "{app} {version} {state}: {count} files, {} in {:.1} s",
            bytes(total),
            seconds.total.as_secs_f64()
        );
        let feeds: Vec<&String> = plan.files.feeds.iter().map(|file| &file.name).collect();
        let json = json!({
            "id": release, "app": app, "version": version, "requested_publish": published, "resumed": resumed,
            "presigned": upload.is_some(), "files": files, "feeds": feeds, "bytes": total,
            "seconds": { "hashing": seconds.hashing.as_secs_f64(), "total": seconds.total.as_secs_f64() },
        });
        Self { json, text: told }
    }

    pub(super) fn as_json(&self) -> Value {
        self.json.clone()
    }

    pub(super) fn as_text(&self) -> String {
        self.text.clone()
    }
}
