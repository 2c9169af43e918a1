//! How people and the time change a release.

use crate::{
    BasisPoints, Course, Guard, Hold, LetIn, Release, ReleaseFlags, RolloutAction, RolloutRefused, Timestamp,
    Withdrawal,
};

/// How far ahead a release can be scheduled, in seconds: 366 days.
pub const MAX_SCHEDULE_SECONDS: i64 = 366 * 24 * 60 * 60;

/// Whether clients see a release, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseState {
    /// They do not.
    Draft,
    /// They will, from a time that was set before.
    Scheduled,
    /// They do.
    Published,
    /// They do not any more, and those that run it are told.
    Withdrawn,
}

impl ReleaseState {
    /// From what is stored of a release.
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

/// From when on clients see a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publication {
    /// Not until somebody publishes it.
    Draft,
    /// From now on.
    Now,
    /// From a time on. A past one means now.
    At(Timestamp),
}

impl Publication {
    /// The publication that a switch means.
    pub const fn of(publish: bool) -> Self {
        if publish { Self::Now } else { Self::Draft }
    }

    /// When it begins by itself, if that is later than now.
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

/// Changes to a release that people make; `None` keeps the value.
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
    /// The new release notes.
    pub changelog: Option<String>,
    /// See [`Release::guard`].
    pub guard: Option<Option<Guard>>,
    /// See [`Release::let_in`].
    pub let_in: Option<LetIn>,
}

