//! An owner's channels, platforms and architectures.

use std::collections::BTreeMap;

use spindrift_core::{
    AppName, ArchName, ChannelName, Id, PlatformName, PlatformUpdaters, ReleaseMetadata, Scope, Target,
    UserName,
};
use spindrift_db::channel_includes;
use spindrift_db::dimensions::{self, DimensionRow, Kind};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};
use spindrift_web::ApiError;

/// The values of an owner.
pub(super) struct OwnerDimensions {
    owner: UserName,
    channels: Vec<DimensionRow>,
    platforms: Vec<DimensionRow>,
    archs: Vec<DimensionRow>,
    includes: BTreeMap<Id, Vec<Id>>,
}

impl OwnerDimensions {
    pub(super) fn load(session: &Session<'_, impl Ports>) -> Result<Self, Failure> {
        let (conn, owner) = (&session.conn, session.owner_id());
        let all = |kind| dimensions::of_owner(conn, kind, owner);
        Ok(Self {
            owner: session.owner().clone(),
            channels: all(Kind::Channel)?,
            platforms: all(Kind::Platform)?,
            archs: all(Kind::Arch)?,
            includes: channel_includes::of_owner(conn, owner)?,
        })
    }

    /// The place of an upload. 400 for a name that does not exist.
    pub(super) fn place(&self, metadata: &ReleaseMetadata) -> Result<Target, ApiError> {
        let named = |values: &[DimensionRow], name: Option<&str>, kind: &str| match name {
            None if values.is_empty() => Ok(None),
            None => Err(ApiError::bad_request(format!("{kind} is required"))),
            Some(name) => match values.iter().find(|value| value.name == name) {
                Some(value) => Ok(Some(value.id.clone())),
                None => Err(ApiError::bad_request(format!("unknown {kind}"))),
            },
        };
        Ok(Target {
            channel_id: named(&self.channels, metadata.channel.as_ref().map(ChannelName::as_str), "channel")?,
            platform_id: named(
                &self.platforms,
                metadata.platform.as_ref().map(PlatformName::as_str),
                "platform",
            )?,
            arch_id: named(&self.archs, metadata.arch.as_ref().map(ArchName::as_str), "arch")?,
        })
    }

    /// The channels whose clients see releases of these channels: the channels themselves, and those that
    /// include one of them. `None`: the owner had no channels.
    pub(super) fn views<'s>(&'s self, offered: &'s [Option<Id>]) -> impl Iterator<Item = Option<&'s Id>> {
        let without = offered.iter().any(Option::is_none).then_some(None);
        let is_view =
            move |channel: &&DimensionRow| offered.iter().flatten().any(|id| self.sees(&channel.id, id));
        without.into_iter().chain(self.channels.iter().filter(is_view).map(|channel| Some(&channel.id)))
    }

    /// Whether clients of a channel see the releases of another one.
    pub(super) fn sees(&self, channel: &Id, other: &Id) -> bool {
        channel == other || self.includes.get(channel).is_some_and(|included| included.contains(other))
    }

    pub(super) fn channel_name(&self, id: Option<&Id>) -> &str {
        entry(&self.channels, id).map_or("", |entry| &entry.name)
    }

    pub(super) fn platform(&self, id: Option<&Id>) -> Option<PlatformName> {
        entry(&self.platforms, id)?.name.parse().ok()
    }

    pub(super) fn updaters(&self, platform: Option<&Id>) -> PlatformUpdaters {
        entry(&self.platforms, platform).and_then(|entry| entry.updaters.clone()).unwrap_or_default()
    }

    /// The names of a place, as clients there send them. `None` if a part of it no longer exists.
    pub(super) fn scope(&self, app: &AppName, place: &Target) -> Option<Scope> {
        Some(Scope {
            owner: self.owner.clone(),
            app: app.clone(),
            channel: name(&self.channels, place.channel_id.as_ref())?,
            platform: name(&self.platforms, place.platform_id.as_ref())?,
            arch: name(&self.archs, place.arch_id.as_ref())?,
        })
    }

    /// Whether the names that devices sent resolve to this place. Devices that send no name mean the default.
    pub(super) fn is_meant(&self, names: &[String; 3], place: &Target) -> bool {
        let parts = [
            (&self.channels, &place.channel_id),
            (&self.platforms, &place.platform_id),
            (&self.archs, &place.arch_id),
        ];
        parts.into_iter().zip(names).all(|((values, id), name)| match entry(values, id.as_ref()) {
            Some(entry) => entry.name == *name || (name.is_empty() && entry.is_default),
            None => name.is_empty(),
        })
    }
}

fn entry<'e>(values: &'e [DimensionRow], id: Option<&Id>) -> Option<&'e DimensionRow> {
    let id = id?;
    values.iter().find(|value| value.id == *id)
}

/// `Some(None)` if the dimension is not used. `None` if there is no such value.
#[expect(clippy::option_option, reason = "unknown, unused and a name are three things")]
fn name<T: std::str::FromStr>(values: &[DimensionRow], id: Option<&Id>) -> Option<Option<T>> {
    match id {
        None => Some(None),
        Some(_) => entry(values, id)?.name.parse().ok().map(Some),
    }
}
