//! The versions that this machine has seen, for detecting rollbacks like installed copies do.

use std::path::{Path, PathBuf};

use base16ct::lower::encode_string as hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use spindrift_trust::{Role as _, RootRole, Signed};

use super::verify::View;
use crate::config::write_private;
use crate::error::CliError;

/// The newest verified versions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenVersions {
    root: u64,
    /// The key that signed the versions below. After a new key, versions may start again.
    online: String,
    /// 0: no lists existed yet.
    timestamp: u64,
    snapshot: u64,
    targets: u64,
}

impl SeenVersions {
    pub(crate) fn of(view: &View) -> Self {
        let root = view.root.role();
        let online = root.online().keyids().first().map(ToString::to_string).unwrap_or_default();
        let mut seen = Self { root: root.head().version.number(), online, ..Self::default() };
        if let Some(lists) = &view.lists {
            seen.timestamp = lists.timestamp.head.version.number();
            seen.snapshot = lists.snapshot.head().version.number();
            seen.targets = lists.targets.head().version.number();
        }
        seen
    }

    /// The state after the service accepted this version of targets.
    pub(crate) fn with_targets(self, targets: u64) -> Self {
        Self { targets, ..self }
    }

    /// A role that is older in `now` than in `self`. `None`: no role is.
    pub(super) fn is_newer_than(&self, now: &Self) -> Option<&'static str> {
        if now.root < self.root {
            return Some("root");
        }
        if now.online != self.online {
            return None;
        }
        [
            ("timestamp", self.timestamp, now.timestamp),
            ("snapshot", self.snapshot, now.snapshot),
            ("targets", self.targets, now.targets),
        ]
        .into_iter()
        .find_map(|(role, before, now)| (now < before).then_some(role))
    }
}

/// The file with a repository's versions.
#[derive(Debug, Clone)]
pub(crate) struct SeenVersionsFile(PathBuf);

impl SeenVersionsFile {
    /// The file in `folder` for the repository with this pinned root.
    pub(crate) fn of(folder: &Path, pinned: &Signed<RootRole>) -> Result<Self, CliError> {
        let text = pinned.canonical().map_err(|error| CliError::Untrusted(error.to_string()))?;
        Ok(Self(folder.join(hex(&Sha256::digest(text))).with_extension("json")))
    }

    /// Compares the versions with those seen before, and saves them.
    pub(crate) fn check(&self, view: &View) -> Result<(), CliError> {
        let now = SeenVersions::of(view);
        // Without the file, this machine has seen nothing yet.
        let before =
            std::fs::read(&self.0).ok().and_then(|bytes| serde_json::from_slice::<SeenVersions>(&bytes).ok());
        match before {
            Some(before) if before == now => return Ok(()),
            Some(before) => {
                if let Some(role) = before.is_newer_than(&now) {
                    return Err(CliError::Untrusted(format!(
                        "{role} is older than what was there before; if a backup was restored, remove {}",
                        self.0.display()
                    )));
                }
            }
            None => {}
        }
        self.keep(&now);
        Ok(())
    }

    /// Saves the versions. Failing to do so is not an error.
    pub(crate) fn keep(&self, seen: &SeenVersions) {
        let _ = write_private(&self.0, seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(root: u64, online: &str, [timestamp, snapshot, targets]: [u64; 3]) -> SeenVersions {
        SeenVersions { root, online: online.to_owned(), timestamp, snapshot, targets }
    }

    #[test]
    fn what_is_older_is_noticed() {
        let before = seen(2, "a", [5, 4, 3]);
        for (now, older) in [
            (seen(2, "a", [5, 4, 3]), None),
            (seen(3, "a", [6, 5, 4]), None),
            (seen(1, "a", [6, 5, 4]), Some("root")),
            (seen(1, "b", [6, 5, 4]), Some("root")),
            (seen(2, "a", [4, 4, 3]), Some("timestamp")),
            (seen(2, "a", [6, 3, 3]), Some("snapshot")),
            (seen(2, "a", [6, 5, 2]), Some("targets")),
            (seen(2, "a", [0, 0, 0]), Some("timestamp")),
            // After a new online key, versions may start again.
            (seen(3, "b", [1, 1, 1]), None),
        ] {
            assert_eq!(before.is_newer_than(&now), older, "{now:?}");
        }
    }
}
