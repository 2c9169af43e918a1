//! The signature and the JSON answer of Tauri's updater plugin.
//!
//! See [Tauri, Updater](https://v2.tauri.app/plugin/updater/). "No update" is status 204 and no body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::FeedError;
use crate::{Timestamp, Version};

/// The field in error texts.
const FIELD: &str = "signature";

/// Longest signature, in bytes. A real one has about 400.
const MAX_SIGNATURE_BYTES: usize = 16 * 1024;

/// Bytes of a minisign signature: algorithm, key id, Ed25519 signature; and of the signature over it.
const SIGNATURE_BYTES: usize = 2 + 8 + 64;
const GLOBAL_SIGNATURE_BYTES: usize = 64;

/// Checks the signature of a release and gives it without white space around it.
///
/// It is the content of the `.sig` file, which is base64 of a [minisign](https://jedisct1.github.io/minisign/)
/// signature, and not an address or a path. Newer tools sign the version into the trusted comment, and clients refuse
/// an update that is announced under another one.
pub fn check_tauri_signature<'a>(signature: &'a str, version: &Version) -> Result<&'a str, FeedError> {
    let signature = signature.trim();
    let fail = |problem| FeedError::whole(FIELD, problem);
    if signature.len() > MAX_SIGNATURE_BYTES {
        return Err(fail("too long"));
    }
    let not_a_sig = "not the content of a .sig file";
    let text = STANDARD.decode(signature).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| fail(not_a_sig))?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let [untrusted, signed, trusted, global] = lines.as_slice() else { return Err(fail(not_a_sig)) };
    let has_bytes = |line: &str, n| STANDARD.decode(line).is_ok_and(|bytes| bytes.len() == n);
    let trusted = trusted.strip_prefix("trusted comment:").ok_or_else(|| fail(not_a_sig))?;
    if !untrusted.starts_with("untrusted comment:")
        || !has_bytes(signed, SIGNATURE_BYTES)
        || !has_bytes(global, GLOBAL_SIGNATURE_BYTES)
    {
        return Err(fail(not_a_sig));
    }
    match trusted.split('\t').find_map(|field| field.trim().strip_prefix("version:")) {
        Some(signed) if signed.trim().parse::<Version>().ok().as_ref() != Some(version) => {
            Err(fail("made for another version"))
        }
        _ => Ok(signature),
    }
}

/// Body of an answer with an update. Clients fail at a date that is not RFC 3339.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TauriBody<'a> {
    /// The version that was signed.
    pub version: &'a str,
    /// Absolute address of the artifact that the signature belongs to.
    pub url: &'a str,
    /// As [`check_tauri_signature`] gives it.
    pub signature: &'a str,
    /// Release notes.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub notes: &'a str,
    /// RFC 3339.
    pub pub_date: String,
}

impl<'a> TauriBody<'a> {
    /// An update to `version` at `url`; the notes may be empty.
    pub fn new(
        version: &'a str,
        url: &'a str,
        signature: &'a str,
        notes: &'a str,
        released_at: Timestamp,
    ) -> Self {
        Self { version, url, signature, notes, pub_date: released_at.to_rfc3339() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sig(trusted: &str) -> String {
        let signed = STANDARD.encode([b'E'; SIGNATURE_BYTES]);
        let global = STANDARD.encode([7; GLOBAL_SIGNATURE_BYTES]);
        STANDARD.encode(format!(
            "untrusted comment: signature from tauri secret key\n{signed}\ntrusted comment: {trusted}\n{global}\n"
        ))
    }

    fn check(signature: &str) -> Result<String, String> {
        let version = "1.2.0-beta.1".parse().unwrap();
        check_tauri_signature(signature, &version).map(str::to_owned).map_err(|error| error.to_string())
    }

    #[test]
    fn content_of_sig_files() {
        let plain = sig("timestamp:1700000000\tfile:My App.app.tar.gz");
        assert_eq!(check(&format!("\n{plain}\r\n")), Ok(plain));
        let versioned = sig("timestamp:1700000000\tfile:a.tar.gz\tversion:v1.2.0-beta.1");
        assert_eq!(check(&versioned), Ok(versioned));
        assert_eq!(
            check(&sig("timestamp:1\tversion:1.2.0")),
            Err("signature: made for another version".into())
        );
        assert_eq!(check(&"A".repeat(20_000)), Err("signature: too long".into()));
    }

    #[test]
    fn what_people_send_instead() {
        let raw = String::from_utf8(STANDARD.decode(sig("timestamp:1")).unwrap()).unwrap();
        let cut = STANDARD.encode("untrusted comment: x\nAAAA\ntrusted comment: y\nAAAA\n");
        for bad in ["", "https://h.example/a.sig", "./a.app.tar.gz.sig", "dGVzdA==", raw.as_str(), &cut] {
            assert_eq!(check(bad), Err("signature: not the content of a .sig file".into()), "{bad}");
        }
    }

    #[test]
    fn body() {
        let body = TauriBody::new("1.2.0", "https://h.example/a", "s", "", Timestamp::from_millis(0));
        assert_eq!(
            serde_json::to_string(&body).unwrap(),
            r#"{"version":"1.2.0","url":"https://h.example/a","signature":"s","pub_date":"1970-01-01T00:00:00+00:00"}"#
        );
    }
}
