//! The state of a repository between two refreshes.

use base16ct::lower::encode_string as hex;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tough::schema::{Role as _, Root, Signed};

use super::TrustError;
use super::sights::Sights;

/// Verified metadata, and the notes of tough and of this library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TrustState {
    /// SHA-256 of the pinned root, hexadecimal.
    pinned: String,
    /// The newest root that was verified.
    pub(super) root: String,
    /// The roots that have led to it: SHA-256 of each in canonical form, hexadecimal.
    passed: Vec<String>,
    /// The timestamp of the last complete refresh.
    pub(super) timestamp: Option<String>,
    /// Its snapshot.
    pub(super) snapshot: Option<String>,
    /// The time of that refresh, as tough notes it.
    pub(super) latest_known_time: Option<String>,
    /// Since when newer versions have been listed.
    pub(super) sights: Sights,
}

impl TrustState {
    /// The initial state, with only the pinned root.
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
            passed: Vec::new(),
            timestamp: None,
            snapshot: None,
            latest_known_time: None,
            sights: Sights::default(),
        })
    }

    /// The state for an application that was built with the root of `pinned`. `self` may have begun with
    /// another root: it counts if that has led to the one that is pinned now, and perhaps further. Otherwise
    /// this may be another repository of the same name.
    pub(super) fn rebase_on(self, pinned: Self) -> Self {
        if self.pinned == pinned.pinned {
            return self;
        }
        match (verified(&self.root), verified(&pinned.root)) {
            (Ok(kept), Ok(new)) if kept.signed == new.signed || self.passed.contains(&digest(&new)) => {
                Self { pinned: pinned.pinned, ..self }
            }
            _ => pinned,
        }
    }

    /// Takes a root over if it is newer. It must have been verified in sequence from the one before; only a
    /// root that was not written completely is recognised here. `fetched`: the roots of that sequence, and
    /// perhaps later ones.
    pub(super) fn follow(&mut self, root: String, fetched: &[Bytes]) -> bool {
        let (Ok(old), Ok(new)) = (verified(&self.root), verified(&root)) else { return false };
        let way = old.signed.version..new.signed.version;
        if way.is_empty() {
            return false;
        }
        let between = fetched.iter().filter_map(|bytes| serde_json::from_slice::<Signed<Root>>(bytes).ok());
        let between = between.filter(|root| way.contains(&root.signed.version));
        self.passed.push(digest(&old));
        self.passed.extend(between.map(|root| digest(&root)));
        self.root = root;
        true
    }

    /// The form on disk: the SHA-256 of the rest, a line feed, and JSON. tough ignores a stored timestamp
    /// that it cannot read, so damage must show.
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

/// SHA-256 of a root in canonical form, hexadecimal.
fn digest(root: &Signed<Root>) -> String {
    // Cannot fail: a root contains only texts and numbers.
    hex(&Sha256::digest(root.signed.canonical_form().unwrap_or_default()))
}

/// A root that its own keys have signed.
fn verified(text: &str) -> Result<Signed<Root>, String> {
    let root: Signed<Root> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    root.signed.verify_role(&root).map_err(|error| error.to_string())?;
    Ok(root)
}
