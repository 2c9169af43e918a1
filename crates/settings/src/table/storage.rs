//! Settings of the object storage.

use super::readers::{LINKING, STORING};
use crate::text::{ADDRESS, OPTIONAL_ADDRESS, is_bucket_name, is_region};
use crate::{StorageDriver, Text};

/// The accepted bucket names: S3's rules, but the capitals and underscores of older buckets are allowed.
const BUCKET_NAME: Text = Text::of("3 to 63 of letters, digits, `.`, `_`, `-`", is_bucket_name);
/// The effect of an empty key.
const NO_KEY: &str = "calls that need the storage are a 503";
/// Components that use the storage, and the console, whose pages send files to it.
const STORING_OR_SENDING: &[&str] = &[STORING, "console"];

rows! {
    /// `s3`: a storage that uploaders and browsers can reach too. `s3_internal`: only the service can reach it, so
    /// uploads cannot be presigned (`POST /upload/init` is a 501; use `POST /upload`), and files of private
    /// applications are downloaded through the service.
    STORAGE_DRIVER: StorageDriver {
        name: "storage_driver", default: "s3", range: (), readers: STORING_OR_SENDING,
    }
    /// URL of the storage for the service. Components may connect only to this URL, so it must not be empty.
    S3_API_ENDPOINT: String {
        name: "s3_api_endpoint", default: "http://127.0.0.1:9000", range: ADDRESS,
        readers: STORING_OR_SENDING,
    }
    /// URL of the same storage for uploaders and browsers. Presigned URLs begin with it.
    S3_PRESIGN_ENDPOINT: String {
        name: "s3_presign_endpoint", default: "", range: OPTIONAL_ADDRESS, readers: STORING_OR_SENDING,
        when_empty: "`s3_api_endpoint`",
    }
    /// Start of the links to public files; the key follows. It may point to a CDN in front of the public bucket.
    S3_PUBLIC_URL: String {
        name: "s3_public_url", default: "http://127.0.0.1:9000/spindrift-public",
        range: ADDRESS, readers: &[LINKING, STORING],
    }
    /// Region in signatures. S3-compatible servers without regions accept the default. An empty value means the
    /// default.
    S3_REGION: String {
        name: "s3_region", default: "us-east-1", range: Text::of("letters, digits, `_`, `-`", is_region), readers: &[STORING],
    }
    /// Access key.
    S3_ACCESS_KEY: String {
        name: "s3_access_key", default: "", range: Text::any("any text"), readers: &[STORING], secret: true,
        when_empty: NO_KEY, is_checked: false,
    }
    /// Secret key.
    S3_SECRET_KEY: String {
        name: "s3_secret_key", default: "", range: Text::any("any text"), readers: &[STORING], secret: true,
        when_empty: NO_KEY, is_checked: false,
    }
    /// Bucket for files of public applications and for logos.
    S3_BUCKET: String {
        name: "s3_bucket", default: "spindrift-public", range: BUCKET_NAME, readers: &[STORING],
    }
    /// Bucket for files of private applications and for all staged files.
    S3_BUCKET_PRIVATE: String {
        name: "s3_bucket_private", default: "spindrift-private", range: BUCKET_NAME, readers: STORING_OR_SENDING,
    }
    /// Bucket for the static answers of applications with `cdn` on; see [checks](api/checks.md).
    S3_BUCKET_CDN: String {
        name: "s3_bucket_cdn", default: "spindrift-cdn", range: BUCKET_NAME, readers: &[STORING],
    }
    /// `true`: the bucket is part of the path. `false`: it is the first part of the host name, and
    /// `allowed_outbound_hosts` in `spin.toml` must then allow that host.
    S3_PATH_STYLE: bool {
        name: "s3_path_style", default: "true", range: (), readers: STORING_OR_SENDING,
    }
}
