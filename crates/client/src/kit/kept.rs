//! The file of a kit.

use std::collections::VecDeque;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spindrift_core::{DeviceId, EventType, Reason, dimension_or_default};

use super::run::Run;
use crate::{CheckOptions, Report};

/// Largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Reports that wait to be sent; further ones are dropped.
const MAX_REPORTS: usize = 20;
/// Reports that are older are dropped: 14 days.
const MAX_REPORT_AGE: Duration = Duration::from_hours(14 * 24);
/// Size of a report's details, as JSON, in bytes; larger ones are left out.
const MAX_DETAILS_BYTES: usize = 8 * 1024;

/// Everything that the kit keeps between runs.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    pub(super) device: String,
    pub(super) run: Option<Run>,
    /// The version of the last run.
    pub(super) last_version: Option<String>,
    /// The failures that wait to be sent, oldest first.
    pub(super) reports: VecDeque<KeptReport>,
}

/// A failure that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptReport {
    version: String,
    event: String,
    reason: String,
    details: Option<Map<String, Value>>,
    /// Seconds since 1970.
    noticed_at: u64,
}

pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join("kit.json")
}

/// A random device id. Without randomness there is none.
pub(super) fn new_device() -> String {
    let mut bytes = [0; 16];
    match getrandom::fill(&mut bytes) {
        Ok(()) => base16ct::lower::encode_string(&bytes),
        Err(_) => String::new(),
    }
}

impl Kept {
    /// Reads the file of a folder. If it is missing, damaged or too large, the kit starts over.
    pub(super) fn read(folder: &Path) -> Self {
        let mut kept = Self::read_file(folder).unwrap_or_default();
        if kept.device.parse::<DeviceId>().is_err() {
            kept.device = new_device();
        }
        kept
    }

    fn read_file(folder: &Path) -> Option<Self> {
        let file = std::fs::File::open(path(folder)).ok()?;
        let mut bytes = Vec::new();
        let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
        if read as u64 > MAX_FILE_BYTES {
            return None;
        }
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes the file. If that fails, the next run knows what the file held before.
    pub(super) fn write(&self, folder: &Path) {
        let new = folder.join("kit.json.new");
        // Cannot fail: all keys are text.
        let json = serde_json::to_vec(self).unwrap_or_default();
        let _unusable_folder = std::fs::write(&new, json).and_then(|()| std::fs::rename(&new, path(folder)));
    }

    /// Keeps a report, unless an equal one waits: the service counts a device once an hour.
    pub(super) fn add(&mut self, mut report: KeptReport) {
        let size = report.details.as_ref().and_then(|details| serde_json::to_vec(details).ok());
        if size.is_some_and(|json| json.len() > MAX_DETAILS_BYTES) {
            report.details = None;
        }
        if self.reports.len() < MAX_REPORTS && !self.reports.iter().any(|waiting| waiting.is_like(&report)) {
            self.reports.push_back(report);
        }
    }

    /// Drops reports that are too old, too many, or from the future, as after the clock was set back.
    pub(super) fn expire(&mut self, now: SystemTime) {
        let now = seconds(now);
        let oldest = now.saturating_sub(MAX_REPORT_AGE.as_secs());
        self.reports.retain(|report| (oldest..=now).contains(&report.noticed_at));
        self.reports.truncate(MAX_REPORTS);
    }
}

impl KeptReport {
    pub(super) fn new(
        version: String,
        event: EventType,
        reason: &Reason,
        details: Option<Map<String, Value>>,
        now: SystemTime,
    ) -> Self {
        let (event, reason) = (event.as_str().to_owned(), reason.as_str().to_owned());
        Self { version, event, reason, details, noticed_at: seconds(now) }
    }

    /// Whether the service would count both in one group.
    fn is_like(&self, other: &Self) -> bool {
        (&self.version, &self.event, &self.reason) == (&other.version, &other.event, &other.reason)
    }

    #[cfg(test)]
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    #[cfg(test)]
    pub(super) fn cause(&self) -> String {
        format!("{} {}", self.event, self.reason)
    }

    /// `None`: the file was changed by others.
    pub(super) fn to_report(&self, options: &CheckOptions, device_id: &str) -> Option<Report> {
        // The service requires a name, also of a dimension that the application does not use.
        let name = |name: &String| {
            dimension_or_default(Some(name.as_str()).filter(|name| !name.is_empty())).to_owned()
        };
        Some(Report {
            app_name: options.app_name.clone(),
            version: self.version.clone(),
            channel: name(&options.channel),
            platform: name(&options.platform),
            arch: name(&options.arch),
            event: self.event.parse().ok()?,
            reason: self.reason.parse().ok()?,
            device_id: device_id.to_owned(),
            details: self.details.clone(),
        })
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}
