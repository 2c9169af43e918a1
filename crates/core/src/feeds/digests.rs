//! Digests that a feed lists for its files. Clients reject files that do not match, so the digests
//! are compared with the bytes before a release is recorded.

/// The digests of one file, in lower-case hexadecimal. `None`: the feed does not list that kind.
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

impl FeedDigests {
    /// Whether `digest` is one of these.
    pub fn has(&self, digest: &str) -> bool {
        [&self.sha1, &self.sha256, &self.sha512].into_iter().flatten().any(|own| own == digest)
    }
}
