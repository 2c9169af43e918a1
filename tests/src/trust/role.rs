//! The content of the roles, before anybody has signed it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::key::{RootKeys, Signers, TestKey};
use crate::digests::{sha256_hex, sha512_hex};

/// The version of the specification that the metadata follows.
pub(crate) const SPEC_VERSION: &str = "1.0.31";

/// A file that users download.
#[derive(Debug, Clone)]
pub struct TestTarget {
    /// As in metadata: the path of the file's link.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// Its metadata besides digests and length.
    pub custom: Value,
}

impl TestTarget {
    /// The file at this key of the storage.
    pub fn new(key: &str, bytes: &[u8], custom: Value) -> Self {
        Self { name: target_name(key), bytes: bytes.to_vec(), custom }
    }

    pub fn key(&self) -> String {
        percent_encoding::percent_decode_str(&self.name).decode_utf8_lossy().into_owned()
    }

    fn entry(&self) -> Value {
        json!({
            "custom": self.custom,
            "hashes": { "sha256": sha256_hex(&self.bytes), "sha512": sha512_hex(&self.bytes) },
            "length": self.bytes.len(),
        })
    }
}

/// The name of the target at a key of the storage: each segment percent-encoded, and a leading dot as well.
pub fn target_name(key: &str) -> String {
    let encoded = spindrift_core::encode_segments(key.split('/'));
    let segments = encoded.split('/').map(|segment| match segment.strip_prefix('.') {
        Some(rest) => format!("%2E{rest}"),
        None => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

/// A channel that has its own signers.
#[derive(Debug, Clone)]
pub struct Channel {
    pub name: String,
    pub signers: Signers,
}

impl Channel {
    pub fn role(&self) -> String {
        format!("channel-{}", self.name)
    }

    fn delegation(&self) -> Value {
        let name = &self.name;
        json!({
            "keyids": self.signers.ids(),
            "name": self.role(),
            "paths": [
                format!("*/*/{name}/*/*/*"),
                format!("*/*/{name}/*/*/*/*"),
                format!("*/*/{name}/*/*/*/*/*"),
                format!("*/*/*/*/{name}/*/*/*"),
                format!("*/*/*/*/{name}/*/*/*/*"),
            ],
            "terminating": true,
            "threshold": self.signers.threshold,
        })
    }
}

/// `root`.
pub fn root(version: u64, expires: Timestamp, keys: &RootKeys) -> Value {
    let named = keys.root.keys.iter().chain(&keys.targets.keys).chain([&keys.online]);
    let online = json!({ "keyids": [keys.online.id()], "threshold": 1 });
    json!({
        "_type": "root",
        "consistent_snapshot": true,
        "expires": written(expires),
        "keys": by_id(named),
        "roles": {
            "root": { "keyids": keys.root.ids(), "threshold": keys.root.threshold },
            "snapshot": online,
            "targets": { "keyids": keys.targets.ids(), "threshold": keys.targets.threshold },
            "timestamp": online,
        },
        "spec_version": SPEC_VERSION,
        "version": version,
    })
}

/// `targets`, or the role of a channel, which delegates nothing.
pub fn targets<'a>(
    version: u64,
    expires: Timestamp,
    listed: impl IntoIterator<Item = &'a TestTarget>,
    channels: &[Channel],
) -> Value {
    let listed: Map<_, _> = listed.into_iter().map(|target| (target.name.clone(), target.entry())).collect();
    let mut role = json!({
        "_type": "targets",
        "expires": written(expires),
        "spec_version": SPEC_VERSION,
        "targets": listed,
        "version": version,
    });
    if !channels.is_empty() {
        let keys = channels.iter().flat_map(|channel| &channel.signers.keys);
        let roles: Vec<_> = channels.iter().map(Channel::delegation).collect();
        role["delegations"] = json!({ "keys": by_id(keys), "roles": roles });
    }
    role
}

/// `snapshot` or `timestamp`: the files that it names, with their versions.
pub fn naming(kind: &str, version: u64, expires: Timestamp, files: &BTreeMap<String, (u64, &[u8])>) -> Value {
    let meta = |(name, (version, bytes)): (&String, &(u64, &[u8]))| {
        let hashes = json!({ "sha256": sha256_hex(bytes) });
        (name.clone(), json!({ "hashes": hashes, "length": bytes.len(), "version": version }))
    };
    json!({
        "_type": kind,
        "expires": written(expires),
        "meta": files.iter().map(meta).collect::<Map<_, _>>(),
        "spec_version": SPEC_VERSION,
        "version": version,
    })
}

fn by_id<'a>(keys: impl IntoIterator<Item = &'a TestKey>) -> Map<String, Value> {
    keys.into_iter().map(|key| (key.id(), key.public())).collect()
}

/// In whole seconds.
pub(crate) fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths_of_links() {
        assert_eq!(target_name("a b+c/@#ä%/.x.zip"), "a%20b%2Bc/%40%23%C3%A4%25/%2Ex.zip");
    }
}
