//! How people and time change a release.

use crate::{
    AdmittedGroups, BasisPoints, Course, CuredVersions, Freezes, Guard, Hold, Id, Plan, Release,
    ReleaseFlags, RolloutAction, RolloutRefused, Timestamp, Withdrawal,
};

/// How far ahead a release can be scheduled, in seconds: 366 days.
pub const MAX_SCHEDULE_SECONDS: i64 = 366 * 24 * 60 * 60;

/// Whether clients see a release, in terms for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseState {
    /// Clients do not see it.
    Draft,
    /// Clients will see it from a scheduled time.
    Scheduled,
    /// Clients see it.
    Published,
    /// Clients no longer see it, and those that run it are notified.
    Withdrawn,
}

impl ReleaseState {
    /// The state of a stored release.
    pub const fn of(is_withdrawn: bool, is_published: bool, publish_at: Option<Timestamp>) -> Self {
        match (is_withdrawn, is_published, publish_at) {
            (true, _, _) => Self::Withdrawn,
            (false, true, _) => Self::Published,
            (false, false, Some(_)) => Self::Scheduled,
            (false, false, None) => Self::Draft,
        }
    }

    /// The text form in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Scheduled => "scheduled",
            Self::Published => "published",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// When clients see a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publication {
    /// Not until somebody publishes it.
    Draft,
    /// From now on.
    Now,
    /// From this time on. A past time means now.
    At(Timestamp),
}

impl Publication {
    /// The publication that the flag `publish` means.
    pub const fn of(publish: bool) -> Self {
        if publish { Self::Now } else { Self::Draft }
    }

    /// When it begins automatically, if that is later than now.
    pub fn later(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::At(at) if at > now => Some(at),
            _ => None,
        }
    }

    /// Whether clients see the release at once.
    pub fn is_now(self, now: Timestamp) -> bool {
        self != Self::Draft && self.later(now).is_none()
    }
}

/// Changes to a release by people; `None` keeps the value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReleaseChange {
    /// See [`Publication`].
    pub publication: Option<Publication>,
    /// See [`ReleaseFlags::critical`].
    pub critical: Option<bool>,
    /// See [`ReleaseFlags::intermediate`].
    pub intermediate: Option<bool>,
    /// See [`RolloutAction::Set`].
    pub rollout: Option<BasisPoints>,
    /// A plan from its first step, for a release that clients do not see yet.
    pub plan: Option<Plan>,
    /// The new release notes.
    pub changelog: Option<String>,
    /// See [`Release::guard`].
    pub guard: Option<Option<Guard>>,
    /// See [`Release::admitted_groups`].
    pub admitted_groups: Option<AdmittedGroups>,
    /// See [`Release::cures`].
    pub cures: Option<CuredVersions>,
}

/// Why a change was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangeRefused {
    /// Only a restored release can be published.
    #[error("the release is withdrawn: restore the release first")]
    Withdrawn,
    /// Only a withdrawn release can be restored.
    #[error("the release is not withdrawn")]
    NotWithdrawn,
    /// A published release cannot be scheduled.
    #[error("the release is published")]
    Published,
    /// The time is more than [`MAX_SCHEDULE_SECONDS`] ahead.
    #[error("invalid publish_at: at most 366 days ahead")]
    TooFarAhead,
}

impl Release {
    /// Whether clients see it.
    pub const fn state(&self) -> ReleaseState {
        ReleaseState::of(self.withdrawal.is_some(), self.flags.published, self.publish_at)
    }

    /// The release after the effect of time alone: published, if its time has come.
    #[must_use]
    pub fn as_of(self, now: Timestamp) -> Self {
        match self.publish_at.filter(|at| *at <= now && !self.flags.published) {
            Some(at) => self.set_published(true, at),
            None => self,
        }
    }

    fn set_published(self, is_published: bool, at: Timestamp) -> Self {
        Self {
            flags: ReleaseFlags { published: is_published, ..self.flags },
            rollout: self.rollout.with_visibility(is_published, at),
            publish_at: None,
            planned_at: None,
            offered_at: self.offered_at.or(is_published.then_some(at)),
            round_at: if is_published { Some(at) } else { self.round_at },
            ..self
        }
    }

