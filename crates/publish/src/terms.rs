//! What a publication depends on besides its files.

use spindrift_core::Id;
use spindrift_service::requests::principal::Principal;

/// Where the SHA-256 and SHA-512 of an upload come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DigestSource {
    /// The service computed them.
    #[default]
    Computed,
    /// The uploader declared them, and they are compared with the bytes: for applications with TUF.
    Compared,
    /// The uploader may have declared them, and nobody compares them.
    Declared,
}

/// Further terms of a publication.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Who publishes. The permission is asked again when the keys are claimed, and when the release is recorded.
    pub principal: &'a Principal,
    /// Where the digests come from.
    pub digests: DigestSource,
    /// Artifacts of the release that the same change deletes.
    pub leaving: &'a [Id],
    /// The rollout that the same change sets for the release, in percent.
    pub rollout: Option<u8>,
}

impl<'a> Terms<'a> {
    /// The terms of most publications by this caller.
    pub fn by(principal: &'a Principal) -> Self {
        Self { principal, digests: DigestSource::default(), leaving: &[], rollout: None }
    }
}
