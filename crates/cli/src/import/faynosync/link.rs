//! Links to files: where the bytes are, and what the link reveals about a file.

use percent_encoding::percent_decode_str;
use spindrift_core::{FileName, InvalidFileName, Updater};
use url::Url;

use crate::refusal::one_line;

/// Updaters with a folder of their own in the old server's storage. The files of all other updaters
/// share one folder.
const WITH_FOLDER: [Updater; 4] =
    [Updater::SquirrelWindows, Updater::ElectronBuilder, Updater::Velopack, Updater::Sparkle];
/// Folder of Velopack's installers, whose names contain the release.
const INSTALLERS: &str = "installers";

/// Where the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileLink {
    /// At this URL, for everyone.
    Public(Url),
    /// In private storage, under this key; the server says where.
    Private(String),
}

/// The link is not an `http` or `https` URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidLink;

/// The names that distinguish the folders of an owner.
#[derive(Debug, Clone, Copy)]
pub(super) struct FolderNames<'a> {
    pub(super) owner: &'a str,
    pub(super) app: &'a str,
    pub(super) version: &'a str,
    pub(super) platform: &'a str,
    pub(super) arch: &'a str,
}

impl FileLink {
    /// Parses a link. A link to `/download?key=` is private, on any host.
    pub(super) fn parse(text: &str) -> Result<Self, InvalidLink> {
        let url = Url::parse(text).map_err(|_| InvalidLink)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(InvalidLink);
        }
        let key = url.query_pairs().find(|(name, _)| name == "key").map(|(_, key)| key.into_owned());
        match key.filter(|_| url.path().ends_with("/download")) {
            Some(key) => Ok(Self::Private(key)),
            None => Ok(Self::Public(url)),
        }
    }

    /// The key in the storage. For a public link, it follows the name of the bucket if that is part
    /// of the URL's path.
    fn key(&self) -> String {
        match self {
            Self::Public(url) => percent_decode_str(url.path()).decode_utf8_lossy().into_owned(),
            Self::Private(key) => key.clone(),
        }
    }

    /// Identifies the file, wherever its bytes are now.
    pub(super) fn identity(&self) -> String {
        match self {
            Self::Public(url) => url.to_string(),
            Self::Private(key) => format!("key={key}"),
        }
    }

    /// The address without its query, for messages.
    pub(super) fn without_query(&self) -> String {
        match self {
            Self::Public(url) => url.as_str().split(['?', '#']).next().unwrap_or_default().to_owned(),
            Self::Private(key) => one_line(key),
        }
    }

    /// The last segment of the key.
    pub(super) fn last_segment(&self) -> String {
        self.key().rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// The updater whose folder contains the file. `None`: it is in the shared folder.
    pub(super) fn updater(&self, place: &FolderNames<'_>) -> Option<Updater> {
        let key = self.key();
        let segments: Vec<&str> = key.split('/').collect();
        let joined = format!("{}-{}", place.app, place.owner);
        let is_folder = |updater: Updater, rest: &[&str]| match rest {
            [first, second, third, ..] => {
                *first == updater.as_str()
                    && (*second == joined || (*second == place.owner && *third == place.app))
            }
            _ => false,
        };
        let windows = || (0..segments.len()).filter_map(|start| segments.get(start..));
        WITH_FOLDER.into_iter().find(|updater| windows().any(|rest| is_folder(*updater, rest)))
    }

    /// The name of the file when it was uploaded, as far as the link reveals it.
    pub(super) fn file_name(&self, place: &FolderNames<'_>) -> Result<FileName, InvalidFileName> {
        let key = self.key();
        let mut segments = key.rsplit('/');
        let name = segments.next().unwrap_or_default();
        let is_installer = segments.next() == Some(INSTALLERS);
        if is_installer && self.updater(place) == Some(Updater::Velopack) {
            return without_release(name, place).parse();
        }
        // The file had no extension: the text after the last dot belongs to the version.
        if name == format!("{}-{}", place.app, place.version) {
            return place.app.replace('.', "-").parse();
        }
        name.parse()
    }
}