    /// Applies a change.
    pub fn apply_change(self, change: &ReleaseChange, now: Timestamp) -> Result<Self, ChangeRefused> {
        let mut new = self.as_of(now);
        new.flags.critical = change.critical.unwrap_or(new.flags.critical);
        new.flags.intermediate = change.intermediate.unwrap_or(new.flags.intermediate);
        if let Some(basis_points) = change.rollout {
            let rollout = new.rollout.clone().set(basis_points);
            new = new.with_rollout(rollout, now);
        }
        if let Some(plan) = &change.plan {
            let rollout = new.rollout.clone().with_plan(plan.clone());
            let rollout = rollout.with_visibility(new.flags.published, now);
            new = new.with_rollout(rollout, now);
        }
        if let Some(changelog) = &change.changelog {
            new.changelog.clone_from(changelog);
        }
        new.guard = change.guard.unwrap_or(new.guard);
        if let Some(admitted_groups) = &change.admitted_groups {
            new.admitted_groups.clone_from(admitted_groups);
        }
        if let Some(cures) = &change.cures {
            new.cures.clone_from(cures);
        }
        if let Some(publication) = change.publication {
            new = new.with_publication(publication, now)?;
        }
        new.revision += 1;
        Ok(new)
    }

    fn with_publication(self, publication: Publication, now: Timestamp) -> Result<Self, ChangeRefused> {
        if self.withdrawal.is_some() && publication != Publication::Draft {
            return Err(ChangeRefused::Withdrawn);
        }
        let is_published = publication.is_now(now);
        match publication.later(now) {
            Some(_) if self.flags.published => Err(ChangeRefused::Published),
            Some(at) if at > now.plus_seconds(MAX_SCHEDULE_SECONDS) => Err(ChangeRefused::TooFarAhead),
            Some(at) => Ok(Self { publish_at: Some(at), planned_at: None, ..self }),
            None if is_published == self.flags.published => {
                Ok(Self { publish_at: None, planned_at: None, ..self })
            }
            None => Ok(self.set_published(is_published, now)),
        }
    }

    /// The release with these freezes from `now` on. They hold a publication and steps of a plan that
    /// begin automatically and have not begun by then.
    #[must_use]
    pub fn with_freezes(self, freezes: &Freezes, now: Timestamp) -> Self {
        let planned = self.planned_at.or(self.publish_at);
        let is_to_come = self.publish_at.is_some_and(|at| at > now);
        let publish_at = match planned.filter(|_| is_to_come) {
            Some(planned) => Some(freezes.at_or_after(planned.max(now))),
            None => self.publish_at,
        };
        let planned_at = planned.filter(|_| publish_at != planned);
        Self { publish_at, planned_at, rollout: self.rollout.with_freezes(freezes, now), ..self }
    }

    /// Until when freezes hold its publication or its next step. `None`: they do not.
    pub fn held_until(&self, now: Timestamp) -> Option<Timestamp> {
        held_until(self.publish_at, self.planned_at, &self.rollout, now)
    }

    /// Whether anything but the revision and the effect of freezes differs from the release before an
    /// action. If not, the action has changed nothing.
    pub fn differs_from(&self, old: &Self, now: Timestamp) -> bool {
        let state = |release: &Self| {
            let release = release.clone().as_of(now);
            let rollout = release.rollout.clone().as_of(now).without_freezes();
            let publish_at = release.planned_at.or(release.publish_at);
            Self { rollout, publish_at, planned_at: None, revision: 0, ..release }
        };
        state(self) != state(old)
    }

