//! Which releases a client may have.

use super::asker::Asker;
use crate::{ClientFacts, Conditions, GroupDevice, GroupSet, Rollout, ScopeRecord, Timestamp, Version};

/// A client at a time.
#[derive(Clone, Copy)]
pub(crate) struct Admission<'a> {
    version: &'a Version,
    asker: Asker<'a>,
    facts: &'a ClientFacts,
    groups: GroupSet,
    at: Timestamp,
}

impl<'a> Admission<'a> {
    /// A client with this version.
    pub(crate) fn of(
        record: &ScopeRecord,
        version: &'a Version,
        asker: Asker<'a>,
        facts: &'a ClientFacts,
        at: Timestamp,
    ) -> Self {
        Self { version, asker, facts, groups: groups(record, asker, facts), at }
    }

    /// The facts that the client reports about itself.
    pub(crate) const fn facts(&self) -> &'a ClientFacts {
        self.facts
    }

    /// The same client at another time.
    pub(crate) const fn at(self, at: Timestamp) -> Self {
        Self { at, ..self }
    }

    /// Whether the client may have a release.
    pub(crate) fn admits(&self, rollout: &Rollout, conditions: &Conditions) -> bool {
        // A release for groups alone is hidden from others, not even shown as a rollout of 0.
        let is_secret = self.asker == Asker::Anonymous && self.is_for_groups(rollout, conditions);
        let is_in = !is_secret && self.asker.may_have(rollout, self.at);
        conditions.are_met_by(self.facts) && (is_in || self.skips_rollout(rollout, conditions))
    }

    /// Whether the rollout is ignored for the client: because of a group, because the release cures its
    /// version, or because the user asked.
    pub(crate) fn skips_rollout(&self, rollout: &Rollout, conditions: &Conditions) -> bool {
        let has_begun = !rollout.basis_points(self.at).is_none();
        !rollout.is_halted && (self.is_named_by(conditions) || (self.facts.is_interactive && has_begun))
    }

    /// Whether the client may have the release even if it then finds itself outside every rollout.
    pub(crate) fn surely_admits(&self, rollout: &Rollout, conditions: &Conditions) -> bool {
        let is_named = !rollout.is_halted && self.is_named_by(conditions);
        conditions.are_met_by(self.facts) && (is_named || rollout.is_full(self.at))
    }

    /// Whether the conditions name a group of the client, or its version.
    fn is_named_by(&self, conditions: &Conditions) -> bool {
        conditions.admitted_groups.meets(self.groups) || conditions.cures.has(self.version)
    }

    /// Whether only groups may have the release.
    pub(crate) fn is_for_groups(&self, rollout: &Rollout, conditions: &Conditions) -> bool {
        !conditions.admitted_groups.is_empty() && rollout.basis_points(self.at).is_none()
    }
}

fn groups(record: &ScopeRecord, asker: Asker<'_>, facts: &ClientFacts) -> GroupSet {
    if record.groups.is_empty() {
        return GroupSet::default();
    }
    let device = match asker {
        Asker::Device(id) => Some(GroupDevice::of(&record.app_id, id)),
        Asker::Anonymous | Asker::Outsider => None,
    };
    let groups = record.groups.iter().enumerate();
    groups.filter(|(_, group)| group.has(&facts.groups, device)).map(|(place, _)| place).collect()
}