/// Turns `Notes-Setup-1.2.3-windows-amd64.exe` into `Notes-Setup.exe`.
fn without_release(name: &str, place: &FolderNames<'_>) -> String {
    let (stem, extension) = name.rfind('.').map_or((name, ""), |at| name.split_at(at));
    let parts = ["", place.version, place.platform, place.arch];
    let suffix = parts.into_iter().enumerate().filter(|(at, part)| *at == 0 || !part.is_empty());
    let suffix = suffix.map(|(_, part)| part).collect::<Vec<_>>().join("-");
    format!("{}{extension}", stem.strip_suffix(&suffix).unwrap_or(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: FolderNames<'_> =
        FolderNames { owner: "admin", app: "My App", version: "1.2.3", platform: "windows", arch: "amd64" };

    #[test]
    fn links_tell_file_and_updater() {
        use Updater::{ElectronBuilder, Sparkle, SquirrelWindows, Velopack};
        for (link, updater, name) in [
            ("https://s3/b/My%20App-admin/stable/windows/amd64/My%20App-1.2.3.exe", None, "My App-1.2.3.exe"),
            ("https://b.s3/My%20App-admin/My%20App-1.2.3.exe", None, "My App-1.2.3.exe"),
            ("https://b.s3/My%20App-admin/My%20App-1.2.3", None, "My App"),
            ("https://old/download?key=My+App-admin%2Fstable%2FMy+App-1.2.3.exe", None, "My App-1.2.3.exe"),
            (
                "https://s3/b/squirrel_windows/My%20App-admin/1.2.3/windows/RELEASES",
                Some(SquirrelWindows),
                "RELEASES",
            ),
            (
                "https://b.s3/electron-builder/My%20App-admin/1.2.3/a%2Bb.zip.blockmap",
                Some(ElectronBuilder),
                "a+b.zip.blockmap",
            ),
            (
                "https://s3/sparkle/admin/My%20App/windows/amd64/appcast.stable.xml",
                Some(Sparkle),
                "appcast.stable.xml",
            ),
            (
                "https://s3/velopack/admin/My%20App/windows/amd64/installers/A-Setup-1.2.3-windows-amd64.exe",
                Some(Velopack),
                "A-Setup.exe",
            ),
            (
                "https://s3/velopack/admin/My%20App/windows/amd64/A-1.2.3-full.nupkg",
                Some(Velopack),
                "A-1.2.3-full.nupkg",
            ),
            // A channel may have the name of an updater.
            ("https://s3/My%20App-admin/velopack/windows/amd64/My%20App-1.2.3.exe", None, "My App-1.2.3.exe"),
        ] {
            let link = FileLink::parse(link).unwrap();
            let found = (link.updater(&PLACE), link.file_name(&PLACE).map(String::from));
            assert_eq!(found, (updater, Ok(name.to_owned())), "{link:?}");
        }
    }

    #[test]
    fn hostile_links() {
        for bad in ["", "file:///etc/passwd", "ftp://a/b", "/b/a.deb", "data:,a", "http://"] {
            assert_eq!(FileLink::parse(bad), Err(InvalidLink), "{bad}");
        }
        for bad in [
            "https://old/download?key=a%2F..",
            "https://old/download?key=..%5C..%5Cevil.exe",
            "https://s3/b/a%2F..%5Cevil.exe",
            "https://s3/b/a%0Ab.exe",
            "https://s3/b/",
        ] {
            assert!(FileLink::parse(bad).unwrap().file_name(&PLACE).is_err(), "{bad}");
        }
        // The name is the last segment only.
        let link = FileLink::parse("https://s3/b/..%2F..%2Fevil.exe").unwrap();
        assert_eq!(link.file_name(&PLACE).unwrap().as_str(), "evil.exe");
    }
}
