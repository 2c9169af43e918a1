//! The roles, and the files that contain their metadata.

use std::fmt;
use std::str::FromStr;

use spindrift_core::ChannelName;

use crate::error::{Fault, FaultText};
use crate::field_reader::{FieldReader, exact};
use crate::json::Json;
use crate::lifetime::{self, Lifetimes};
use crate::{Head, MetadataVersion, TrustError};

/// A role: `root`, `targets`, `channel-<name>`, `snapshot` or `timestamp`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoleName {
    /// Names the keys of the other roles.
    Root,
    /// Lists files, and delegates channels.
    Targets,
    /// Lists the files of one channel.
    Channel(ChannelName),
    /// Lists the current versions of targets and channels.
    Snapshot,
    /// Names the current snapshot.
    Timestamp,
}

const CHANNEL_PREFIX: &str = "channel-";

impl RoleName {
    /// Whether its metadata lists files.
    pub const fn is_list(&self) -> bool {
        matches!(self, Self::Targets | Self::Channel(_))
    }

    /// How long its metadata may be valid.
    pub const fn lifetimes(&self) -> Lifetimes {
        match self {
            Self::Root => lifetime::ROOT,
            Self::Targets | Self::Channel(_) => lifetime::TARGETS,
            Self::Snapshot => lifetime::SNAPSHOT,
            Self::Timestamp => lifetime::TIMESTAMP,
        }
    }
}

/// A text that does not name a role, or a file of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid role")]
pub struct InvalidRole;

impl FromStr for RoleName {
    type Err = InvalidRole;

    fn from_str(text: &str) -> Result<Self, InvalidRole> {
        match text {
            "root" => Ok(Self::Root),
            "targets" => Ok(Self::Targets),
            "snapshot" => Ok(Self::Snapshot),
            "timestamp" => Ok(Self::Timestamp),
            _ => {
                let channel = text.strip_prefix(CHANNEL_PREFIX).ok_or(InvalidRole)?;
                exact(channel).map(Self::Channel).ok_or(InvalidRole)
            }
        }
    }
}

impl fmt::Display for RoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("root"),
            Self::Targets => f.write_str("targets"),
            Self::Channel(channel) => write!(f, "{CHANNEL_PREFIX}{channel}"),
            Self::Snapshot => f.write_str("snapshot"),
            Self::Timestamp => f.write_str("timestamp"),
        }
    }
}

/// A file of a repository: `N.root.json`, `N.targets.json`, `N.channel-<name>.json`, `N.snapshot.json`,
/// `timestamp.json`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetadataFile {
    role: RoleName,
    version: Option<MetadataVersion>,
}

impl MetadataFile {
    /// The file for a version of a role. All versions of timestamp share one file.
    pub fn new(role: RoleName, version: MetadataVersion) -> Self {
        let version = (role != RoleName::Timestamp).then_some(version);
        Self { role, version }
    }

    pub const fn role(&self) -> &RoleName {
        &self.role
    }

    /// The version in the name. `None` for timestamp, whose file changes; other files never do.
    pub const fn version(&self) -> Option<MetadataVersion> {
        self.version
    }
}

impl FromStr for MetadataFile {
    type Err = InvalidRole;

    fn from_str(text: &str) -> Result<Self, InvalidRole> {
        let stem = text.strip_suffix(".json").ok_or(InvalidRole)?;
        if stem == "timestamp" {
            return Ok(Self { role: RoleName::Timestamp, version: None });
        }
        let (number, role) = stem.split_once('.').ok_or(InvalidRole)?;
        let number = exact(number).and_then(MetadataVersion::from_number).ok_or(InvalidRole)?;
        match role.parse()? {
            RoleName::Timestamp => Err(InvalidRole),
            role => Ok(Self { role, version: Some(number) }),
        }
    }
}

impl fmt::Display for MetadataFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some(version) => write!(f, "{version}.{}.json", self.role),
            None => write!(f, "{}.json", self.role),
        }
    }
}

/// Metadata of one kind: the content of `signed`.
pub trait Role: Sized {
    /// Largest file, in bytes.
    const MAX_BYTES: usize;

    /// The error for a fault in such metadata.
    fn error(what: FaultText) -> TrustError;

    /// Reads `signed`, which may have no fields other than those that `to_json` writes.
    fn read(fields: FieldReader) -> Result<Self, Fault>;

    /// Writes `signed`.
    fn to_json(&self) -> Json;

    /// Its version and expiry.
    fn head(&self) -> &Head;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_as_written() {
        for text in ["root", "targets", "snapshot", "timestamp", "channel-beta", "channel-a.b_c-1"] {
            assert_eq!(text.parse::<RoleName>().map(|role| role.to_string()), Ok(text.to_owned()));
        }
        for bad in [
            "",
            "Root",
            "mirrors",
            "channel",
            "channel-",
            "channel-a/b",
            "channel-*",
            "channel-..",
            "channel-ä",
        ] {
            assert_eq!(bad.parse::<RoleName>(), Err(InvalidRole), "{bad}");
        }
    }

    #[test]
    fn files_are_read_as_written() {
        for text in [
            "1.root.json",
            "1795225422.targets.json",
            "7.channel-a.b.json",
            "2.snapshot.json",
            "timestamp.json",
        ] {
            assert_eq!(text.parse::<MetadataFile>().map(|file| file.to_string()), Ok(text.to_owned()));
        }
        for bad in [
            "",
            "root.json",
            "0.root.json",
            "01.root.json",
            "+1.root.json",
            "-1.root.json",
            "1.root",
            "1.root.json.json",
            "1.timestamp.json",
            "9007199254740992.root.json",
            "1.x.json",
            "../1.root.json",
            "1.%72oot.json",
            "1..json",
            "timestamp.json/",
            "1.channel-../root.json",
        ] {
            assert_eq!(bad.parse::<MetadataFile>(), Err(InvalidRole), "{bad}");
        }
        let file = MetadataFile::new(RoleName::Timestamp, MetadataVersion::FIRST);
        assert_eq!((file.to_string().as_str(), file.version()), ("timestamp.json", None));
    }
}
