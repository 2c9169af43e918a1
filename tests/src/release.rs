//! A release at its publisher, and its upload.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spindrift_api::{ManifestEntry, UploadInitBody};

use crate::answer::Answer;
use crate::client::Client;
use crate::digests::{md5_hex, sha256_hex, sha512_hex};

/// A release of `notes`, by default on `stable`, `linux` and `amd64`, not published.
#[derive(Debug, Clone)]
pub struct Release {
    data: Value,
    files: Vec<(String, Vec<u8>)>,
    feeds: Vec<(String, Vec<u8>)>,
    /// The packages in the manifest, by file name.
    packages: BTreeMap<String, String>,
    tuf: bool,
    lengths: bool,
}

impl Release {
    /// A release without files.
    pub fn empty(version: &str) -> Self {
        let data = json!({
            "app_name": "notes", "version": version, "channel": "stable", "platform": "linux", "arch": "amd64",
        });
        let packages = BTreeMap::new();
        Self { data, files: Vec::new(), feeds: Vec::new(), packages, tuf: false, lengths: true }
    }

    /// A release with one file, `notes.deb`, whose content contains the version.
    pub fn new(version: &str) -> Self {
        Self::empty(version).file("notes.deb", format!("notes {version}"))
    }

    #[must_use]
    pub fn file(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.push((name.to_owned(), bytes.into()));
        self
    }

    /// Adds a file whose package the manifest names.
    #[must_use]
    pub fn packaged(mut self, name: &str, package: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.packages.insert(name.to_owned(), package.to_owned());
        self.file(name, bytes)
    }

    /// Adds a feed file, which is sent inline.
    #[must_use]
    pub fn feed(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.feeds.push((name.to_owned(), bytes.into()));
        self
    }

    /// Sets a field of `data`.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.data[field] = value.into();
        self
    }

    /// Removes a field of `data`.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        if let Some(fields) = self.data.as_object_mut() {
            fields.remove(field);
        }
        self
    }

    /// Publishes the release at once.
    #[must_use]
    pub fn published(self) -> Self {
        self.with("publish", true)
    }

    #[must_use]
    pub fn critical(self) -> Self {
        self.with("critical", true)
    }

    /// Marks the release as a required intermediate.
    #[must_use]
    pub fn intermediate(self) -> Self {
        self.with("intermediate", true)
    }

    /// Rolls the release out to this percentage of devices.
    #[must_use]
    pub fn rollout(self, percent: u8) -> Self {
        self.with("rollout", percent)
    }

    /// Declares SHA-256 and SHA-512 of every file.
    #[must_use]
    pub fn with_digests(mut self) -> Self {
        self.tuf = true;
        self
    }

    /// Declares no lengths.
    #[must_use]
    pub fn without_lengths(mut self) -> Self {
        self.lengths = false;
        self
    }

    /// The form field `data`.
    pub fn data(&self) -> &Value {
        &self.data
    }

    /// The form field `files`.
    pub fn manifest(&self) -> Value {
        let entry = |(name, bytes): &(String, Vec<u8>)| ManifestEntry {
            name: name.clone(),
            md5: md5_hex(bytes),
            sha256: self.tuf.then(|| sha256_hex(bytes)),
            sha512: self.tuf.then(|| sha512_hex(bytes)),
            length: self.lengths.then_some(bytes.len() as u64),
            package: self.packages.get(name).cloned(),
        };
        json!(self.files.iter().map(entry).collect::<Vec<_>>())
    }

    pub(crate) fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    pub(crate) fn feeds(&self) -> &[(String, Vec<u8>)] {
        &self.feeds
    }
}

/// One file of a granted upload.
#[derive(Debug, Clone)]
pub struct UploadFile {
    pub name: String,
    /// The presigned URL.
    pub url: String,
    /// The signed headers.
    pub headers: Vec<(String, String)>,
    pub bytes: Vec<u8>,
}

impl UploadFile {
    /// Sends the file with the URL and headers from `POST /upload/init`.
    pub fn send(&self) -> Answer {
        self.send_bytes(&self.bytes)
    }

    /// Sends other bytes with the same headers, except that the length is adjusted.
    pub fn send_bytes(&self, bytes: &[u8]) -> Answer {
        put(&self.url, &self.headers, bytes)
    }

    /// Sends the file to another URL.
    pub fn send_to(&self, url: &str) -> Answer {
        put(url, &self.headers, &self.bytes)
    }

    pub fn staging_key(&self) -> String {
        let path = self.url.split('?').next().unwrap_or_default();
        let key = path.find("pending/").map(|start| &path[start..]).expect("a key below pending/");
        percent_encoding::percent_decode_str(key).decode_utf8_lossy().into_owned()
    }
}

fn put(url: &str, headers: &[(String, String)], bytes: &[u8]) -> Answer {
    let client = Client::new("");
    let others = headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
    others.fold(client.put(url, bytes), |call, (name, value)| call.header(name, value)).send()
}

#[derive(Debug, Clone)]
pub struct Upload {
    /// Id of the upload, for its completion.
    pub id: String,
    pub files: Vec<UploadFile>,
}

impl Upload {
    /// The upload that the body of an answer grants for this release.
    pub fn new(release: &Release, granted: UploadInitBody) -> Self {
        let files = granted.files.into_iter().zip(&release.files).map(|(file, (name, bytes))| {
            assert_eq!((&file.name, file.method.as_ref()), (name, "PUT"));
            UploadFile {
                name: file.name,
                url: file.url,
                headers: file.headers.into_iter().collect(),
                bytes: bytes.clone(),
            }
        });
        Self { id: granted.upload_id, files: files.collect() }
    }

    /// Sends every file.
    pub fn send_all(&self) {
        for file in &self.files {
            let _ = file.send().expect(200);
        }
    }
}
