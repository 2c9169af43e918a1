//! The lines of a receipt: one for each channel, platform, architecture and updater.

use std::collections::BTreeSet;

use spindrift_api::ReceiptLineBody;
use spindrift_core::cut_off::{InstalledCopies, SEEN_DAYS};
use spindrift_core::explain::{Candidate, FileAvailability};
use spindrift_core::receipt::{ReceiptAudience, ReceiptLine, ReceiptOutcome};
use spindrift_core::{
    ArchName, ChannelName, Conditions, Day, Days, Id, PlatformName, Publication, Release, ReleaseChange,
    Target, Timestamp, Updater, Version,
};
use spindrift_db::receipt::{self, EarlierFile, EarlierRelease};
use spindrift_service::records::explanation::{self, ExplanationData};
use spindrift_service::requests::Session;
use spindrift_service::telemetry::{self, gathered_sightings};
use spindrift_service::{Failure, Ports, ServiceError};

use super::owned::OwnerDimensions;
use super::subject::{ReceiptSubject, is_same};

/// Maximum number of lines in a receipt. Each costs a few reads of the database.
const MAX_LINES: usize = 200;

/// Everything that determines the lines.
pub(super) struct ReceiptLines<'a, P: Ports> {
    session: &'a Session<'a, P>,
    owned: &'a OwnerDimensions,
    subject: &'a ReceiptSubject,
    /// The devices that were seen. `None` if devices are not counted.
    seen: Option<Vec<InstalledCopies>>,
}

/// The release as the clients of a channel will see it once it is published.
struct ChannelView<'a> {
    channel: Option<&'a Id>,
    /// The present state of the release there.
    state: &'static str,
    /// Whether clients see it now.
    is_seen: bool,
    offer: Release,
    earlier: Vec<EarlierRelease>,
}

impl<'a, P: Ports> ReceiptLines<'a, P> {
    pub(super) fn new(
        session: &'a Session<'a, P>,
        owned: &'a OwnerDimensions,
        subject: &'a ReceiptSubject,
    ) -> Result<Self, Failure> {
        let (ports, conn) = (session.ports, &session.conn);
        let seen = if telemetry::is_enabled(ports)? {
            gathered_sightings::count(ports, conn);
            let days = Days::until(Day::of(session.now), SEEN_DAYS);
            Some(spindrift_db::cut_off::copies_of(conn, std::slice::from_ref(&subject.app_id), days)?)
        } else {
            None
        };
        Ok(Self { session, owned, subject, seen })
    }

    /// The lines, for one channel or for all that show the release, and whether there are more.
    pub(super) fn all(
        &self,
        channel: Option<&str>,
    ) -> Result<(Vec<(ReceiptOutcome, ReceiptLineBody)>, bool), Failure> {
        let mut lines = Vec::new();
        let offered = self.subject.channels();
        for id in self.owned.views(&offered) {
            if channel.is_some_and(|channel| self.owned.channel_name(id) != channel) {
                continue;
            }
            let Some(view) = self.view(id)? else { continue };
            for place in self.places(&view) {
                for updater in self.owned.updaters(place.platform_id.as_ref()).entries() {
                    if lines.len() == MAX_LINES {
                        return Ok((lines, true));
                    }
                    lines.extend(self.line(&view, &place, updater.updater)?);
                }
            }
        }
        Ok((lines, false))
    }

