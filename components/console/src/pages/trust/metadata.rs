//! The parts of signed metadata that the pages show. They are not verified here: clients and
//! `spindrift trust` do that.

use std::collections::BTreeMap;

use serde::Deserialize;
use spindrift_api::SignedFile;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Metadata {
    pub(super) signed: MetadataContent,
    #[serde(default)]
    pub(super) signatures: Vec<MetadataSignature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct MetadataSignature {
    pub(super) keyid: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct MetadataContent {
    pub(super) version: u64,
    /// RFC 3339.
    pub(super) expires: String,
    /// Only in root.
    #[serde(default)]
    pub(super) keys: BTreeMap<String, MetadataKey>,
    /// Only in root.
    #[serde(default)]
    pub(super) roles: BTreeMap<String, MetadataRole>,
    /// Only in targets.
    pub(super) delegations: Option<MetadataDelegations>,
    /// Only in snapshot and timestamp: the files that they describe.
    #[serde(default)]
    pub(super) meta: BTreeMap<String, DescribedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct MetadataKey {
    pub(super) scheme: String,
}

/// The keys of a role, and how many signatures it needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct MetadataRole {
    /// Only in delegated roles.
    #[serde(default)]
    pub(super) name: String,
    pub(super) keyids: Vec<String>,
    pub(super) threshold: u64,
}

/// The signers of channels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct MetadataDelegations {
    #[serde(default)]
    pub(super) keys: BTreeMap<String, MetadataKey>,
    #[serde(default)]
    pub(super) roles: Vec<MetadataRole>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct DescribedFile {
    pub(super) version: u64,
}

impl Metadata {
    /// `None`: the file has another structure.
    pub(super) fn read(file: &SignedFile) -> Option<Self> {
        serde_json::from_str(file.0.get()).ok()
    }

    /// How many of these keys have signed the file.
    pub(super) fn signed_by(&self, keyids: &[String]) -> usize {
        keyids.iter().filter(|id| self.signatures.iter().any(|signature| signature.keyid == **id)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_counts_once() {
        let text = r#"{"signatures":[{"keyid":"a","sig":"00"},{"keyid":"a","sig":"01"},{"keyid":"x","sig":""}],
            "signed":{"_type":"root","version":2,"expires":"2027-01-01T00:00:00Z","keys":{"a":{"keytype":"ed25519",
            "scheme":"ed25519","keyval":{"public":"00"}}},"roles":{"root":{"keyids":["a","b"],"threshold":2}}}}"#;
        let file: SignedFile = serde_json::from_str(text).unwrap();
        let root = Metadata::read(&file).unwrap();
        assert_eq!(root.signed.version, 2);
        assert_eq!(root.signed_by(&root.signed.roles["root"].keyids), 1);
        assert_eq!(Metadata::read(&serde_json::from_str("{}").unwrap()), None);
    }
}
