//! The slots of a release: it has at most one artifact in each.

use std::collections::BTreeSet;

use spindrift_core::{FileName, Id, Packages, Release, Target, Version};
use spindrift_db::{SqlConn, SqlError, artifacts};

use super::error::PublishError;

/// The occupied slots of a release, in one platform and architecture.
#[derive(Default)]
pub struct OccupiedSlots {
    slots: BTreeSet<String>,
    /// The versions of the upload and of the release, if their spellings differ.
    spellings: Option<(String, String)>,
}

impl OccupiedSlots {
    /// The slots of `release`, for an upload to `version`. Artifacts in `pending_removal` count as deleted.
    pub fn of(
        conn: &impl SqlConn,
        release: Option<&Release>,
        version: &Version,
        target: &Target,
        pending_removal: &[Id],
    ) -> Result<Self, SqlError> {
        let Some(release) = release else { return Ok(Self::default()) };
        let slots = artifacts::taken_slots(conn, &release.id, target)?;
        let slots =
            slots.into_iter().filter(|(_, id)| !pending_removal.contains(id)).map(|(slot, _)| slot).collect();
        let is_other = release.version.as_str() != version.as_str();
        Ok(Self { slots, spellings: is_other.then(|| (version.to_string(), release.version.to_string())) })
    }

    /// Whether the release has no files in this scope.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Fails if the slot of the file is occupied. Feeds occupy no slot.
    pub fn require_free(&self, name: &FileName, packages: &Packages) -> Result<(), PublishError> {
        if name.is_feed() || !self.slots.contains(&packages.slot(name)) {
            return Ok(());
        }
        let file = name.clone();
        Err(match self.spellings.clone() {
            Some((given, existing)) => PublishError::SameVersion { file, given, existing },
            None => PublishError::ArtifactExists(file),
        })
    }
}