    /// The release as the clients of a channel see it. `None` if they do not see it.
    fn view<'v>(&self, channel: Option<&'v Id>) -> Result<Option<ChannelView<'v>>, Failure> {
        let is_here = |offer: &&Release| match (channel, &offer.channel_id) {
            (None, None) => true,
            (Some(channel), Some(other)) => self.owned.sees(channel, other),
            _ => false,
        };
        let now = self.session.now;
        let rank = |offer: &Release| (offer.flags.published, offer.rollout.basis_points(now));
        let offers = self.subject.offers.iter().filter(is_here).map(|offer| offer.clone().as_of(now));
        let Some(offer) = offers.max_by_key(rank) else { return Ok(None) };
        let (state, is_seen) = (offer.state().as_str(), offer.flags.published);
        let scope = (&self.subject.app_id, channel);
        let earlier = receipt::earlier(&self.session.conn, scope, &self.subject.version, now)?;
        Ok(Some(ChannelView { channel, state, is_seen, offer: published(offer, now)?, earlier }))
    }

    /// The platforms and architectures for which this release or an earlier one has files or a feed, by name.
    fn places(&self, view: &ChannelView<'_>) -> Vec<Target> {
        let of_subject = self.subject.files.iter().map(|file| &file.place);
        let all = of_subject
            .chain(self.subject.feeds.iter().map(|feed| &feed.place))
            .chain(view.earlier.iter().map(|earlier| &earlier.place));
        let named = all.filter_map(|place| {
            let place = Target { channel_id: view.channel.cloned(), ..place.clone() };
            let scope = self.owned.scope(&self.subject.app, &place)?;
            Some((scope, place.platform_id, place.arch_id))
        });
        let named: BTreeSet<_> = named.collect();
        let place =
            |(_, platform_id, arch_id)| Target { channel_id: view.channel.cloned(), platform_id, arch_id };
        named.into_iter().map(place).collect()
    }

    /// `None`: clients cannot ask for this place, because its names now resolve to another one.
    fn line(
        &self,
        view: &ChannelView<'_>,
        place: &Target,
        updater: Updater,
    ) -> Result<Option<(ReceiptOutcome, ReceiptLineBody)>, Failure> {
        let Some(scope) = self.owned.scope(&self.subject.app, place) else { return Ok(None) };
        let Session { ports, conn, now, .. } = self.session;
        let data = match explanation::load(*ports, conn, &scope, Some(updater.as_str()), *now) {
            Ok(data) if data.target == *place => data,
            Ok(_) => return Ok(None),
            Err(error) if error.is_unknown_scope() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let before = before(&view.earlier, place, updater);
        let release = Candidate {
            version: self.subject.version.clone(),
            channel: scope.channel.clone(),
            is_in_channel: true,
            state: view.offer.state(),
            publish_at: None,
            held_until: None,
            rollout: view.offer.rollout.clone(),
            files: self.files(view, place, &data),
            conditions: self.conditions(view, place, &data)?,
        };
        let audience = ReceiptAudience {
            record: data.record,
            updater,
            before: before.cloned(),
            release,
            is_intermediate: view.offer.flags.intermediate,
        };
        let ReceiptLine { outcome, text } = audience.line(*now);
        let named = |name: Option<&str>| name.unwrap_or_default().to_owned();
        let body = ReceiptLineBody {
            channel: named(scope.channel.as_ref().map(ChannelName::as_str)),
            platform: named(scope.platform.as_ref().map(PlatformName::as_str)),
            arch: named(scope.arch.as_ref().map(ArchName::as_str)),
            updater: updater.to_string(),
            state: view.state.to_owned(),
            outcome: outcome.as_str().to_owned(),
            text,
            before: before.map(ToString::to_string),
            devices: self.seen.as_ref().map(|seen| self.devices(seen, place)),
        };
        Ok(Some((outcome, body)))
    }

    /// The files of the release for the clients of a place.
    fn files(&self, view: &ChannelView<'_>, place: &Target, data: &ExplanationData) -> FileAvailability {
        let updater = data.updater;
        let mut here = self.subject.files_in(place).peekable();
        let has_feed = self.subject.has_feed(place, updater);
        let (has_files, mut offered) =
            (here.peek().is_some(), here.filter(|file| file.is_offered).peekable());
        let is_here = has_files || self.subject.feeds.iter().any(|feed| is_same(&feed.place, place));
        let is_seen_installable =
            data.installable.iter().any(|(_, version, _)| *version == self.subject.version);
        if is_seen_installable {
            FileAvailability::Installable
        } else if !is_here {
            FileAvailability::None
        } else if has_files && offered.peek().is_none() {
            FileAvailability::NotListed
        } else if view.is_seen && !self.subject.is_upload {
            FileAvailability::NotInstallable
        } else if updater.keeps_file_names() {
            if has_feed { FileAvailability::Installable } else { FileAvailability::NotInstallable }
        } else if offered.any(|file| updater.is_installable(&file.name.package(), file.is_signed)) {
            FileAvailability::Installable
        } else {
            FileAvailability::NotInstallable
        }
    }

    /// The conditions of the release there.
    fn conditions(
        &self,
        view: &ChannelView<'_>,
        place: &Target,
        data: &ExplanationData,
    ) -> Result<Conditions, Failure> {
        let known = data.installable.iter().find(|(_, version, _)| *version == self.subject.version);
        if let Some((.., conditions)) = known {
            return Ok(conditions.clone());
        }
        // The record does not contain the groups. It is enough here that the client is in none of them.
        let admitted_groups = (0..view.offer.admitted_groups.iter().count()).collect();
        let requires = self.subject.requires(&self.session.conn, place)?;
        Ok(Conditions { admitted_groups, requires, cures: view.offer.cures.clone() })
    }

    fn devices(&self, seen: &[InstalledCopies], place: &Target) -> u64 {
        seen.iter()
            .filter(|copies| self.owned.is_meant(&copies.names, place))
            .map(|copies| copies.devices)
            .sum()
    }
}

/// The release as if it were published. A withdrawn release stays withdrawn.
fn published(offer: Release, now: Timestamp) -> Result<Release, Failure> {
    if offer.withdrawal.is_some() || offer.flags.published {
        return Ok(offer);
    }
    let change = ReleaseChange { publication: Some(Publication::Now), ..ReleaseChange::default() };
    Ok(offer.apply_change(&change, now).map_err(ServiceError::from)?)
}

/// The newest earlier version that the updater could install in a place.
fn before<'e>(earlier: &'e [EarlierRelease], place: &Target, updater: Updater) -> Option<&'e Version> {
    let is_installable = |earlier: &&EarlierRelease| match &earlier.kind {
        EarlierFile::Feed(of) => *of == updater,
        EarlierFile::File(package, is_signed) => {
            !updater.keeps_file_names() && updater.is_installable(package, *is_signed)
        }
    };
    let here = earlier.iter().filter(|earlier| is_same(&earlier.place, place));
    here.filter(is_installable).map(|earlier| &earlier.version).max()
}
