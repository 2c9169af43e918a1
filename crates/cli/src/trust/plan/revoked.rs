//! `revoked.json`: digests that must never be signed again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use spindrift_core::{Sha256Hex, Sha512Hex};
use spindrift_trust::{TargetFile, TargetName};

/// The revoked files, saved beside the pinned root. A service that shows an old list cannot bring
/// them back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevokedFiles {
    revoked: Vec<RevokedFile>,
}

/// A file that must not be signed, under any name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RevokedEntry", into = "RevokedEntry")]
struct RevokedFile {
    sha256: Sha256Hex,
    sha512: Sha512Hex,
    /// Only for display.
    version: String,
    /// Only for display.
    name: String,
}

/// The format in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RevokedEntry {
    name: String,
    version: String,
    sha256: String,
    sha512: String,
}

impl TryFrom<RevokedEntry> for RevokedFile {
    type Error = &'static str;

    fn try_from(RevokedEntry { name, version, sha256, sha512 }: RevokedEntry) -> Result<Self, Self::Error> {
        let sha256 = sha256.parse().map_err(|_| "invalid sha256")?;
        let sha512 = sha512.parse().map_err(|_| "invalid sha512")?;
        Ok(Self { sha256, sha512, version, name })
    }
}

impl From<RevokedFile> for RevokedEntry {
    fn from(RevokedFile { sha256, sha512, version, name }: RevokedFile) -> Self {
        Self { name, version, sha256: sha256.to_string(), sha512: sha512.to_string() }
    }
}

impl RevokedFiles {
    /// Whether any digest of the file is revoked.
    pub(crate) fn has(&self, file: &TargetFile) -> bool {
        self.revoked.iter().any(|gone| gone.sha256 == *file.sha256() || gone.sha512 == *file.sha512())
    }

    /// Adds files. Returns whether any of them is new.
    pub(crate) fn add<'a>(
        &mut self,
        files: impl IntoIterator<Item = (&'a TargetName, &'a TargetFile)>,
    ) -> bool {
        let there: BTreeSet<String> = self.revoked.iter().map(|gone| gone.sha256.to_string()).collect();
        let new = files.into_iter().filter(|(_, file)| !there.contains(file.sha256().as_str()));
        let new: Vec<RevokedFile> = new
            .map(|(name, file)| RevokedFile {
                sha256: file.sha256().clone(),
                sha512: file.sha512().clone(),
                version: file.custom().version.to_string(),
                name: name.to_string(),
            })
            .collect();
        let is_new = !new.is_empty();
        self.revoked.extend(new);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::test_world::file;

    #[test]
    fn the_file_holds_digests() {
        let mut revoked = RevokedFiles::default();
        let (name, target) = file("1.0.0", "beta", 7);
        assert!(revoked.add([(&name, &target)]));
        let text = serde_json::to_string(&revoked).unwrap();
        assert_eq!(serde_json::from_str::<RevokedFiles>(&text).unwrap(), revoked);
        let one_digest = text.replacen("07", "17", 1);
        assert!(
            serde_json::from_str::<RevokedFiles>(&one_digest).unwrap().has(&target),
            "the other one counts"
        );
        for bad in ["{}", r#"{"revoked":[{}]}"#, &text.replacen("07", "x", 1)] {
            assert!(serde_json::from_str::<RevokedFiles>(bad).is_err(), "{bad}");
        }
    }
}
