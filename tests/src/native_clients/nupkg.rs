//! Packages of Squirrel.Windows and Velopack: a zip file with a nuspec, as in `NuGet`.

use std::io::{Cursor, Write as _};

use sha1::{Digest as _, Sha1};
use zip::write::{SimpleFileOptions, ZipWriter};

/// A package being built.
#[derive(Debug, Clone)]
pub struct Package {
    id: String,
    version: String,
    channel: Option<String>,
    files: Vec<(String, Vec<u8>)>,
}

impl Package {
    /// A package without files. `id` and `version` are XML text.
    pub fn new(id: &str, version: &str) -> Self {
        Self { id: id.to_owned(), version: version.to_owned(), channel: None, files: Vec::new() }
    }

    /// Sets Velopack's `channel` in the nuspec.
    #[must_use]
    pub fn with_channel(mut self, channel: &str) -> Self {
        self.channel = Some(channel.to_owned());
        self
    }

    /// Adds a file of the app. Its path is relative to the app's folder.
    #[must_use]
    pub fn with_file(mut self, path: &str, bytes: &[u8]) -> Self {
        self.files.push((format!("lib/app/{path}"), bytes.to_vec()));
        self
    }

    /// `{id}-{version}-full.nupkg`.
    pub fn full_name(&self) -> String {
        format!("{}-{}-full.nupkg", self.id, self.version)
    }

    /// `{id}-{version}-delta.nupkg`.
    pub fn delta_name(&self) -> String {
        format!("{}-{}-delta.nupkg", self.id, self.version)
    }

    /// The nuspec. An installed app keeps a copy of it.
    pub fn nuspec(&self) -> String {
        let Self { id, version, .. } = self;
        let channel = self.channel.as_ref().map(|channel| format!("<channel>{channel}</channel>"));
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <package xmlns=\"http://schemas.microsoft.com/packaging/2010/07/nuspec.xsd\">\n<metadata>\n\
             <id>{id}</id>\n<title>{id}</title>\n<description>{id}</description>\n<authors>{id}</authors>\n\
             <version>{version}</version>\n<mainExe>{id}.exe</mainExe>\n{}\n</metadata>\n</package>\n",
            channel.unwrap_or_default()
        )
    }

    /// The zip file. Equal packages give equal bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let nuspec = (format!("{}.nuspec", self.id), self.nuspec().into_bytes());
        let types = ("[Content_Types].xml".to_owned(), CONTENT_TYPES.as_bytes().to_vec());
        let relations = ("_rels/.rels".to_owned(), self.relations().into_bytes());
        zip([nuspec, types, relations].iter().chain(&self.files))
    }

    fn relations(&self) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\n\
             <Relationship Type=\"http://schemas.microsoft.com/packaging/2010/07/manifest\" \
             Target=\"/{}.nuspec\" Id=\"R1\"/>\n</Relationships>\n",
            self.id
        )
    }
}

const CONTENT_TYPES: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
     <Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\n\
     <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\n\
     <Default Extension=\"nuspec\" ContentType=\"application/octet\"/>\n\
     <Default Extension=\"exe\" ContentType=\"application/octet\"/>\n</Types>\n";

/// A zip file with these names and contents.
pub fn zip<'a>(files: impl IntoIterator<Item = &'a (String, Vec<u8>)>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(name, SimpleFileOptions::default()).expect("a new entry");
        writer.write_all(bytes).expect("memory");
    }
    writer.finish().expect("a zip file").into_inner()
}

/// SHA-1 in the form of `RELEASES` and Velopack's feeds: 40 upper-case digits.
pub fn sha1_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha1::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_package_is_a_zip_file_that_describes_itself() {
        let package = Package::new("App", "1.2.3").with_channel("win").with_file("App.exe", b"program");
        assert_eq!(
            (package.full_name(), package.delta_name()),
            ("App-1.2.3-full.nupkg".into(), "App-1.2.3-delta.nupkg".into())
        );

        let bytes = package.bytes();

        assert_eq!(bytes, package.bytes());
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut nuspec = String::new();
        archive.by_name("App.nuspec").unwrap().read_to_string(&mut nuspec).unwrap();
        assert!(nuspec.contains("<version>1.2.3</version>") && nuspec.contains("<channel>win</channel>"));
        let mut program = Vec::new();
        archive.by_name("lib/app/App.exe").unwrap().read_to_end(&mut program).unwrap();
        assert_eq!(program, b"program");
    }

    #[test]
    fn digests_are_those_of_sha1() {
        assert_eq!(sha1_hex(b"abc"), "A9993E364706816ABA3E25717850C26C9CD0D89D");
    }
}
