//! The terms of a publication: what it depends on besides its files.

use spindrift_core::{BasisPoints, Id};

/// Where the SHA-256 and SHA-512 of an upload come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DigestSource {
    /// The service computed them.
    #[default]
    Computed,
    /// The uploader declared them, and they are compared with the bytes: for applications with TUF.
    Compared,
    /// The uploader may have declared them, and they are not verified.
    Declared,
}

/// The changes of a publication besides adding files; by default none.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishTerms<'a> {
    pub digests: DigestSource,
    /// Artifacts of the release that this change deletes.
    pub pending_removal: &'a [Id],
    /// The rollout that this change sets for the release.
    pub rollout: Option<BasisPoints>,
}