/// Why a change is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangeRefused {
    /// Only a restored release can be published.
    #[error("the release is withdrawn: restore the release first")]
    Withdrawn,
    /// Only a withdrawn release can be restored.
    #[error("the release is not withdrawn")]
    NotWithdrawn,
    /// A release that clients see cannot be hidden from them until later.
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

    /// The release as the time alone has made it: published, if its time has come.
    #[must_use]
    pub fn as_of(self, now: Timestamp) -> Self {
        match self.publish_at.filter(|at| *at <= now && !self.flags.published) {
            Some(at) => self.published(true, at),
            None => self,
        }
    }

    fn published(self, is_published: bool, at: Timestamp) -> Self {
        Self {
            flags: ReleaseFlags { published: is_published, ..self.flags },
            rollout: self.rollout.with_visibility(is_published, at),
            publish_at: None,
            offered_at: self.offered_at.or(is_published.then_some(at)),
            round_at: if is_published { Some(at) } else { self.round_at },
            ..self
        }
    }

    /// The release after a change.
    pub fn changed(self, change: &ReleaseChange, now: Timestamp) -> Result<Self, ChangeRefused> {
        let mut new = self.as_of(now);
        new.flags.critical = change.critical.unwrap_or(new.flags.critical);
        new.flags.intermediate = change.intermediate.unwrap_or(new.flags.intermediate);
        if let Some(basis_points) = change.rollout {
            let rollout = new.rollout.clone().set(basis_points);
            new = new.with_rollout(rollout, now);
        }
        if let Some(changelog) = &change.changelog {
            new.changelog.clone_from(changelog);
        }
        new.guard = change.guard.unwrap_or(new.guard);
        if let Some(let_in) = &change.let_in {
            new.let_in.clone_from(let_in);
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
            Some(at) => Ok(Self { publish_at: Some(at), ..self }),
            None if is_published == self.flags.published => Ok(Self { publish_at: None, ..self }),
            None => Ok(self.published(is_published, now)),
        }
    }

    /// The release with another course of its rollout, which begins when clients see it.
    #[must_use]
    pub fn with_course(self, course: Course, now: Timestamp) -> Self {
        let rollout = course.with_visibility(self.flags.published, now);
        Self { rollout, ..self }
    }

    /// The release after an action on its rollout.
    pub fn rolled_out(self, action: RolloutAction, now: Timestamp) -> Result<Self, RolloutRefused> {
        let new = self.as_of(now);
        let rollout = new.rollout.clone().after(action, new.flags.published, now)?;
        Ok(Self { revision: new.revision + 1, ..new.with_rollout(rollout, now) })
    }

    /// A person who lets a rollout go on has seen the failures, so they count no more.
    fn with_rollout(self, rollout: Course, now: Timestamp) -> Self {
        let goes_on = self.rollout.hold != Hold::Off && rollout.hold == Hold::Off;
        let round_at = if goes_on && self.flags.published { Some(now) } else { self.round_at };
        Self { rollout, round_at, ..self }
    }

    /// The release after its withdrawal. Withdrawing it again changes the reason.
    #[must_use]
    pub fn withdrawn(self, reason: String, now: Timestamp) -> Self {
        let new = self.as_of(now);
        let at = new.withdrawal.as_ref().map_or(now, |withdrawal| withdrawal.at);
        let withdrawal = Some(Withdrawal { at, reason });
        let revision = new.revision + 1;
        Self { withdrawal, revision, ..new.published(false, now) }
    }

    /// The release as a draft, after its withdrawal was taken back.
    pub fn restored(self) -> Result<Self, ChangeRefused> {
        if self.withdrawal.is_none() {
            return Err(ChangeRefused::NotWithdrawn);
        }
        Ok(Self { withdrawal: None, revision: self.revision + 1, ..self })
    }

    /// The release as the time alone has changed it.
    #[must_use]
    pub fn settled(self, now: Timestamp) -> Self {
        let new = self.as_of(now);
        Self { rollout: new.rollout.settled(now), revision: new.revision + 1, ..new }
    }

    /// When the time changes it next. That may be past: then it has to be settled.
    pub fn due(&self) -> Option<Timestamp> {
        if self.flags.published { self.rollout.due() } else { self.publish_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, RolloutState};

    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

    fn draft() -> Release {
        Release {
            id: Id::from_text("r"),
            app_id: Id::from_text("a"),
            is_promoted: false,
            version: "2.0".parse().unwrap(),
            channel_id: None,
            flags: ReleaseFlags::default(),
            rollout: Course::planned("10:1h,100".parse().unwrap(), "seed".into()),
            changelog: String::new(),
            publish_at: None,
            withdrawal: None,
            offered_at: None,
            let_in: LetIn::default(),
            guard: None,
            round_at: None,
            revision: 1,
        }
    }

    fn publication(publication: Publication) -> ReleaseChange {
        ReleaseChange { publication: Some(publication), ..ReleaseChange::default() }
    }

    fn scheduled() -> Release {
        draft().changed(&publication(Publication::At(NOW.plus_seconds(60))), NOW).unwrap()
    }

    #[test]
    fn a_scheduled_release_is_published_by_the_time_alone() {
        let release = scheduled();
        assert_eq!((release.state(), release.due()), (ReleaseState::Scheduled, Some(NOW.plus_seconds(60))));
        let at = |seconds| release.clone().as_of(NOW.plus_seconds(seconds));
        assert_eq!(at(59), release);
        let published = at(60 + 30 * 60);
        assert_eq!(published.state(), ReleaseState::Published);
        assert_eq!(published.offered_at, Some(NOW.plus_seconds(60)));
        let next = published.rollout.next(NOW.plus_seconds(60)).unwrap();
        assert_eq!(next.at, NOW.plus_seconds(60 + 60 * 60), "the plan began with the publication");
        let settled = release.settled(NOW.plus_seconds(60 + 60 * 60));
        assert_eq!((settled.revision, settled.due()), (3, None));
        assert_eq!(settled.rollout.state(NOW.plus_seconds(60 + 60 * 60)), RolloutState::Complete);
    }

    #[test]
    fn a_round_begins_when_clients_see_the_release_and_when_its_rollout_goes_on() {
        let later = |seconds: i64| NOW.plus_seconds(seconds);
        let published = draft().changed(&publication(Publication::Now), NOW).unwrap();
        assert_eq!((draft().round_at, published.round_at), (None, Some(NOW)));
        assert_eq!(scheduled().as_of(later(99)).round_at, Some(later(60)));
        let order = |release: Release, action, at: i64| release.rolled_out(action, later(at)).unwrap();
        let halted = order(order(published, RolloutAction::Advance, 1), RolloutAction::Halt, 2);
        assert_eq!(halted.round_at, Some(NOW), "orders keep it");
        let half = RolloutAction::Set(BasisPoints::from_percent(50));
        assert_eq!(order(halted.clone(), half.clone(), 3).round_at, Some(NOW), "it is still halted");
        let resumed = order(halted, RolloutAction::Resume, 4);
        assert_eq!(resumed.round_at, Some(later(4)));
        let published = draft().changed(&publication(Publication::Now), NOW).unwrap();
        let paused = order(published, RolloutAction::Pause, 6);
        for action in [RolloutAction::Advance, RolloutAction::Complete, half] {
            assert_eq!(order(paused.clone(), action, 7).round_at, Some(later(7)));
        }
        let change = ReleaseChange { rollout: Some(BasisPoints::ALL), ..ReleaseChange::default() };
        assert_eq!(paused.changed(&change, later(8)).unwrap().round_at, Some(later(8)));
    }

    #[test]
    fn publications_replace_each_other() {
        let later = Publication::At(NOW.plus_seconds(90));
        for (from, publication_, state, publish_at) in [
            (draft(), Publication::Draft, ReleaseState::Draft, None),
            (draft(), Publication::Now, ReleaseState::Published, None),
            (draft(), Publication::At(NOW), ReleaseState::Published, None),
            (scheduled(), Publication::Draft, ReleaseState::Draft, None),
            (scheduled(), Publication::Now, ReleaseState::Published, None),
            (scheduled(), later, ReleaseState::Scheduled, Some(NOW.plus_seconds(90))),
        ] {
            let revision = from.revision;
            let changed = from.changed(&publication(publication_), NOW).unwrap();
            assert_eq!((changed.state(), changed.publish_at), (state, publish_at), "{publication_:?}");
            assert_eq!(changed.revision, revision + 1);
        }
        let published = draft().changed(&publication(Publication::Now), NOW).unwrap();
        assert_eq!(published.clone().changed(&publication(later), NOW), Err(ChangeRefused::Published));
        let far = Publication::At(NOW.plus_seconds(MAX_SCHEDULE_SECONDS + 1));
        assert_eq!(draft().changed(&publication(far), NOW), Err(ChangeRefused::TooFarAhead));
        let kept = scheduled().changed(&ReleaseChange::default(), NOW).unwrap();
        assert_eq!(kept.state(), ReleaseState::Scheduled, "other changes keep the schedule");
    }

    #[test]
    fn a_withdrawn_release_is_restored_first() {
        let published = draft().changed(&publication(Publication::Now), NOW).unwrap();
        for release in [draft(), scheduled(), published] {
            let withdrawn = release.withdrawn("it deletes files".to_owned(), NOW);
            assert_eq!((withdrawn.state(), withdrawn.due()), (ReleaseState::Withdrawn, None));
            let again = withdrawn.clone().withdrawn("worse".to_owned(), NOW.plus_seconds(9));
            assert_eq!(again.withdrawal, Some(Withdrawal { at: NOW, reason: "worse".to_owned() }));
            for refused in [Publication::Now, Publication::At(NOW.plus_seconds(1))] {
                let refused = withdrawn.clone().changed(&publication(refused), NOW);
                assert_eq!(refused, Err(ChangeRefused::Withdrawn));
            }
            let restored = withdrawn.restored().unwrap();
            assert_eq!(restored.state(), ReleaseState::Draft);
            assert_eq!(restored.restored(), Err(ChangeRefused::NotWithdrawn));
        }
    }
}
