//! Explains to the user of a device why it gets no newer release.
//!
//! Anybody may ask, so the explanation contains nothing that a check with the same values would not say, with
//! the device or without one: no groups, no percentages, no times, and no release that checks do not name.

use super::ExplainedClient;
use crate::{Requirements, ScopeRecord, Timestamp, Version, decide};

/// The answer to a device, in terms of its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceExplanation<'a> {
    /// Whether it gets a release, or why it does not.
    pub answer: DeviceAnswer<'a>,
    /// Why the device's version was withdrawn, if it was.
    pub withdrawn: Option<&'a str>,
}

/// Whether a device gets a release, or why it does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceAnswer<'a> {
    /// It is offered this newer version.
    Offered(&'a Version),
    /// Updates are shut off.
    ShutOff,
    /// The newest version does not run on the device's system.
    Unmet {
        /// That version.
        version: &'a Version,
        /// The systems that it runs on.
        requires: &'a Requirements,
    },
    /// A newer version reaches devices one after another, and this one is not among them yet.
    NotYet(&'a Version),
    /// The device's version is newer than every published one.
    Newest,
    /// Nothing newer is offered to the device.
    UpToDate,
    /// Nothing is published.
    NothingPublished,
}

/// Explains the answer from `record` to a client at a time, for its user.
pub fn explain_to_device<'a>(
    record: &'a ScopeRecord,
    client: &ExplainedClient<'_>,
    at: Timestamp,
) -> DeviceExplanation<'a> {
    let decide_for = |device| decide(record, client.version, client.updater.asker(device), client.facts, at);
    let decision = decide_for(client.device);
    let answer = if decision.shut_off {
        DeviceAnswer::ShutOff
    } else if let Some(version) = decision.version().filter(|_| decision.update_available) {
        DeviceAnswer::Offered(version)
    } else if let Some((version, requires)) =
        decision.unmet.and_then(|release| Some((&release.version, release.conditions.requires.as_ref()?)))
    {
        DeviceAnswer::Unmet { version, requires }
    } else if let Some(version) = announced(&decide_for(None)) {
        DeviceAnswer::NotYet(version)
    } else if record.releases.is_empty() {
        DeviceAnswer::NothingPublished
    } else if decision.possible_rollback {
        DeviceAnswer::Newest
    } else {
        DeviceAnswer::UpToDate
    };
    DeviceExplanation { answer, withdrawn: decision.withdrawn }
}

/// The newer version that a check without a device names.
fn announced<'a>(decision: &crate::Decision<'a>) -> Option<&'a Version> {
    decision.release.filter(|_| decision.update_available).map(|release| &release.version)
}