    /// The release as offered by another channel: to everybody, once it is published there.
    /// `was_halted`: whether an earlier offer of the release in that channel was halted when it
    /// ended. Then this one is halted too, because only resuming ends a halt.
    #[must_use]
    pub fn promote_to(self, channel: Id, was_halted: bool) -> Self {
        let hold = if was_halted { Hold::Halted } else { Hold::Off };
        Self {
            channel_id: Some(channel),
            is_promoted: true,
            flags: ReleaseFlags { published: false, ..self.flags },
            rollout: Course { hold, ..Course::fixed(BasisPoints::ALL, self.rollout.seed) },
            publish_at: None,
            planned_at: None,
            offered_at: None,
            admitted_groups: AdmittedGroups::default(),
            guard: None,
            round_at: None,
            revision: 0,
            ..self
        }
    }

    /// Whether clients see it, and older ones cannot skip it.
    pub const fn is_barrier(&self) -> bool {
        self.flags.published && self.flags.intermediate
    }

    /// Whether a halt would change anything: clients see it, and it is not halted.
    pub fn is_haltable(&self, now: Timestamp) -> bool {
        let release = self.clone().as_of(now);
        release.flags.published && release.rollout.hold != Hold::Halted
    }

    /// Applies an action on the rollout.
    pub fn apply_action(self, action: RolloutAction, now: Timestamp) -> Result<Self, RolloutRefused> {
        let new = self.as_of(now);
        let rollout = new.rollout.clone().after(action, new.flags.published, now)?;
        Ok(Self { revision: new.revision + 1, ..new.with_rollout(rollout, now) })
    }

    /// Like [`Self::apply_action`], for a release that fails. Resuming it gives the present step its whole time
    /// again, so that there is as long to see whether the failures go on.
    pub fn apply_action_after_failures(
        self,
        action: RolloutAction,
        now: Timestamp,
    ) -> Result<Self, RolloutRefused> {
        let restarts = action == RolloutAction::Resume;
        let new = self.apply_action(action, now)?;
        Ok(if restarts { Self { rollout: new.rollout.restart_step(now), ..new } } else { new })
    }

    /// A person who continues a rollout has seen the failures, so they no longer count.
    fn with_rollout(self, rollout: Course, now: Timestamp) -> Self {
        let goes_on = self.rollout.hold != Hold::Off && rollout.hold == Hold::Off;
        let round_at = if goes_on && self.flags.published { Some(now) } else { self.round_at };
        Self { rollout, round_at, ..self }
    }

    /// Withdraws the release. Withdrawing it again changes the reason.
    #[must_use]
    pub fn withdraw(self, reason: String, now: Timestamp) -> Self {
        let new = self.as_of(now);
        let at = new.withdrawal.as_ref().map_or(now, |withdrawal| withdrawal.at);
        let withdrawal = Some(Withdrawal { at, reason });
        let revision = new.revision + 1;
        Self { withdrawal, revision, ..new.set_published(false, now) }
    }

    /// Ends the withdrawal. The release becomes a draft.
    pub fn restore(self) -> Result<Self, ChangeRefused> {
        if self.withdrawal.is_none() {
            return Err(ChangeRefused::NotWithdrawn);
        }
        Ok(Self { withdrawal: None, revision: self.revision + 1, ..self })
    }

    /// The release after the effect of time alone.
    #[must_use]
    pub fn with_due_changes(self, now: Timestamp) -> Self {
        let new = self.as_of(now);
        Self { rollout: new.rollout.as_of(now), revision: new.revision + 1, ..new }
    }

    /// When time next changes the release. This may be in the past, if the change was not applied
    /// yet.
    pub fn due(&self) -> Option<Timestamp> {
        if self.flags.published { self.rollout.due() } else { self.publish_at }
    }
}

/// Until when freezes hold a publication, or otherwise the next step of a rollout. `planned_at`: when
/// the release would be published without freezes, if that is another time.
pub fn held_until(
    publish_at: Option<Timestamp>,
    planned_at: Option<Timestamp>,
    rollout: &Course,
    now: Timestamp,
) -> Option<Timestamp> {
    match publish_at {
        Some(at) => planned_at.and(Some(at)),
        None => rollout.held_until(now),
    }
}

#[cfg(test)]
mod freezes;
#[cfg(test)]
mod halts;
#[cfg(test)]
mod tests;
