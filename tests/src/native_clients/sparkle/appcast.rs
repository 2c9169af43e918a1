//! Appcasts as Sparkle's `generate_appcast` writes them.

use super::key::SigningKey;

/// A release of an app.
#[derive(Debug, Clone)]
pub struct Archive<'a> {
    /// Name of the file, as in a URL.
    pub file_name: &'a str,
    /// Version shown to people.
    pub version: &'a str,
    /// Version for ordering releases.
    pub build: &'a str,
    /// The archive.
    pub bytes: &'a [u8],
    /// More elements of the item, as XML.
    pub more: &'a str,
}

/// A signed appcast with these releases. File names are relative to its URL.
pub fn appcast(title: &str, archives: &[Archive<'_>], key: &SigningKey) -> String {
    let items: Vec<String> = archives.iter().map(|archive| item(archive, key)).collect();
    format!(
        "<?xml version=\"1.0\" standalone=\"yes\"?>\n\
         <rss xmlns:sparkle=\"http://www.andymatuschak.org/xml-namespaces/sparkle\" version=\"2.0\">\n\
         \x20   <channel>\n        <title>{title}</title>\n{}    </channel>\n</rss>",
        items.concat()
    )
}

fn item(archive: &Archive<'_>, key: &SigningKey) -> String {
    let Archive { file_name, version, build, bytes, more } = archive;
    format!(
        "        <item>\n            <title>{version}</title>\n            \
         <pubDate>Sat, 21 Nov 2026 10:00:00 +0000</pubDate>\n            \
         <sparkle:version>{build}</sparkle:version>\n            \
         <sparkle:shortVersionString>{version}</sparkle:shortVersionString>\n            \
         <sparkle:minimumSystemVersion>10.13</sparkle:minimumSystemVersion>\n            {more}\n            \
         <enclosure url=\"{file_name}\" length=\"{}\" type=\"application/octet-stream\" \
         sparkle:edSignature=\"{}\"/>\n        </item>\n",
        bytes.len(),
        key.sign(bytes)
    )
}
