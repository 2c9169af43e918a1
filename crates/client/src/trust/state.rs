//! What is known of a repository between two refreshes.

use base16ct::lower::encode_string as hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tough::schema::{Root, Signed};

use super::TrustError;
use super::sights::Sights;

/// What is known: verified metadata, and what tough and this library note beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// SHA-256 of the pinned root, hexadecimal.
    pinned: String,
    /// The newest root that was verified.
    pub(super) root: String,
    /// The timestamp of the last complete refresh.
    pub(super) timestamp: Option<String>,
    /// Its snapshot.
    pub(super) snapshot: Option<String>,
    /// The time of that refresh, as tough notes it.
    pub(super) latest_known_time: Option<String>,
    /// Since when newer versions are listed.
    pub(super) sights: Sights,
}

impl State {
    /// Nothing is known but the pinned root.
    ///
    /// # Errors
    ///
    /// [`TrustError::InvalidRoot`].
    pub(super) fn new(pinned: &[u8]) -> Result<Self, TrustError> {
        let invalid = |why: &str| TrustError::InvalidRoot(why.to_owned());
        let root = std::str::from_utf8(pinned).map_err(|_| invalid("not UTF-8"))?;
        verified(root).map_err(|why| invalid(&why))?;
        Ok(Self {
            pinned: hex(&Sha256::digest(pinned)),
            root: root.to_owned(),
            timestamp: None,
            snapshot: None,
            latest_known_time: None,
            sights: Sights::default(),
        })
    }

    /// What is known to an application that was built with the root of `pinned`. `self` may have begun with another root:
    /// it counts if that has led to the one that is pinned now. Otherwise this may be another repository of the same
    /// name.
    pub(super) fn pinned_by(self, pinned: Self) -> Self {
        if self.pinned == pinned.pinned {
            return self;
        }
        match (verified(&self.root), verified(&pinned.root)) {
            (Ok(kept), Ok(new)) if kept.signed == new.signed => Self { pinned: pinned.pinned, ..self },
            _ => pinned,
        }
    }

    /// Takes a root over if it is newer. It must have been verified on the way from the one before; only a root that
    /// was not written completely is recognised here.
    pub(super) fn follow(&mut self, root: String) -> bool {
        let is_newer = match (verified(&self.root), verified(&root)) {
            (Ok(old), Ok(new)) => old.signed.version < new.signed.version,
            _ => false,
        };
        if is_newer {
            self.root = root;
        }
        is_newer
    }

    /// The form on disk: the SHA-256 of the rest, a line feed, and JSON. tough ignores a stored timestamp that it
    /// cannot read, so damage must show.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Cannot fail: the state contains only texts and numbers.
        let text = serde_json::to_string(self).unwrap_or_default();
        format!("{}\n{text}", hex(&Sha256::digest(&text))).into_bytes()
    }

    /// `None`: the bytes are damaged.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (digest, text) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
        if digest != hex(&Sha256::digest(text)) {
            return None;
        }
        let state: Self = serde_json::from_str(text).ok()?;
        verified(&state.root).is_ok().then_some(state)
    }
}

/// A root that its own keys have signed.
fn verified(text: &str) -> Result<Signed<Root>, String> {
    let root: Signed<Root> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    root.signed.verify_role(&root).map_err(|error| error.to_string())?;
    Ok(root)
}
