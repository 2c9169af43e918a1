//! The description of a file in snapshot and timestamp.

use base16ct::lower;
use sha2::{Digest, Sha256};
use spindrift_core::Sha256Hex;

use crate::error::Fault;
use crate::field_reader::FieldReader;
use crate::json::{Json, NUMBERS_BELOW};
use crate::{MetadataVersion, TrustError};

/// A file of metadata: its version, length and digest ([TUF 1.0, section 4.4]).
///
/// [TUF 1.0, section 4.4]: https://theupdateframework.github.io/specification/latest/#file-formats-snapshot
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMeta {
    version: MetadataVersion,
    /// In bytes.
    length: u64,
    sha256: Sha256Hex,
}

impl FileMeta {
    pub fn of(version: MetadataVersion, bytes: &[u8]) -> Result<Self, TrustError> {
        let fault = || TrustError::Internal("describe a file of metadata");
        let length =
            u64::try_from(bytes.len()).ok().filter(|length| *length < NUMBERS_BELOW).ok_or_else(fault)?;
        let sha256 = lower::encode_string(&Sha256::digest(bytes)).parse().map_err(|_| fault())?;
        Ok(Self { version, length, sha256 })
    }

    pub const fn version(&self) -> MetadataVersion {
        self.version
    }

    pub fn is_of(&self, bytes: &[u8]) -> bool {
        Self::of(self.version, bytes).is_ok_and(|other| other == *self)
    }

    pub(crate) fn read(json: Json) -> Result<Self, Fault> {
        let mut fields = FieldReader::of(json, "meta")?;
        let version = MetadataVersion::from_number(fields.number("version")?).ok_or("version")?;
        let length = fields.number("length")?;
        let mut hashes = fields.object("hashes")?;
        let sha256 = hashes.text("sha256")?;
        hashes.done()?;
        fields.done()?;
        Ok(Self { version, length, sha256 })
    }

    pub(crate) fn to_json(&self) -> Json {
        Json::object([
            ("version", Json::Number(self.version.number())),
            ("length", Json::Number(self.length)),
            ("hashes", Json::object([("sha256", Json::text(&self.sha256))])),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest is the output of `printf abc | sha256sum`.
    #[test]
    fn of_bytes() {
        let meta = FileMeta::of(MetadataVersion::FIRST, b"abc").unwrap();
        assert_eq!(meta.length, 3);
        assert_eq!(meta.sha256.as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(meta.is_of(b"abc"));
        assert!(!meta.is_of(b"abd"));
        assert_eq!(FileMeta::read(meta.to_json()), Ok(meta));
    }
}
