//! A storage without a server, for tests.

use std::path::{Path, PathBuf};

use super::index_of;
use crate::storage::attributes::Attributes;
use crate::storage::blobs::Blobs;
use crate::storage::index::{MultipartUpload, Object, ObjectIndex, PartRow, WriteConditions};

const BUCKET: &str = "bucket";

/// The storage in a folder, as the server writes it.
pub(crate) struct Sample {
    index: ObjectIndex,
    blobs: Blobs,
}

impl Sample {
    pub(crate) fn open(folder: &Path) -> Self {
        let blobs = Blobs::open(folder).unwrap();
        Self { index: ObjectIndex::open(&index_of(folder), &[BUCKET]).unwrap(), blobs }
    }

    fn blob(&self, bytes: &[u8]) -> String {
        let incoming = self.blobs.create().unwrap();
        std::fs::write(incoming.path(), bytes).unwrap();
        self.blobs.keep(incoming).unwrap()
    }

    pub(crate) fn put(&self, key: &str, bytes: &[u8]) {
        let (size, etag) = (bytes.len() as u64, String::new());
        let object =
            Object { blob: self.blob(bytes), size, etag, modified: 0, attributes: Attributes::default() };
        let replaced = self.index.put(BUCKET, key, &object, &WriteConditions::default()).unwrap();
        if let Some(id) = replaced {
            self.blobs.remove(&id);
        }
    }

    /// Writes the first part of an object.
    pub(crate) fn put_part(&self, key: &str, bytes: &[u8]) {
        let (bucket, key) = (BUCKET.to_owned(), key.to_owned());
        let upload = MultipartUpload { id: key.clone(), bucket, key, attributes: Attributes::default() };
        self.index.begin_upload(&upload).unwrap();
        let (blob, size) = (self.blob(bytes), bytes.len() as u64);
        let part = PartRow { number: 1, blob, size, md5: String::new(), modified: 0 };
        assert_eq!(self.index.put_part(&upload, &part).unwrap(), None);
    }

    pub(crate) fn delete(&self, key: &str) {
        let id = self.index.remove(BUCKET, key).unwrap().unwrap();
        self.blobs.remove(&id);
    }

    /// The file of an object. `None` if there is no such object.
    pub(crate) fn file(&self, key: &str) -> Option<PathBuf> {
        let object = self.index.object(BUCKET, key).ok()?;
        Some(self.blobs.path(&object.blob))
    }

    /// The bytes of an object.
    pub(crate) fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.file(key).map(|file| std::fs::read(file).unwrap())
    }

    /// The bytes of the first part of an object.
    pub(crate) fn part(&self, key: &str) -> Vec<u8> {
        let parts = self.index.parts(key).unwrap();
        std::fs::read(self.blobs.path(&parts[0].blob)).unwrap()
    }

    /// How many files there are, listed or not.
    pub(crate) fn files(folder: &Path) -> usize {
        let folders = std::fs::read_dir(Blobs::at(folder).finished_folder()).unwrap();
        folders.map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap().count()).sum()
    }
}
