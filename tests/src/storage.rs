//! The object storage of a world, from outside.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, params};
use rusty_s3::{Bucket, Credentials, S3Action as _, UrlStyle};
use spindrift_core::BUCKET_MARKER;
use spindrift_http::ConnectionLimits;
use spindrift_store::{Bucket as BucketOptions, Storage, StorageOptions};

use crate::answer::Answer;
use crate::client::Client;
use crate::runtime::runtime;

pub const PUBLIC_BUCKET: &str = "spindrift-public";
/// Bucket of private and staged files.
pub const PRIVATE_BUCKET: &str = "spindrift-private";
/// Bucket of static answers.
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

/// The headers that are stored with the bytes of an object.
const COPIED: [&str; 3] = ["cache-control", "content-disposition", "content-type"];

/// An object outside of a storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectCopy {
    /// The headers that are stored with the bytes.
    pub headers: BTreeMap<String, String>,
    pub bytes: Vec<u8>,
}

/// The objects in a storage, accessed with its credentials.
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
            other_keys: Vec::new(),
            buckets: vec![
                bucket(PUBLIC_BUCKET, true),
                bucket(PRIVATE_BUCKET, false),
                bucket(CDN_BUCKET, true),
            ],
            // Worlds choose their ports later.
            origins: vec!["*".to_owned()],
            limits: ConnectionLimits::default(),
        };
        let storage = runtime().block_on(Storage::start(options)).expect("a storage that starts");
        let (options, objects) = (storage.options().clone(), Objects::at(storage.url()));
        Self { running: Mutex::new(Some(storage)), options, objects }
    }

    /// The settings that connect a service to the storage.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
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

    /// Stops the storage. Connections to it are refused from now on.
    pub fn stop(&self) {
        if let Some(storage) = self.running().take() {
            runtime().block_on(storage.stop(Duration::from_secs(5)));
        }
    }

    /// Starts a stopped storage again, with the same objects and address.
    pub fn start_again(&self) {
        self.start_with(self.options.clone());
    }

    /// Makes a second access key. The first works as well.
    pub fn make_key(&self, access_key: &str, secret_key: &str) {
        self.stop();
        let other_keys = vec![(access_key.to_owned(), secret_key.to_owned())];
        self.start_with(StorageOptions { other_keys, ..self.options.clone() });
    }

    /// Deletes all access keys but this one. The tests themselves have the first, and cannot read objects any
    /// more.
    pub fn keep_key(&self, access_key: &str, secret_key: &str) {
        self.stop();
        let (access_key, secret_key) = (access_key.to_owned(), secret_key.to_owned());
        self.start_with(StorageOptions { access_key, secret_key, ..self.options.clone() });
    }

    /// Makes everything in a bucket older by `seconds`: objects and open multipart uploads.
    pub fn age(&self, bucket: &str, seconds: i64) {
        let index = Connection::open(self.options.directory.join("index.db")).expect("the index");
        index.busy_timeout(Duration::from_secs(30)).expect("a time-out");
        for sql in [
            "UPDATE objects SET modified = modified - ?2 WHERE bucket = ?1",
            "UPDATE uploads SET initiated = initiated - ?2 WHERE bucket = ?1",
        ] {
            let _rows = index.execute(sql, params![bucket, seconds * 1000]).expect("an older bucket");
        }
    }

    fn start_with(&self, options: StorageOptions) {
        let storage = runtime().block_on(Storage::start(options)).expect("a storage that starts again");
        *self.running() = Some(storage);
    }
}

impl Objects {
    /// The objects of the storage at this URL, accessed with the credentials of the tests.
    pub(crate) fn at(url: &str) -> Self {
        Self { url: url.to_owned(), client: Client::new("") }
    }

    /// The base URL of the storage.
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

    /// The bytes of an object. `None`: the object does not exist.
    pub fn object(&self, bucket: &str, key: &str) -> Option<Vec<u8>> {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).get_object(Some(&credentials), key).sign(URL_LIFE);
        let answer = self.client.get(url.as_str()).send();
        match answer.status {
            404 => None,
            _ => Some(answer.expect(200).body),
        }
    }

    /// The size of an object in bytes. `None`: the object does not exist.
    pub fn size(&self, bucket: &str, key: &str) -> Option<u64> {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).head_object(Some(&credentials), key).sign(URL_LIFE);
        let answer = self.client.head(url.as_str()).send();
        match answer.status {
            404 => None,
            _ => answer.expect(200).header("content-length").parse().ok(),
        }
    }

    /// The keys that begin with `prefix`, sorted, without [`BUCKET_MARKER`].
    pub fn keys(&self, bucket: &str, prefix: &str) -> Vec<String> {
        let credentials = Self::credentials_for_signing();
        let bucket = self.bucket(bucket);
        let mut action = bucket.list_objects_v2(Some(&credentials));
        action.with_prefix(prefix.to_owned());
        let answer: Answer = self.client.get(action.sign(URL_LIFE).as_str()).send().expect(200);
        let list = rusty_s3::actions::ListObjectsV2::parse_response(&answer.text()).expect("a list");
        let keys = list.contents.into_iter().map(|entry| decode(&entry.key));
        keys.filter(|key| key != BUCKET_MARKER).collect()
    }

    /// Begins a multipart upload without the service.
    pub fn begin_in_parts(&self, bucket: &str, key: &str) {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).create_multipart_upload(Some(&credentials), key).sign(URL_LIFE);
        let _ = self.client.post(url.as_str()).send().expect(200);
    }

    /// The keys of open multipart uploads, sorted.
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

    /// Deletes an object without the service.
    pub fn remove(&self, bucket: &str, key: &str) {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).delete_object(Some(&credentials), key).sign(URL_LIFE);
        let _ = self.client.delete(url.as_str()).send().expect(204);
    }

    /// An object and the headers for browsers and caches. `None`: the object does not exist.
    pub fn copy_out(&self, bucket: &str, key: &str) -> Option<ObjectCopy> {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).get_object(Some(&credentials), key).sign(URL_LIFE);
        let answer = self.client.get(url.as_str()).send();
        if answer.status == 404 {
            return None;
        }
        let answer = answer.expect(200);
        let header = |name: &str| (name.to_owned(), answer.header(name).to_owned());
        let headers = COPIED.into_iter().map(header).filter(|(_, value)| !value.is_empty()).collect();
        Some(ObjectCopy { headers, bytes: answer.body })
    }

    /// Writes a copy of an object, as an S3 client does that keeps all headers.
    pub fn copy_in(&self, bucket: &str, key: &str, copy: &ObjectCopy) {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).put_object(Some(&credentials), key).sign(URL_LIFE);
        let call = self.client.put(url.as_str(), &copy.bytes);
        let call = copy.headers.iter().fold(call, |call, (name, value)| call.header(name, value));
        let _ = call.send().expect(200);
    }

    /// Writes an object without the service.
    pub fn write(&self, bucket: &str, key: &str, bytes: &[u8]) {
        let credentials = Self::credentials_for_signing();
        let url = self.bucket(bucket).put_object(Some(&credentials), key).sign(URL_LIFE);
        let _ = self.client.put(url.as_str(), bytes).send().expect(200);
    }
}

/// The S3 library requests URL-encoded keys.
fn decode(key: &str) -> String {
    percent_encoding::percent_decode_str(key).decode_utf8_lossy().into_owned()
}
