//! The terms of a publication: what it depends on besides its files.

use spindrift_core::{BasisPoints, Id};

use crate::requests::principal::Principal;

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

/// The caller, and what the call changes besides adding files.
#[derive(Debug, Clone, Copy)]
pub struct PublishTerms<'a> {
    /// The publisher. The permission is checked again when the keys are claimed, and when the release is
    /// recorded.
    pub principal: &'a Principal,
    pub digests: DigestSource,
    /// Artifacts of the release that this change deletes.
    pub pending_removal: &'a [Id],
    /// The rollout that this change sets for the release.
    pub rollout: Option<BasisPoints>,
}

impl<'a> PublishTerms<'a> {
    /// The usual terms for this caller.
    pub fn by(principal: &'a Principal) -> Self {
        Self { principal, digests: DigestSource::default(), pending_removal: &[], rollout: None }
    }
}
