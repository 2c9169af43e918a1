//! Renders the JSON of Tauri.

use serde::Serialize;

use super::bundle::packages;
use crate::{Decision, FileContent, ScopeArtifact, ScopePatch, ScopeRelease, Version};

/// Body of an answer with an update. Clients fail on a date that is not RFC 3339.
#[derive(Serialize)]
pub(super) struct TauriUpdate<'a> {
    /// The signed version.
    version: &'a str,
    /// Absolute URL of the artifact that the signature belongs to.
    url: &'a str,
    /// As verified at upload.
    signature: &'a str,
    /// Release notes.
    #[serde(skip_serializing_if = "str::is_empty")]
    notes: &'a str,
    /// RFC 3339.
    pub_date: String,
    /// The patch from the client's version, for the kit for Tauri. The plugin itself ignores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<TauriPatch<'a>>,
}

/// A patch that makes the artifact, with the keys of patches in the answers of checks.
#[derive(Serialize)]
pub(super) struct TauriPatch<'a> {
    url: &'a str,
    length: u64,
    sha256: &'a str,
    format: &'a str,
    base_sha256: &'a str,
    file_length: u64,
    file_sha256: &'a str,
}

impl<'a> TauriPatch<'a> {
    /// `None`: nobody could verify the patch.
    fn new((patch, file): (&'a ScopePatch, &'a FileContent)) -> Option<Self> {
        Some(Self {
            url: &patch.url,
            length: patch.length,
            sha256: patch.sha256.as_ref()?.as_str(),
            format: &patch.format,
            base_sha256: patch.base_sha256.as_str(),
            file_length: file.length,
            file_sha256: file.sha256.as_str(),
        })
    }
}

/// `None`: there is no update. `client`: the client's version. `bundle`: how the application was installed.
pub(super) fn body<'a>(
    decision: &Decision<'a>,
    client: &Version,
    bundle: Option<&str>,
) -> Option<TauriUpdate<'a>> {
    let release = decision.update()?;
    let (artifact, signature) = signed_artifact(release, bundle)?;
    Some(TauriUpdate {
        version: release.version.as_str(),
        url: &artifact.url,
        signature,
        notes: &release.changelog,
        pub_date: release.released_at.to_rfc3339(),
        patch: artifact.patch_from(client).and_then(TauriPatch::new),
    })
}

/// The artifact for a Tauri application that was installed from `bundle`: the signed one that such
/// a copy can install. A copy that does not report how it was installed gets the first signed
/// artifact that is not an installer, else the first signed one.
fn signed_artifact<'a>(
    release: &'a ScopeRelease,
    bundle: Option<&str>,
) -> Option<(&'a ScopeArtifact, &'a str)> {
    let signed = || release.artifacts.iter().filter_map(|a| Some((a, a.signature.as_deref()?)));
    if let Some(packages) = bundle.and_then(packages) {
        return packages.iter().find_map(|package| signed().find(|(a, _)| a.package.as_str() == *package));
    }
    let is_installer = |artifact: &ScopeArtifact| matches!(artifact.package.as_str(), "deb" | "rpm" | "msi");
    signed().find(|(a, _)| !is_installer(a)).or_else(|| signed().next())
}

/// Whether a copy that was installed from `bundle` can install the release.
pub(in crate::feeds) fn installs(release: &ScopeRelease, bundle: Option<&str>) -> bool {
    signed_artifact(release, bundle).is_some()
}
