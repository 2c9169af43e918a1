//! The object storage.

use super::readers::{LINKING_OR_STORING, STORING};
use crate::StorageDriver;

/// What a bucket may be called: S3's rules, without forbidding the capitals and underscores of older buckets.
const BUCKET_NAME: &str = "3 to 63 of letters, digits, `.`, `_`, `-`";
/// What a call says that needs a key and has none.
const NO_KEY: &str = "calls that need the storage are a 503";

rows! {
    /// `s3`: a storage that uploaders and browsers reach too. `s3_internal`: only the service reaches it, so no upload
    /// address can be made (`POST /upload/init` is a 501, `POST /upload` is used instead) and files of private
    /// applications are downloaded through it.
    STORAGE_DRIVER: StorageDriver {
        name: "storage_driver", default: "s3", range: (), readers: STORING,
    }
    /// The storage as the service reaches it. Also what components may connect to, so it must not be empty.
    S3_API_ENDPOINT: String {
        name: "s3_api_endpoint", default: "http://127.0.0.1:9000", range: "http or https address",
        readers: STORING,
    }
    /// The same storage as uploaders and browsers reach it. Signed addresses begin with it.
    S3_PRESIGN_ENDPOINT: String {
        name: "s3_presign_endpoint", default: "", range: "http or https address", readers: STORING,
        when_empty: "`s3_api_endpoint`",
    }
    /// What links of public files begin with; the key follows. May be a CDN in front of the public bucket.
    S3_PUBLIC_URL: String {
        name: "s3_public_url", default: "http://127.0.0.1:9000/spindrift-public",
        range: "http or https address without a query", readers: LINKING_OR_STORING,
    }
    /// Region in signatures. The default is what S3-compatible servers take when they know no regions; an empty value
    /// is the default.
    S3_REGION: String {
        name: "s3_region", default: "us-east-1", range: "letters, digits, `_`, `-`", readers: STORING,
    }
    /// Access key.
    S3_ACCESS_KEY: String {
        name: "s3_access_key", default: "", range: "any text", readers: STORING, secret: true,
        when_empty: NO_KEY,
    }
    /// Secret key.
    S3_SECRET_KEY: String {
        name: "s3_secret_key", default: "", range: "any text", readers: STORING, secret: true,
        when_empty: NO_KEY,
    }
    /// Bucket of public applications' files and of logos.
    S3_BUCKET: String {
        name: "s3_bucket", default: "spindrift-public", range: BUCKET_NAME, readers: STORING,
    }
    /// Bucket of private applications' files and of everything not completed yet.
    S3_BUCKET_PRIVATE: String {
        name: "s3_bucket_private", default: "spindrift-private", range: BUCKET_NAME, readers: STORING,
    }
    /// Bucket for the static answers of applications with `cdn` on, see [checks](api/checks.md).
    S3_BUCKET_CDN: String {
        name: "s3_bucket_cdn", default: "spindrift-cdn", range: BUCKET_NAME, readers: STORING,
    }
    /// `true`: the bucket is in the path. `false`: it is the first part of the host name, which `allowed_outbound_hosts`
    /// in `spin.toml` must then allow.
    S3_PATH_STYLE: bool {
        name: "s3_path_style", default: "true", range: (), readers: STORING,
    }
}
