//! Reasons, with their texts for people and their codes for programs.

use crate::{BasisPoints, ChannelName, Requirements, Timestamp, Updater, Version, Widening};

/// Why a client is offered a release, or is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferReason {
    /// It is offered. `share`: how far it is rolled out, unless that is to everybody. A client
    /// without a device id then decides for itself.
    Offered {
        /// See [`Share`].
        share: Option<Share>,
    },
    /// It is offered regardless of its rollout, because it cures the client's version.
    Cures {
        /// The client's version.
        version: Version,
    },
    /// It is not published.
    Draft,
    /// It is published at a later time.
    Scheduled {
        /// When.
        at: Timestamp,
        /// Until when freezes hold that. `None`: they do not.
        held_until: Option<Timestamp>,
    },
    /// It was withdrawn.
    Withdrawn,
    /// Updates are shut off for the client.
    ShutOff,
    /// The client's channel does not include its channel.
    OtherChannel {
        /// Its channel, if it is in one.
        channel: Option<ChannelName>,
    },
    /// It has no file for the platform and architecture.
    NoFile,
    /// None of its files there is listed in signed metadata.
    NotListed,
    /// The updater can install none of its files there.
    NotInstallable {
        /// The client's updater.
        updater: Updater,
    },
    /// It is not newer than the client's version.
    NotNewer {
        /// Whether the client has exactly this version.
        is_same: bool,
    },
    /// Its rollout is halted.
    Halted,
    /// It does not run on the client's system, or the client does not report its OS version.
    Requires {
        /// The requirements.
        requires: Requirements,
    },
    /// Only groups of devices may have it.
    GroupOnly,
    /// Its rollout does not include the client.
    OutsideRollout {
        /// How far it is.
        share: Share,
        /// Whether its plan is paused.
        is_paused: bool,
        /// The step at which the client may have it, if that begins automatically.
        next: Option<Widening>,
        /// Until when freezes hold the next step. `None`: they do not.
        held_until: Option<Timestamp>,
    },
    /// An intermediate release has to be installed first.
    HeldBelow {
        /// The intermediate.
        by: Version,
    },
    /// A newer one is offered.
    Surpassed {
        /// The newer one.
        by: Version,
        /// Whether a client outside the newer one's rollout installs this one.
        is_fallback: bool,
    },
}

/// A partial rollout, and the position of a device in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// How far it is.
    pub basis_points: BasisPoints,
    /// See [`position`](crate::position). `None`: the client names no device.
    pub position: Option<u16>,
}

impl OfferReason {
    /// Whether the client is offered the release.
    pub(crate) const fn is_offer(&self) -> bool {
        matches!(self, Self::Offered { .. } | Self::Cures { .. })
    }

    /// The name for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Offered { .. } => "offered",
            Self::Cures { .. } => "cures",
            Self::Draft => "draft",
            Self::Scheduled { .. } => "scheduled",
            Self::Withdrawn => "withdrawn",
            Self::ShutOff => "shut_off",
            Self::OtherChannel { .. } => "other_channel",
            Self::NoFile => "no_file",
            Self::NotListed => "not_listed",
            Self::NotInstallable { .. } => "not_installable",
            Self::NotNewer { .. } => "not_newer",
            Self::Halted => "halted",
            Self::Requires { .. } => "requires",
            Self::GroupOnly => "group_only",
            Self::OutsideRollout { .. } => "outside_rollout",
            Self::HeldBelow { .. } => "held_below",
            Self::Surpassed { .. } => "surpassed",
        }
    }

    /// The reason in a sentence or two, for people.
    pub fn text(&self) -> String {
        match self {
            Self::Offered { share: None } => "It is offered.".to_owned(),
            Self::Offered { share: Some(share) } => share.offered(),
            Self::Cures { version } => {
                format!("It is offered regardless of its rollout, because it cures {version}.")
            }
            Self::Draft => "It is a draft.".to_owned(),
            Self::Scheduled { at, held_until } => {
                with_freeze(format!("It will be published at {}.", at.to_rfc3339()), *held_until)
            }
            Self::Withdrawn => "It was withdrawn.".to_owned(),
            Self::ShutOff => "Updates are shut off for this client.".to_owned(),
            Self::OtherChannel { channel: None } => "It is in no channel.".to_owned(),
            Self::OtherChannel { channel: Some(channel) } => {
                format!("It is in the channel {channel}, which the client's channel does not include.")
            }
            Self::NoFile => "It has no file for this platform and architecture.".to_owned(),
            Self::NotListed => "The signed metadata lists none of its files for this platform.".to_owned(),
            Self::NotInstallable { updater } => {
                format!("It has no file for this platform that {updater} can install.")
            }
            Self::NotNewer { is_same: true } => "The client already has it.".to_owned(),
            Self::NotNewer { is_same: false } => "It is older than the client's version.".to_owned(),
            Self::Halted => "Its rollout is halted.".to_owned(),
            Self::Requires { requires } => format!("It requires {requires}."),
            Self::GroupOnly => "It is for groups that this client is not in.".to_owned(),
            Self::OutsideRollout { share, is_paused, next, held_until } => {
                with_freeze(share.outside(*is_paused, *next), *held_until)
            }
            Self::HeldBelow { by } => format!("{by} has to be installed first."),
            Self::Surpassed { by, is_fallback: false } => format!("{by} is newer."),
            Self::Surpassed { by, is_fallback: true } => {
                format!("{by} is newer. A client outside of its rollout installs this one.")
            }
        }
    }
}

/// The text, and until when a freeze holds what would follow.
fn with_freeze(text: String, held_until: Option<Timestamp>) -> String {
    match held_until {
        Some(until) => format!("{text} A freeze holds it until {}.", until.to_rfc3339()),
        None => text,
    }
}

impl Share {
    fn offered(self) -> String {
        let Self { basis_points, position } = self;
        match position.map(percentage) {
            Some(position) => format!(
                "It is offered: the rollout is at {basis_points} %, and this device is at position {position} %."
            ),
            None => format!(
                "It is offered with its rollout of {basis_points} %. A client without a device id decides for itself \
                 whether it is inside."
            ),
        }
    }

    fn outside(self, is_paused: bool, next: Option<Widening>) -> String {
        let Self { basis_points, position } = self;
        let is = if is_paused { "is paused" } else { "is" };
        let when = next.map(|Widening { at, to }| (at.to_rfc3339(), to));
        let (place, then) = match (position.map(percentage), when) {
            (Some(position), Some((at, to))) => (
                format!("; this device is at position {position} %."),
                format!("By the plan, the rollout passes that with {to} %, at {at} at the earliest."),
            ),
            (Some(position), None) => (
                format!("; this device is at position {position} %."),
                "It gets the release once the rollout passes that.".to_owned(),
            ),
            (None, Some((at, _))) => (
                ". Without a device id, this updater gets only releases for everybody.".to_owned(),
                format!("By the plan, that is at {at} at the earliest."),
            ),
            (None, None) => (
                ". Without a device id, this updater gets only releases for everybody.".to_owned(),
                String::new(),
            ),
        };
        format!("The rollout {is} at {basis_points} %{place} {then}").trim_end().to_owned()
    }
}

/// A position as a percentage.
fn percentage(position: u16) -> BasisPoints {
    BasisPoints::new(position).unwrap_or(BasisPoints::ALL)
}
