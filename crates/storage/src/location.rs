//! The location of an object.

use crate::ObjectKey;

/// One of the three buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BucketKind {
    /// Artifacts of public applications, readable by everyone (`s3_bucket`).
    Public,
    /// Artifacts of private applications and staged uploads (`s3_bucket_private`).
    Private,
    /// Static answers for a CDN (`s3_bucket_cdn`).
    Cdn,
}

/// An object's bucket and key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location {
    pub bucket: BucketKind,
    /// The key in the bucket.
    pub key: ObjectKey,
}

impl Location {
    /// The object `key` in `bucket`.
    pub const fn new(bucket: BucketKind, key: ObjectKey) -> Self {
        Self { bucket, key }
    }
}
