//! Checking what an upload for Tauri comes with.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::feeds::FeedError;
use crate::{FileName, Version};

/// Packages that a person installs a Tauri application from. Tauri's updater takes something else where it can.
const INSTALLERS: [&str; 6] = ["deb", "rpm", "dmg", "pkg", "exe", "msi"];

/// The field in error texts.
const FIELD: &str = "signature";

/// Longest signature, in bytes. A real one has about 400.
const MAX_SIGNATURE_BYTES: usize = 16 * 1024;

/// Bytes of a minisign signature: algorithm, key id, Ed25519 signature; and of the signature over it.
pub(super) const SIGNATURE_BYTES: usize = 2 + 8 + 64;
pub(super) const GLOBAL_SIGNATURE_BYTES: usize = 64;

/// Checks the signature of a release and gives it without white space around it.
///
/// It is the content of the `.sig` file, which is base64 of a [minisign](https://jedisct1.github.io/minisign/)
/// signature, and not an address or a path. Newer tools sign the version into the trusted comment, and clients refuse
/// an update that is announced under another one.
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

/// The file that Tauri's updater downloads and that the signature belongs to: the only one that is not an installer
/// (`deb`, `rpm`, `dmg`, `pkg`, `exe`, `msi`), such as `.app.tar.gz`, `.AppImage` or `.nsis.zip`; or, of installers
/// alone, the only one, since on Windows the updater runs the installer itself. `None`: there is no single such file.
pub(super) fn artifact<'a>(files: &[&'a FileName]) -> Option<&'a FileName> {
    let is_installer = |name: &&FileName| INSTALLERS.contains(&name.package().as_str());
    let mut others = files.iter().copied().filter(|name| !is_installer(name));
    match (others.next(), others.next(), files) {
        (Some(artifact), None, _) => Some(artifact),
        (None, None, [installer]) => Some(installer),
        _ => None,
    }
}
