//! Renders the JSON of Squirrel.Mac.

use serde::Serialize;

use super::PACKAGE;
use crate::{Decision, PatchFormat, ScopePatch, Sha256Hex, Version};

/// Body of an answer with an update. Clients ignore unknown fields.
#[derive(Serialize)]
pub(super) struct SquirrelMacUpdate<'a> {
    /// Absolute URL of a zip archive.
    url: &'a str,
    /// The version, which is shown to users.
    name: &'a str,
    /// Release notes.
    #[serde(skip_serializing_if = "str::is_empty")]
    notes: &'a str,
    /// RFC 3339 with an offset and without fractions: clients ignore any other form.
    pub_date: String,
    /// Always true: without an update there is no body.
    update_available: bool,
    /// Whether users should not postpone it.
    critical: bool,
    /// The version.
    version: &'a str,
    /// The signature given at upload.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'a str>,
    /// Digest and length of the archive.
    #[serde(flatten)]
    content: Option<DigestAndSize<'a>>,
    /// The patch from the client's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<Delta<'a>>,
}

/// A patch. Clients ignore it unless it has all keys.
#[derive(Serialize)]
pub(super) struct Delta<'a> {
    /// The client's version, which must also be its `CFBundleVersion`. It is text, because clients
    /// ignore numbers.
    from_version: &'a str,
    /// Absolute URL of the patch.
    url: &'a str,
    /// Digest and length of the patch.
    #[serde(flatten)]
    content: DigestAndSize<'a>,
}

/// Digest and length of a file.
#[derive(Serialize)]
pub(super) struct DigestAndSize<'a> {
    /// 64 hexadecimal digits.
    sha256: &'a str,
    /// In bytes.
    size: u64,
}

/// `client`: the client's version. `None`: there is no update.
pub(super) fn body<'a>(decision: &Decision<'a>, client: &'a Version) -> Option<SquirrelMacUpdate<'a>> {
    let release = decision.update()?;
    let zip = release.artifacts.iter().find(|artifact| artifact.package.as_str() == PACKAGE)?;
    Some(SquirrelMacUpdate {
        url: &zip.url,
        name: release.version.as_str(),
        notes: &release.changelog,
        pub_date: release.released_at.to_rfc3339(),
        update_available: true,
        critical: decision.critical,
        version: release.version.as_str(),
        signature: zip.signature.as_deref(),
        content: zip.content.as_ref().map(|content| DigestAndSize::new(&content.sha256, content.length)),
        delta: zip.patches.iter().find_map(|patch| Delta::new(patch, client)),
    })
}

impl<'a> DigestAndSize<'a> {
    fn new(sha256: &'a Sha256Hex, size: u64) -> Self {
        Self { sha256: sha256.as_str(), size }
    }
}

impl<'a> Delta<'a> {
    /// `None`: the patch is not for this client.
    fn new(patch: &'a ScopePatch, client: &'a Version) -> Option<Self> {
        let is_delta = patch.format == PatchFormat::BinaryDelta.as_str() && patch.base_version == *client;
        let content = DigestAndSize::new(patch.sha256.as_ref().filter(|_| is_delta)?, patch.length);
        Some(Self { from_version: client.as_str(), url: &patch.url, content })
    }
}
