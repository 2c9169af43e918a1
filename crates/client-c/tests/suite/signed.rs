//! A repository of signed metadata, with one key for everything.

use ed25519_compact::{KeyPair, Seed};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256, Sha512};

use crate::server::{Answer, FILE};

/// Where the service has the metadata of this application.
const FOLDER: &str = "/tuf/repository/acme/notes/metadata/";
const EXPIRES: &str = "2199-01-01T00:00:00Z";

/// The root that an application is built with, and the answers of the service.
pub(crate) struct SignedMetadata {
    pub(crate) root: String,
    pub(crate) answers: Vec<(String, Answer)>,
}

impl SignedMetadata {
    /// It lists the file of version 1.3.0 for an application that uses a channel, a platform and an
    /// architecture.
    pub(crate) fn new() -> Self {
        let keys = KeyPair::from_seed(Seed::new([7; 32]));
        let key = json!({"keytype": "ed25519", "keyval": {"public": hex(&*keys.pk)}, "scheme": "ed25519"});
        let id = hex(&Sha256::digest(key.to_string()));
        let role = json!({"keyids": [id], "threshold": 1});
        let sign = |signed: Value| {
            let signature = hex(&*keys.sk.sign(signed.to_string(), None));
            json!({"signatures": [{"keyid": id, "sig": signature}], "signed": signed}).to_string()
        };
        let root = sign(json!({
            "_type": "root", "consistent_snapshot": true, "expires": EXPIRES, "keys": {id.as_str(): key},
            "roles": {"root": role, "snapshot": role, "targets": role, "timestamp": role},
            "spec_version": "1.0.31", "version": 1,
        }));
        let targets = sign(json!({
            "_type": "targets", "expires": EXPIRES, "spec_version": "1.0.31",
            "targets": {"notes/1.3.0/notes.deb": {
                "custom": {
                    "arch": "amd64", "channel": "stable", "package": "deb", "platform": "linux",
                    "repository": "acme/notes", "version": "1.3.0",
                },
                "hashes": {"sha256": hex(&Sha256::digest(FILE)), "sha512": hex(&Sha512::digest(FILE))},
                "length": FILE.len(),
            }},
            "version": 1,
        }));
        let names = |name: &str, text: &str| {
            json!({name: {
                "hashes": {"sha256": hex(&Sha256::digest(text))}, "length": text.len(), "version": 1,
            }})
        };
        let above = |kind: &str, meta: Value| {
            sign(json!({
                "_type": kind, "expires": EXPIRES, "meta": meta, "spec_version": "1.0.31", "version": 1,
            }))
        };
        let snapshot = above("snapshot", names("targets.json", &targets));
        let timestamp = above("timestamp", names("snapshot.json", &snapshot));
        let files =
            [("timestamp.json", timestamp), ("1.snapshot.json", snapshot), ("1.targets.json", targets)];
        let answer = |(name, text): (&str, String)| (format!("{FOLDER}{name}"), (200, "", text.into_bytes()));
        Self { root, answers: files.into_iter().map(answer).collect() }
    }
}

fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}
