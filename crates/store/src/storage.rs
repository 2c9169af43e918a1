//! An S3 object storage on local files.
//!
//! The crate `s3s` implements the protocol (signatures, XML, streaming). This module stores the objects: an
//! index in `SQLite`, and one file for the bytes of each object. A write becomes visible in one transaction
//! after its bytes are complete and checked. So a reader sees either the old or the new object, even if the
//! process is killed in between. Acknowledged writes also survive a power failure: first the bytes are
//! synced, then the file names, then the transaction.
//!
//! The file backend of `s3s` is not used: it copies straight into the target file, keeps bytes and `ETag` in
//! two files, fails for long keys, and cannot store both `a` and `a/b`. Uploads depend on atomic changes.

mod access;
mod attributes;
pub(crate) mod backup;
mod blobs;
mod conditions;
mod cors;
mod index;
mod listing;
mod multipart;
mod objects;
mod random;
mod ranges;
mod receive;
mod write_back;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use http::{HeaderValue, header};
use hyper::service::service_fn;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use spindrift_http::{ConnectionLimits, Listener, RequestBody, Tasks, serve};

use self::cors::Origins;
use crate::error::StoreError;

/// Tells browsers to trust the declared type of a file instead of guessing one.
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Keeps caches from storing errors: the object may exist a moment later.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// A bucket that is created at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Follows S3's rules: 3 to 63 of `[a-z0-9.-]`.
    pub name: String,
    /// Whether anyone may read its objects. Listing and changing them always needs a signature.
    pub public: bool,
}

/// Options of a [`Storage`].
#[derive(Clone)]
pub struct StorageOptions {
    /// Address to listen on; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Folder for the objects. Created if missing.
    pub directory: PathBuf,
    /// The access key of the service.
    pub access_key: String,
    pub secret_key: String,
    /// Further access keys that are accepted, with their secret keys, for example during a change of keys.
    pub other_keys: Vec<(String, String)>,
    /// Buckets to create.
    pub buckets: Vec<Bucket>,
    /// Origins whose pages may send and read files here, such as `https://console.example`; `*` allows any. A
    /// page needs a presigned URL wherever other clients do.
    pub origins: Vec<String>,
    pub limits: ConnectionLimits,
}

impl std::fmt::Debug for StorageOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StorageOptions")
            .field("listen", &self.listen)
            .field("directory", &self.directory)
            .field("buckets", &self.buckets)
            .finish_non_exhaustive()
    }
}

/// A running storage. Dropping it ends it at once.
#[derive(Debug)]
pub struct Storage {
    url: String,
    options: StorageOptions,
    tasks: Tasks,
}

impl Storage {
    /// Opens the folder, creates the buckets, and starts to serve. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// Unusable addresses, folders or bucket names.
    pub async fn start(options: StorageOptions) -> Result<Self, StoreError> {
        let listener = Listener::bind(options.listen).await?;
        Self::start_at(listener, options)
    }

    /// Like [`Storage::start`], at an address that is already bound instead of [`StorageOptions::listen`].
    ///
    /// # Errors
    /// Unusable folders or bucket names.
    pub fn start_at(listener: Listener, mut options: StorageOptions) -> Result<Self, StoreError> {
        let names: Vec<&str> = options.buckets.iter().map(|bucket| bucket.name.as_str()).collect();
        if let Some(name) = names.iter().find(|name| !s3s::path::check_bucket_name(name)) {
            return Err(StoreError::Options(format!("`{name}` is not a bucket name")));
        }
        let objects = objects::Objects::open(&options.directory, &names)?;
        options.listen = listener.address();
        let url = format!("http://{}", options.listen);

        let public = options.buckets.iter().filter(|bucket| bucket.public).map(|bucket| bucket.name.clone());
        let access = access::Access { public: public.collect() };
        let mut builder = S3ServiceBuilder::new(objects.clone());
        let mut keys = SimpleAuth::from_single(options.access_key.clone(), options.secret_key.clone());
        for (access_key, secret_key) in &options.other_keys {
            keys.register(access_key.clone(), secret_key.clone().into());
        }
        builder.set_auth(keys);
        builder.set_route(objects::ReadRoute { objects, access });
        let service = builder.build();
        let (tasks, limits) = (Tasks::default(), options.limits);
        let origins = Origins::new(&options.origins);
        serve(listener, &tasks, limits, move |_| {
            let (service, origins) = (service.clone(), origins.clone());
            service_fn(move |request: http::Request<hyper::body::Incoming>| {
                let service = service.clone();
                let asked = origins.of(request.method(), request.headers());
                let request = RequestBody::of(request, limits).map(s3s::Body::http_body_unsync);
                async move {
                    if asked.is_preflight {
                        return Ok(asked.preflight());
                    }
                    let mut answer = service.call(request).await;
                    if let Ok(answer) = &mut answer {
                        asked.mark(answer.headers_mut());
                        let is_error = answer.status().is_client_error() || answer.status().is_server_error();
                        let headers = answer.headers_mut();
                        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
                        if is_error {
                            headers.insert(header::CACHE_CONTROL, NO_STORE);
                        }
                    }
                    answer
                }
            })
        });
        Ok(Self { url, options, tasks })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The options, with the actual port. Starting again with these gives the same storage.
    pub fn options(&self) -> &StorageOptions {
        &self.options
    }

    /// Refuses new connections, waits for running requests up to `limit`, and ends the rest.
    pub async fn stop(self, limit: Duration) {
        self.tasks.stop(limit).await;
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.tasks.kill();
    }
}
