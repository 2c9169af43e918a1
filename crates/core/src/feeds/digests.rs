//! Digests that a feed gives of its files: clients refuse what does not match, so they are compared with the bytes
//! before a release is recorded.

/// The digests of one file, in lower-case hex; `None`: the feed gives none of the kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedDigests {
    /// The file.
    pub file_name: String,
    /// SHA-1.
    pub sha1: Option<String>,
    /// SHA-256.
    pub sha256: Option<String>,
    /// SHA-512.
    pub sha512: Option<String>,
}
