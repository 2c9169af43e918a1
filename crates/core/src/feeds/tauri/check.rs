//! Checks the files and the signature in an upload for Tauri.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::feeds::FeedError;
use crate::{FileName, Version};

/// Packages from which people install a Tauri application. Tauri's updater prefers another file if
/// there is one.
const INSTALLERS: [&str; 6] = ["deb", "rpm", "dmg", "pkg", "exe", "msi"];

/// The field, as named in errors.
const FIELD: &str = "signature";

/// Maximum length of a signature, in bytes. Real ones have about 400.
const MAX_SIGNATURE_BYTES: usize = 16 * 1024;

/// Length of a minisign signature in bytes: algorithm, key id and Ed25519 signature. The global
/// signature is separate.
pub(super) const SIGNATURE_BYTES: usize = 2 + 8 + 64;
pub(super) const GLOBAL_SIGNATURE_BYTES: usize = 64;

/// Validates the signature of a release, and returns it without surrounding white space.
///
/// It must be the content of the `.sig` file, which is a base64-encoded
/// [minisign](https://jedisct1.github.io/minisign/) signature, not a URL or a path. Newer tools
/// sign the version in the trusted comment, and clients reject an update that is announced with
/// another version.
pub(super) fn check_signature<'a>(signature: &'a str, version: &Version) -> Result<&'a str, FeedError> {
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

/// The file that Tauri's updater downloads and that the signature belongs to: the only one that is not an
/// installer (`deb`, `rpm`, `dmg`, `pkg`, `exe`, `msi`), such as `.app.tar.gz`, `.AppImage` or `.nsis.zip`.
/// If all are installers, it is the only one, because on Windows the updater runs the installer itself.
/// `None`: there is no single such file.
pub(super) fn artifact<'a>(files: &[&'a FileName]) -> Option<&'a FileName> {
    let is_installer = |name: &&FileName| INSTALLERS.contains(&name.package().as_str());
    let mut others = files.iter().copied().filter(|name| !is_installer(name));
    match (others.next(), others.next(), files) {
        (Some(artifact), None, _) => Some(artifact),
        (None, None, [installer]) => Some(installer),
        _ => None,
    }
}
