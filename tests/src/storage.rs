//! The object storage of a world, seen from outside.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use embedded_host::{Bucket as BucketOptions, Limits, Storage, StorageOptions};
use rusty_s3::{Bucket, Credentials, S3Action as _, UrlStyle};

use crate::client::{Answer, Client};
use crate::runtime::runtime;

/// Bucket of public files.
pub const PUBLIC_BUCKET: &str = "spindrift-public";
/// Bucket of private files, and of uploads that are not completed.
pub const PRIVATE_BUCKET: &str = "spindrift-private";
/// Bucket of published answers.
pub const CDN_BUCKET: &str = "spindrift-cdn";

const REGION: &str = "us-east-1";
pub(crate) const ACCESS_KEY: &str = "test-access-key";
pub(crate) const SECRET_KEY: &str = "test-secret-key";
const URL_LIFE: Duration = Duration::from_hours(1);

/// An S3 storage that can be stopped and started again.
#[derive(Debug)]
pub struct Store {
    running: Mutex<Option<Storage>>,
    options: StorageOptions,
    objects: Objects,
}

/// What is in a storage, seen by whoever has its credentials.
#[derive(Debug)]
pub struct Objects {
    url: String,
    client: Client,
}

impl Deref for Store {
    type Target = Objects;

    fn deref(&self) -> &Objects {
        &self.objects
    }
}

impl Store {
    pub(crate) fn start(directory: &Path) -> Self {
        let bucket = |name: &str, public| BucketOptions { name: name.to_owned(), public };
        let options = StorageOptions {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            directory: directory.to_owned(),
            access_key: ACCESS_KEY.to_owned(),
            secret_key: SECRET_KEY.to_owned(),
            buckets: vec![
                bucket(PUBLIC_BUCKET, true),
                bucket(PRIVATE_BUCKET, false),
                bucket(CDN_BUCKET, true),
            ],
            limits: Limits::default(),
        };
        let storage = runtime().block_on(Storage::start(options)).expect("a storage that starts");
        let (options, objects) = (storage.options().clone(), Objects::at(storage.url()));
        Self { running: Mutex::new(Some(storage)), options, objects }
    }

    /// The variables that tell a service about the storage.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("s3_api_endpoint", self.url.clone()),
            ("s3_public_url", format!("{}/{PUBLIC_BUCKET}", self.url)),
            ("s3_region", REGION.to_owned()),
            ("s3_access_key", ACCESS_KEY.to_owned()),
            ("s3_secret_key", SECRET_KEY.to_owned()),
        ]
    }

    fn running(&self) -> MutexGuard<'_, Option<Storage>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on nobody answers.
    pub fn stop(&self) {
        if let Some(storage) = self.running().take() {
            runtime().block_on(storage.stop(Duration::from_secs(5)));
        }
    }

    /// Brings a stopped storage back, with what it held, where it was.
    pub fn start_again(&self) {
        let storage =
            runtime().block_on(Storage::start(self.options.clone())).expect("a storage that starts again");
        *self.running() = Some(storage);
    }
}

impl Objects {
    /// Those of the storage that listens there, with the credentials of the tests.
    pub(crate) fn at(url: &str) -> Self {
        Self { url: url.to_owned(), client: Client::new("") }
    }

    /// Its base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Access key and secret key.
    pub fn credentials(&self) -> (&'static str, &'static str) {
        (ACCESS_KEY, SECRET_KEY)
    }

    fn bucket(&self, name: &str) -> Bucket {
        let endpoint = self.url.parse().expect("a URL");
        Bucket::new(endpoint, UrlStyle::Path, name.to_owned(), REGION).expect("a bucket")
    }

    fn credentials_for_signing() -> Credentials {
        Credentials::new(ACCESS_KEY, SECRET_KEY)
    }

    /// What is stored under a key; `None` when nothing is.
    pub fn object(&self, bucket: &str, key: &str) -> Option<Vec<u8>> {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).get_object(Some(&credentials), key).sign(URL_LIFE);
        let answer = self.client.get(url.as_str()).send();
        match answer.status {
            404 => None,
            _ => Some(answer.expect(200).body),
        }
    }

    /// Whether something is stored under a key, and how many bytes it has.
    pub fn size(&self, bucket: &str, key: &str) -> Option<u64> {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).head_object(Some(&credentials), key).sign(URL_LIFE);
        let answer = self.client.head(url.as_str()).send();
        match answer.status {
            404 => None,
            _ => answer.expect(200).header("content-length").parse().ok(),
        }
    }

    /// The keys that begin with `prefix`, in order.
    pub fn keys(&self, bucket: &str, prefix: &str) -> Vec<String> {
        let credentials = Self::credentials_for_signing();
        let bucket = self.bucket(bucket);
        let mut action = bucket.list_objects_v2(Some(&credentials));
        action.with_prefix(prefix.to_owned());
        let answer: Answer = self.client.get(action.sign(URL_LIFE).as_str()).send().expect(200);
        let list = rusty_s3::actions::ListObjectsV2::parse_response(&answer.text()).expect("a list");
        list.contents.into_iter().map(|entry| decode(&entry.key)).collect()
    }

    /// Begins an upload in parts behind the service's back.
    pub fn begin_in_parts(&self, bucket: &str, key: &str) {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).create_multipart_upload(Some(&credentials), key).sign(URL_LIFE);
        let _ = self.client.post(url.as_str()).send().expect(200);
    }

    /// The keys that uploads in parts were begun for and that have none yet, in order.
    pub fn open_uploads(&self, bucket: &str) -> Vec<String> {
        let bucket = self.bucket(bucket);
        let (now, no_headers) = (jiff::Timestamp::now(), std::iter::empty::<(&str, &str)>());
        let url = bucket.base_url().clone();
        let query = [("uploads", "")].into_iter();
        let life = URL_LIFE.as_secs();
        let (method, region) = (rusty_s3::Method::Get, bucket.region());
        let url = rusty_s3::signing::sign(
            &now, method, url, ACCESS_KEY, SECRET_KEY, None, region, life, query, no_headers,
        );
        let list = self.client.get(url.as_str()).send().expect(200).text();
        assert!(!list.contains("<IsTruncated>true"), "more than one page");
        let keys = list.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
        keys.map(|(key, _)| key.to_owned()).collect()
    }

    /// Deletes an object behind the service's back.
    pub fn remove(&self, bucket: &str, key: &str) {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).delete_object(Some(&credentials), key).sign(URL_LIFE);
        let _ = self.client.delete(url.as_str()).send().expect(204);
    }

    /// Writes an object behind the service's back.
    pub fn write(&self, bucket: &str, key: &str, bytes: &[u8]) {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).put_object(Some(&credentials), key).sign(URL_LIFE);
        let _ = self.client.put(url.as_str(), bytes).send().expect(200);
    }
}

/// The library asks for URL-encoded keys.
fn decode(key: &str) -> String {
    percent_encoding::percent_decode_str(key).decode_utf8_lossy().into_owned()
}
