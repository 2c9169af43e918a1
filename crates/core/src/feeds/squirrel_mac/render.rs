//! Writing the JSON of Squirrel.Mac.

use serde::Serialize;

use super::PACKAGE;
use crate::Decision;

/// Body of an answer with an update. Clients ignore unknown fields.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    /// Absolute URL of a zip archive.
    url: &'a str,
    /// Shown to users: the version.
    name: &'a str,
    /// Release notes.
    #[serde(skip_serializing_if = "str::is_empty")]
    notes: &'a str,
    /// RFC 3339 with an offset and without fractions: clients drop any other form.
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
}

/// `None`: there is no update.
pub(super) fn body<'a>(decision: &Decision<'a>) -> Option<Body<'a>> {
    let release = decision.update()?;
    let zip = release.artifacts.iter().find(|artifact| artifact.package.as_str() == PACKAGE)?;
    Some(Body {
        url: &zip.url,
        name: release.version.as_str(),
        notes: &release.changelog,
        pub_date: release.released_at.to_rfc3339(),
        update_available: true,
        critical: decision.critical,
        version: release.version.as_str(),
        signature: zip.signature.as_deref(),
    })
}
