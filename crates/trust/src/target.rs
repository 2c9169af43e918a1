//! One target: a file that clients may install.

use std::fmt;
use std::str::FromStr;

use spindrift_core::{
    AppName, ArchName, ChannelName, Package, PlatformName, Sha256Hex, Sha512Hex, UserName, Version,
};

use crate::error::Fault;
use crate::field_reader::{FieldReader, exact};
use crate::json::{Json, NUMBERS_BELOW};

/// The name of a repository, `{owner}/{app}`: the names that the owner and the application had when it was
/// started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepositoryName {
    pub owner: UserName,
    pub app: AppName,
}

/// A text that does not name a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid repository")]
pub struct InvalidRepositoryName;

impl FromStr for RepositoryName {
    type Err = InvalidRepositoryName;

    fn from_str(text: &str) -> Result<Self, InvalidRepositoryName> {
        let (owner, app) = text.split_once('/').ok_or(InvalidRepositoryName)?;
        let name = exact(owner).zip(exact(app)).map(|(owner, app)| Self { owner, app });
        name.ok_or(InvalidRepositoryName)
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.app)
    }
}

/// The field `custom` of a target. A dimension that is `None` is not used, and its field is absent. All parts
/// have limits, so that the whole stays below 1 KiB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetCustom {
    /// The repository, so that the list of one application does not pass as that of another with the same
    /// signers.
    pub repository: RepositoryName,
    pub version: Version,
    pub channel: Option<ChannelName>,
    pub platform: Option<PlatformName>,
    pub arch: Option<ArchName>,
    pub package: Package,
}

/// A file: its length, both digests, and its description in `custom`
/// ([TUF 1.0, section 4.5](https://theupdateframework.github.io/specification/latest/#file-formats-targets)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetFile {
    /// In bytes, below 2^53.
    length: u64,
    sha256: Sha256Hex,
    sha512: Sha512Hex,
    custom: TargetCustom,
}

impl TargetFile {
    /// `None` if the length is too large for a number in metadata.
    pub fn new(length: u64, sha256: Sha256Hex, sha512: Sha512Hex, custom: TargetCustom) -> Option<Self> {
        (length < NUMBERS_BELOW).then_some(Self { length, sha256, sha512, custom })
    }

    /// In bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// SHA-256 of the bytes.
    pub const fn sha256(&self) -> &Sha256Hex {
        &self.sha256
    }

    /// SHA-512 of the bytes.
    pub const fn sha512(&self) -> &Sha512Hex {
        &self.sha512
    }

    /// Whether both digests equal those of the other file.
    pub fn has_digests_of(&self, other: &Self) -> bool {
        self.sha256 == other.sha256 && self.sha512 == other.sha512
    }

    pub const fn custom(&self) -> &TargetCustom {
        &self.custom
    }

    pub(crate) fn read(json: Json) -> Result<Self, Fault> {
        let mut fields = FieldReader::of(json, "targets")?;
        let length = fields.number("length")?;
        let mut hashes = fields.object("hashes")?;
        let (sha256, sha512) = (hashes.text("sha256")?, hashes.text("sha512")?);
        hashes.done()?;
        let custom = TargetCustom::read(fields.object("custom")?)?;
        fields.done()?;
        Ok(Self { length, sha256, sha512, custom })
    }

    pub(crate) fn to_json(&self) -> Json {
        let hashes = [("sha256", Json::text(&self.sha256)), ("sha512", Json::text(&self.sha512))];
        Json::object([
            ("length", Json::Number(self.length)),
            ("hashes", Json::object(hashes)),
            ("custom", self.custom.to_json()),
        ])
    }
}

impl TargetCustom {
    fn read(mut fields: FieldReader) -> Result<Self, Fault> {
        let custom = Self {
            repository: fields.text("repository")?,
            version: fields.text("version")?,
            channel: fields.optional_text("channel")?,
            platform: fields.optional_text("platform")?,
            arch: fields.optional_text("arch")?,
            package: fields.text("package")?,
        };
        fields.done().map(|()| custom)
    }

    fn to_json(&self) -> Json {
        let used = [
            ("channel", self.channel.as_ref().map(Json::text)),
            ("platform", self.platform.as_ref().map(Json::text)),
            ("arch", self.arch.as_ref().map(Json::text)),
        ];
        let always = [
            ("repository", Json::text(&self.repository)),
            ("version", Json::text(&self.version)),
            ("package", Json::text(&self.package)),
        ];
        Json::object(
            always.into_iter().chain(used.into_iter().filter_map(|(name, text)| Some((name, text?)))),
        )
    }
}

#[cfg(test)]
mod tests;
