//! The places of a repository for clients: the service and the bucket.

use std::time::Duration;

use super::repository::TestRepository;
use super::role::TestTarget;
use crate::digests::{sha256_hex, sha512_hex};
use crate::file_server::{Entry, FileServer};

const BUCKET: &str = "/bucket";

/// Two base addresses, as an application is configured with them.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its name in messages.
    pub name: &'static str,
    pub metadata: String,
    pub targets: String,
    /// Whether a target may be asked for with a digest before a segment of its name.
    pub prefixed: bool,
}

/// The answer of a hostile mirror in place of a file.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A body without an announced length that never ends.
    Endless,
    /// A body that does not end before so many bytes, which are announced.
    EndlessAnnounced(u64),
    /// A body with another length announced.
    Announced(Vec<u8>, u64),
    /// A body whose bytes have this pause between them.
    Slow(Vec<u8>, Duration),
}

impl Place {
    /// The addresses at the service with this base URL, of the repository with this path.
    pub fn of_service(url: &str, path: &str) -> Self {
        let base = format!("{url}/tuf/repository/{path}");
        Self {
            name: "service",
            metadata: format!("{base}/metadata/"),
            targets: format!("{base}/targets/"),
            prefixed: true,
        }
    }
}

/// A server that is both places of one repository.
#[derive(Debug)]
pub struct Places {
    server: FileServer,
    path: String,
}

impl Places {
    /// Serves the repository as it is now.
    pub fn of(repository: &TestRepository) -> Self {
        Self { server: FileServer::start(entries(repository)), path: repository.path.clone() }
    }

    /// From now on serves the repository as it is now, and nothing older.
    pub fn show(&self, repository: &TestRepository) {
        self.server.replace(entries(repository));
    }

    /// After so many more requests serves the repository as it is now, and nothing older.
    pub fn show_after(&self, requests: usize, repository: &TestRepository) {
        self.server.replace_after(requests, entries(repository));
    }

    /// Until something else is shown, answers the bucket's address of a metadata file or a target like this.
    pub fn answers(&self, file: &str, answer: Answer) {
        let path = if file.contains('/') {
            format!("{BUCKET}/{file}")
        } else {
            format!("{BUCKET}/tuf_metadata/{}/{file}", self.path)
        };
        let entry = match answer {
            Answer::Endless => Entry::Endless(None),
            Answer::Announced(bytes, length) => Entry::Announced(bytes, length),
            Answer::EndlessAnnounced(length) => Entry::Endless(Some(length)),
            Answer::Slow(bytes, pause) => Entry::Slow(bytes, pause),
        };
        self.server.answer(path, entry);
    }

    /// Until something else is shown, the service's link for a target leads to another target.
    pub fn links(&self, target: &TestTarget, to: &TestTarget) {
        for name in [target.name.clone()].into_iter().chain(prefixed_names(target)) {
            let path = format!("/tuf/repository/{}/targets/{name}", self.path);
            self.server.answer(path, Entry::Redirect(format!("{BUCKET}/{}", to.name)));
        }
    }

    /// How many bytes of endless answers clients and the buffers of their connections have taken so far, at
    /// most.
    pub fn endless_bytes(&self) -> u64 {
        self.server.endless_bytes()
    }

    pub fn service(&self) -> Place {
        Place::of_service(&self.server.url(), &self.path)
    }

    pub fn bucket(&self) -> Place {
        let base = format!("{}{BUCKET}", self.server.url());
        Place {
            name: "bucket",
            metadata: format!("{base}/tuf_metadata/{}/", self.path),
            targets: format!("{base}/"),
            prefixed: false,
        }
    }

    pub fn both(&self) -> [Place; 2] {
        [self.service(), self.bucket()]
    }

    /// The paths of all requests so far.
    pub fn asked(&self) -> Vec<String> {
        self.server.asked()
    }
}

/// The files by path. The bucket answers 403 for missing files, as one that nobody may list does; it matters
/// for the next root only.
fn entries(repository: &TestRepository) -> Vec<(String, Entry)> {
    let path = &repository.path;
    let mut entries = Vec::new();
    for (file, bytes) in &repository.metadata {
        entries.push((format!("{BUCKET}/tuf_metadata/{path}/{file}"), Entry::File(bytes.clone())));
        entries.push((format!("/tuf/repository/{path}/metadata/{file}"), Entry::File(bytes.clone())));
    }
    let next_root = format!("{BUCKET}/tuf_metadata/{path}/{}.root.json", repository.version("root") + 1);
    entries.push((next_root, Entry::Status(403)));
    for (name, bytes) in &repository.files {
        entries.push((format!("{BUCKET}/{name}"), Entry::File(bytes.clone())));
    }
    for target in repository.listed() {
        let link = Entry::Redirect(format!("{BUCKET}/{}", target.name));
        let names = [target.name.clone()].into_iter().chain(prefixed_names(target));
        entries.extend(names.map(|name| (format!("/tuf/repository/{path}/targets/{name}"), link.clone())));
    }
    entries
}

/// The names of a target with a digest before any one segment.
pub fn prefixed_names(target: &TestTarget) -> Vec<String> {
    let starts = target.name.match_indices('/').map(|(index, _)| index + 1);
    let starts: Vec<_> = [0].into_iter().chain(starts).collect();
    let digests = [sha256_hex(&target.bytes), sha512_hex(&target.bytes)];
    let prefixed = |digest: &String, start: usize| {
        let (before, after) = target.name.split_at(start);
        format!("{before}{digest}.{after}")
    };
    digests.iter().flat_map(|digest| starts.iter().map(|start| prefixed(digest, *start))).collect()
}
