//! S3: object keys, signing, requests and answers, without IO.
//!
//! Everything except [`Storage`] is a pure function: it builds [`http::Request`](::http::Request) values, or
//! reads the status, headers and body of answers. [`Storage`] is the thin asynchronous layer that sends the
//! requests through an [`HttpSend`].

mod answer;
mod authorize;
mod body;
mod config;
mod content_md5;
mod digest;
mod draft;
mod error;
mod http;
mod list;
mod location;
mod meta;
mod multipart;
mod object_key;
mod open_uploads;
mod parts;
mod presign;
mod public_base;
mod request;
mod secret;
mod storage;
mod xml;

pub use body::collect_while;
pub use spindrift_settings::StorageDriver;

pub use self::config::{DEFAULT_TIME_OUT, StorageConfig};
pub use self::digest::{Algorithm, Digester, FileDigests};
pub use self::error::StorageError;
pub use self::http::{ByteStream, HttpSend, SendError};
pub use self::list::{ListPage, ListedObject, MAX_LIST_PAGE};
pub use self::location::{BucketKind, Location};
pub use self::meta::ObjectMeta;
pub use self::multipart::{MAX_PARTS, MIN_PART_SIZE, Multipart, PartNumber, UploadId, UploadedPart};
pub use self::object_key::{InvalidObjectKey, MAX_KEY_LENGTH, ObjectKey};
pub use self::open_uploads::{OpenUpload, OpenUploadsMarker, OpenUploadsPage};
pub use self::parts::StoredPart;
pub use self::presign::{MAX_PRESIGN_TTL, PresignedPut, PutTerms};
pub use self::public_base::PublicBase;
pub use self::request::PutOptions;
pub use self::secret::Secret;
pub use self::storage::{LONGEST_COPY, LONGEST_WRITE, SLOW_TIME_OUT, Storage, WRITE_TIME_OUT};
