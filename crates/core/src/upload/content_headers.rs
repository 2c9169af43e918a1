//! Response headers of published files.

use super::FileName;
use crate::Updater;

/// Headers that the storage sends with a published object. The service derives them from the extension,
/// regardless of the uploader's headers, so that no page is shown and no script runs on the storage's
/// address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentHeaders {
    /// `Content-Type`.
    pub content_type: &'static str,
    /// `Content-Disposition`.
    pub content_disposition: &'static str,
}

/// For files that browsers cannot or should not display, including HTML, SVG and other XML.
const ANY_BYTES: &str = "application/octet-stream";

/// Browsers save the file under the last segment of its URL and never display it.
const SAVE: &str = "attachment";

impl ContentHeaders {
    /// The headers of a file with this name.
    pub fn of(name: &FileName) -> Self {
        Self { content_type: content_type(name), content_disposition: SAVE }
    }
}

fn content_type(name: &FileName) -> &'static str {
    if let Some(feed) = name.feed_updater().and_then(Updater::feed_file) {
        return feed.stored_type;
    }
    match name.package().as_str() {
        "zip" => "application/zip",
        "gz" | "tgz" | "tar.gz" | "app.tar.gz" => "application/gzip",
        "xz" | "tar.xz" => "application/x-xz",
        "zst" | "tar.zst" => "application/zstd",
        "deb" => "application/vnd.debian.binary-package",
        "rpm" => "application/x-rpm",
        "dmg" => "application/x-apple-diskimage",
        "exe" => "application/vnd.microsoft.portable-executable",
        "msi" => "application/x-msi",
        "apk" => "application/vnd.android.package-archive",
        "json" => "application/json",
        "yml" | "yaml" => "application/yaml",
        "txt" => "text/plain; charset=utf-8",
        _ => ANY_BYTES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_by_extension() {
        for (name, expected) in [
            ("a.ZIP", "application/zip"),
            ("a.app.tar.gz", "application/gzip"),
            ("RELEASES", "text/plain; charset=utf-8"),
            ("latest.yml", "application/yaml"),
            ("releases.stable.json", "application/json"),
            ("appcast.xml", ANY_BYTES),
            ("a.html", ANY_BYTES),
            ("a.htm", ANY_BYTES),
            ("a.xhtml", ANY_BYTES),
            ("a.svg", ANY_BYTES),
            ("a.svgz", ANY_BYTES),
            ("a.js", ANY_BYTES),
            ("a", ANY_BYTES),
            ("a.zip.html", ANY_BYTES),
        ] {
            let headers = ContentHeaders::of(&name.parse().unwrap());
            assert_eq!(
                headers,
                ContentHeaders { content_type: expected, content_disposition: "attachment" },
                "{name}"
            );
        }
    }
}
