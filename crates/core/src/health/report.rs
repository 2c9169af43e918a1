//! Failure reports: their fields, and how they are grouped.

use std::str::FromStr;

use base16ct::lower::encode_string as hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    AppName, ArchName, ChannelName, Day, DeviceHashKey, DeviceId, Id, PlatformName, Timestamp, Version,
    check_plain,
};

/// Maximum length of a reason, in characters.
pub const MAX_REASON_LENGTH: usize = 128;
/// Maximum number of tags of a group.
pub const MAX_TAGS: usize = 20;
/// Maximum length of a tag, in characters.
pub const MAX_TAG_LENGTH: usize = 64;
/// Maximum length of a group's note, in characters.
pub const MAX_NOTE_LENGTH: usize = 4000;

/// A field of a report has an invalid value. Contains the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid {0}")]
pub struct InvalidReport(&'static str);

macro_rules! words {
    ($(#[$doc:meta])* $type:ident, $what:literal, $($(#[$vdoc:meta])* $variant:ident = $text:literal),+) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[$vdoc])* $variant),+
        }

        impl $type {
            /// The text in requests, answers and the database.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }
        }

        impl FromStr for $type {
            type Err = InvalidReport;

            fn from_str(text: &str) -> Result<Self, InvalidReport> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(InvalidReport($what)),
                }
            }
        }
    };
}

words!(
    /// The kind of failure.
    EventType, "event type",
    /// The application stopped.
    Crash = "crash",
    /// The application failed to start.
    StartupFailure = "startup_failure",
    /// The application could not be updated.
    UpdateFailure = "update_failure",
    /// The application could not be installed.
    InstallFailure = "install_failure",
    /// The application could not be rolled back to an older version.
    RollbackFailure = "rollback_failure"
);
words!(
    /// How far people have handled a group.
    GroupStatus, "status",
    /// Not handled yet.
    Open = "open",
    /// Handled; the next event reopens it.
    Resolved = "resolved",
    /// Events are counted but otherwise ignored; the next event does not change the status.
    Muted = "muted"
);

/// A short identifier of the cause: 1-[`MAX_REASON_LENGTH`] letters, digits, `.`, `_`, `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reason(String);

impl Reason {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Reason {
    type Err = InvalidReport;

    fn from_str(text: &str) -> Result<Self, InvalidReport> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        if (1..=MAX_REASON_LENGTH).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidReport("reason"))
        }
    }
}

/// One failure, without data that identifies a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureReport {
    /// The application.
    pub app: AppName,
    /// The failed version, which need not be a release.
    pub version: Version,
    /// Its channel.
    pub channel: ChannelName,
    /// The operating system.
    pub platform: PlatformName,
    /// The processor.
    pub arch: ArchName,
    /// The kind of failure.
    pub event: EventType,
    /// The cause.
    pub reason: Reason,
}

impl FailureReport {
    /// Identifies the group of a report: SHA-256 of the fields joined by `|`, which no field contains. The
    /// version is in normal form, so that two spellings do not make two groups.
    pub fn group_hash(&self) -> GroupHash {
        let rest = [
            self.version.as_str(),
            self.channel.as_str(),
            self.platform.as_str(),
            self.arch.as_str(),
            self.event.as_str(),
            self.reason.as_str(),
        ];
        GroupHash::of(&self.app, rest)
    }
}

/// Version, channel, platform, architecture, event type and reason of an application's overflow
/// group. It counts the reports that arrive when the application already has too many groups. The
/// values do not describe these reports.
pub const OTHER_GROUP: [&str; 6] = ["0", "other", "other", "other", "crash", "other"];

/// Identity of a group within its application: 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupHash(String);

impl GroupHash {
    fn of(app: &AppName, rest: [&str; 6]) -> Self {
        Self(hex(&Sha256::digest(format!("{app}|{}", rest.join("|")))))
    }

    /// The hash of [`OTHER_GROUP`].
    pub fn of_other(app: &AppName) -> Self {
        Self::of(app, OTHER_GROUP)
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The subject of a group's counters within an application.
    pub fn subject(&self, app: &Id) -> String {
        short_hex(
            &Sha256::new().chain_update(app.as_str()).chain_update("\n").chain_update(&self.0).finalize(),
        )
    }

    /// The subject of a device's counters in a group. It is hashed with `key` if given. It always
    /// differs between groups, so it cannot be used to track a device.
    pub fn device_subject(&self, app: &Id, device: &DeviceId, key: Option<&DeviceHashKey>) -> String {
        let key = key.map_or(self.as_str(), DeviceHashKey::expose);
        device
            .keyed(key, &["reports", app.as_str(), &self.0])
            .map_or_else(String::new, |digest| short_hex(&digest))
    }
}

impl FromStr for GroupHash {
    type Err = InvalidReport;

    fn from_str(text: &str) -> Result<Self, InvalidReport> {
        if text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidReport("group hash"))
        }
    }
}

/// Key of the details of one report: `reports/{app}/{yyyy}/{mm}/{dd}/{hash}-{16 hex}.json.gz`.
pub fn blob_path(app: &AppName, now: Timestamp, hash: &GroupHash, random: [u8; 8]) -> String {
    let day = Day::of(now).to_string().replace('-', "/");
    format!("reports/{app}/{day}/{}-{}.json.gz", hash.0, hex(&random))
}

/// Tags as stored: each once, in the given order. Rejects empty tags, tags that are too long, too
/// many tags, and [deceptive](crate::is_deceptive) characters.
pub fn checked_tags(given: Vec<String>) -> Result<Vec<String>, InvalidReport> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given {
        let length = tag.chars().count();
        if !(1..=MAX_TAG_LENGTH).contains(&length) || check_plain(&tag).is_err() {
            return Err(InvalidReport(
                "tags: each has 1 to 64 characters, on one line, without control characters and without \
                 characters that change the direction of text",
            ));
        }
        if !tags.contains(&tag) {
            if tags.len() == MAX_TAGS {
                return Err(InvalidReport("tags: a group has at most 20"));
            }
            tags.push(tag);
        }
    }
    Ok(tags)
}

/// A note of at most [`MAX_NOTE_LENGTH`] characters. It may be empty.
pub fn checked_note(text: String) -> Result<String, InvalidReport> {
    let is_long = text.chars().count() > MAX_NOTE_LENGTH;
    if is_long { Err(InvalidReport("note: at most 4000 characters")) } else { Ok(text) }
}

/// The first 160 bits, which are enough to distinguish counters.
fn short_hex(digest: &[u8]) -> String {
    hex(digest.get(..20).unwrap_or(digest))
}

#[cfg(test)]
mod tests;
