//! Snapshot: the current versions of targets and channels.

use std::collections::BTreeMap;

use spindrift_core::ChannelName;

use crate::error::{Fault, FaultText};
use crate::field_reader::FieldReader;
use crate::file_meta::FileMeta;
use crate::json::Json;
use crate::role::{Role, RoleName};
use crate::{Head, TrustError};

const TYPE: &str = "snapshot";
const TARGETS_FILE: &str = "targets.json";

/// Largest snapshot, in bytes. Clients read 2,000,000.
const MAX_BYTES: usize = 256 * 1024;

/// Snapshot metadata ([TUF 1.0, section 4.4]), which names targets and the role of every channel.
///
/// [TUF 1.0, section 4.4]: https://theupdateframework.github.io/specification/latest/#file-formats-snapshot
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRole {
    head: Head,
    targets: FileMeta,
    channels: BTreeMap<ChannelName, FileMeta>,
}

impl SnapshotRole {
    /// The snapshot after `previous`, with these files. Clients refuse a snapshot that has lost a name, so
    /// channels of `previous` that are not in `channels` stay unchanged.
    pub fn after(
        previous: Option<&Self>,
        head: Head,
        targets: FileMeta,
        channels: BTreeMap<ChannelName, FileMeta>,
    ) -> Self {
        let mut all = previous.map_or_else(BTreeMap::new, |previous| previous.channels.clone());
        all.extend(channels);
        Self { head, targets, channels: all }
    }

    pub const fn targets(&self) -> &FileMeta {
        &self.targets
    }

    /// The current files of channels, including channels that no longer have signers of their own.
    pub const fn channels(&self) -> &BTreeMap<ChannelName, FileMeta> {
        &self.channels
    }

    /// Whether a client that knows `previous` accepts this snapshot: no name is lost, and no version is lower
    /// ([TUF 1.0, section 5.5](https://theupdateframework.github.io/specification/latest/#update-snapshot)).
    pub fn follows(&self, previous: &Self) -> bool {
        let is_kept = |(channel, file): (&ChannelName, &FileMeta)| {
            self.channels.get(channel).is_some_and(|now| file.version() <= now.version())
        };
        previous.head.version <= self.head.version
            && previous.targets.version() <= self.targets.version()
            && previous.channels.iter().all(is_kept)
    }
}

impl Role for SnapshotRole {
    const MAX_BYTES: usize = MAX_BYTES;

    fn error(what: FaultText) -> TrustError {
        TrustError::Metadata(what)
    }

    fn read(mut fields: FieldReader) -> Result<Self, Fault> {
        let head = Head::read(&mut fields, TYPE)?;
        let mut meta = fields.object("meta")?;
        fields.done()?;
        let targets = FileMeta::read(meta.optional(TARGETS_FILE).ok_or(TARGETS_FILE)?)?;
        let channel = |(file, json): (String, Json)| match file.strip_suffix(".json").map(str::parse) {
            Some(Ok(RoleName::Channel(channel))) => Ok((channel, FileMeta::read(json)?)),
            _ => Err(Fault::from("meta")),
        };
        let channels = meta.into_iter().map(channel).collect::<Result<_, _>>()?;
        Ok(Self { head, targets, channels })
    }

    fn to_json(&self) -> Json {
        let channel = |(channel, file): (&ChannelName, &FileMeta)| {
            (format!("{}.json", RoleName::Channel(channel.clone())), file.to_json())
        };
        let targets = [(TARGETS_FILE.to_owned(), self.targets.to_json())];
        let meta = Json::Object(targets.into_iter().chain(self.channels.iter().map(channel)).collect());
        self.head.with(TYPE, [("meta", meta)])
    }

    fn head(&self) -> &Head {
        &self.head
    }
}

#[cfg(test)]
mod tests;
