//! References to files in `*.yml`, relative to the URL of the feed.
//!
//! `../{version}/files/{file}` is the file of exactly that release, to which the service redirects.
//! A client finds the block map of its own version by substituting that version for the new one, so
//! the version is part of the path, and the reference works in every channel.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::Scope;

/// The folder below a version, with the files of that release.
pub const FILES_FOLDER: &str = "files";

/// The characters to encode in a segment. `+` stays as it is, because clients search for the
/// version as text.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'+');
/// Names of processors in Node. Clients search for their own anywhere in a URL; on a Mac, only for
/// the first.
const PROCESSORS: [&str; 3] = [ARM64, "x64", "ia32"];
const ARM64: &str = "arm64";

/// The URL of a feed, for references from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReferenceBase<'a> {
    /// The scope, as the client names it.
    pub(super) scope: &'a Scope,
    /// The architecture under which its own files are recorded.
    pub(super) own_arch: Option<&'a str>,
    /// Whether the feed lists files of several architectures.
    pub(super) has_several_archs: bool,
}

impl ReferenceBase<'_> {
    /// The reference to a file of a release in an architecture.
    ///
    /// Folders must not look like the processor of a file, unless they distinguish two
    /// architectures: if they contain its name, its first letter is encoded. The file name shows
    /// what its publisher means.
    pub(super) fn to(&self, arch: Option<&str>, version: &str, file_name: &str) -> String {
        let mut folders = self.scope.segments();
        let own = folders;
        if arch != self.own_arch {
            folders[4] = arch.unwrap_or(folders[4]);
        }
        let shows_processor = self.has_several_archs && arch == Some(ARM64);
        let written = folders.map(|name| if shows_processor { encoded(name) } else { hidden(name) });
        let differs = |at: &usize| written[*at] != encoded(own[*at]);
        let first = (0..folders.len()).find(differs).unwrap_or(folders.len());
        let mut reference = "../".repeat(folders.len() + 1 - first);
        for folder in &written[first..] {
            reference.push_str(folder);
            reference.push('/');
        }
        let [version, file_name] = [version, file_name].map(encoded);
        format!("{reference}{version}/{FILES_FOLDER}/{file_name}")
    }
}

fn encoded(segment: &str) -> String {
    utf8_percent_encode(segment, ENCODED).to_string()
}

/// Encodes a folder so that it does not contain the name of a processor.
fn hidden(segment: &str) -> String {
    PROCESSORS.iter().fold(encoded(segment), |folder, name| {
        let first = name.as_bytes().first().copied().unwrap_or_default();
        let hidden = format!("%{first:02X}{}", name.get(1..).unwrap_or_default());
        folder.replace(name, &hidden)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ArchName;

    fn scope(app: &str, platform: &str, arch: Option<&str>) -> Scope {
        Scope {
            owner: "acme".parse().unwrap(),
            app: app.parse().unwrap(),
            channel: Some("stable".parse().unwrap()),
            platform: Some(platform.parse().unwrap()),
            arch: arch.map(|name| name.parse::<ArchName>().unwrap()),
        }
    }

    #[test]
    fn references_lead_to_the_release() {
        let (mac, both) = (scope("notes", "mac", Some("amd64")), scope("notes", "mac", Some("arm64")));
        let (arm_app, bare) = (scope("arm64 lab", "mac", Some("x64")), scope("notes", "mac-arm64", None));
        for (scope, own_arch, several, arch, expected) in [
            (&mac, "amd64", false, "amd64", "../1.1.0+5/files/My%20App%23.zip"),
            (&mac, "amd64", true, "arm64", "../../arm64/1.1.0+5/files/My%20App%23.zip"),
            (&both, "arm64", true, "arm64", "../1.1.0+5/files/My%20App%23.zip"),
            (&both, "arm64", true, "amd64", "../../amd64/1.1.0+5/files/My%20App%23.zip"),
            (&both, "arm64", false, "arm64", "../../%61rm64/1.1.0+5/files/My%20App%23.zip"),
            (
                &arm_app,
                "x64",
                false,
                "x64",
                "../../../../../%61rm64%20lab/stable/mac/%7864/1.1.0+5/files/My%20App%23.zip",
            ),
            (&bare, "", false, "", "../../../mac-%61rm64/default/1.1.0+5/files/My%20App%23.zip"),
        ] {
            let name = |name: &'static str| Some(name).filter(|name| !name.is_empty());
            let base = ReferenceBase { scope, own_arch: name(own_arch), has_several_archs: several };
            assert_eq!(base.to(name(arch), "1.1.0+5", "My App#.zip"), expected);
        }
    }
}
