//! Metadata with its signatures.

use crate::canonical::{canonical, stored};
use crate::error::Fault;
use crate::field_reader::FieldReader;
use crate::json::Json;
use crate::role::Role;
use crate::role_keys::Signers;
use crate::signature::{read_signatures, signatures_json};
use crate::{PublicKey, Signature, SigningKey, TrustError};

/// Metadata of one role and the signatures over it
/// ([TUF 1.0, section 4.2](https://theupdateframework.github.io/specification/latest/#metaformat)). Reading
/// is so strict that writing the value again gives exactly the text that was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed<R> {
    role: R,
    signatures: Vec<Signature>,
}

/// Whether enough keys have signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signing {
    /// All thresholds are reached.
    Complete,
    /// At least one required signer has signed, and further signatures are missing.
    Pending,
    /// None of the required signers has signed.
    Unsigned,
}

impl<R: Role> Signed<R> {
    /// Metadata without signatures.
    pub const fn unsigned(role: R) -> Self {
        Self { role, signatures: Vec::new() }
    }

    /// Reads a file. Does not verify signatures.
    pub fn read(bytes: &[u8]) -> Result<Self, TrustError> {
        if bytes.len() > R::MAX_BYTES {
            return Err(TrustError::TooLarge);
        }
        Self::from_json(Json::parse(bytes)?).map_err(|fault| match fault {
            Fault::Wrong(what) => R::error(what),
            Fault::TooLarge => TrustError::TooLarge,
        })
    }

    fn from_json(json: Json) -> Result<Self, Fault> {
        let mut envelope = FieldReader::of(json, "signed")?;
        let role = R::read(envelope.object("signed")?)?;
        let signatures = read_signatures(envelope.list("signatures")?)?;
        envelope.done()?;
        Ok(Self { role, signatures })
    }

    /// The file: JSON with sorted keys and without white space.
    pub fn to_bytes(&self) -> Result<Vec<u8>, TrustError> {
        let json = Json::object([
            ("signed", self.role.to_json()),
            ("signatures", signatures_json(&self.signatures)),
        ]);
        let bytes = stored(&json)?;
        if bytes.len() > R::MAX_BYTES { Err(TrustError::TooLarge) } else { Ok(bytes) }
    }

    pub const fn role(&self) -> &R {
        &self.role
    }

    /// The role without its signatures.
    pub fn into_role(self) -> R {
        self.role
    }

    /// The signatures, each by a different key.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// The bytes that the signatures cover.
    pub fn canonical(&self) -> Result<Vec<u8>, TrustError> {
        canonical(&self.role.to_json())
    }

    /// Adds a signature. Replaces one by the same key.
    pub fn add(&mut self, signature: Signature) {
        self.signatures.retain(|other| other.keyid() != signature.keyid());
        self.signatures.push(signature);
    }

    /// Signs with each of `keys`.
    pub fn sign<'a>(&mut self, keys: impl IntoIterator<Item = &'a SigningKey>) -> Result<(), TrustError> {
        let message = self.canonical()?;
        keys.into_iter().for_each(|key| self.add(key.sign(&message)));
        Ok(())
    }

    /// Whether `signers` have signed it, as clients decide: they ignore other signatures.
    pub fn is_signed_by(&self, signers: Signers<'_>) -> Result<bool, TrustError> {
        let message = self.canonical()?;
        let valid = self.signatures.iter().filter_map(|signature| {
            signers.key(signature.keyid()).filter(|key| key.verifies(&message, signature.bytes()))
        });
        Ok(signers.are_enough(&valid.collect::<Vec<_>>()))
    }

    /// How far `required` have signed it, by the service's rule for metadata that users send: every signature
    /// must verify, and must be by a key of `required` or `additional`.
    pub fn check(&self, required: &[Signers<'_>], additional: &[Signers<'_>]) -> Result<Signing, TrustError> {
        let message = self.canonical()?;
        let key = |signature: &Signature| {
            let key = required.iter().chain(additional).find_map(|signers| signers.key(signature.keyid()))?;
            key.verifies(&message, signature.bytes()).then_some(key)
        };
        let keys: Option<Vec<_>> = self.signatures.iter().map(key).collect();
        let keys = keys.ok_or(TrustError::Signature)?;
        let is_required = |key: &&PublicKey| required.iter().any(|signers| signers.key(key.id()).is_some());
        Ok(if required.iter().all(|signers| signers.are_enough(&keys)) {
            Signing::Complete
        } else if keys.iter().any(is_required) {
            Signing::Pending
        } else {
            Signing::Unsigned
        })
    }
}

#[cfg(test)]
mod tests;
