//! Targets: the files that clients may install.

use std::collections::BTreeMap;

use crate::delegation::Delegations;
use crate::error::{Fault, FaultText};
use crate::field_reader::{FieldReader, exact};
use crate::json::Json;
use crate::role::Role;
use crate::target::TargetFile;
use crate::{Head, TargetName, TrustError};

const TYPE: &str = "targets";

/// Largest file, in bytes: some clients read at most 5,000,000.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of targets of one role. Each takes 420 bytes.
const MAX_TARGETS: usize = 8000;

/// Files by their names in a list.
pub type TargetFiles = BTreeMap<TargetName, TargetFile>;

/// Targets metadata
/// ([TUF 1.0, section 4.5](https://theupdateframework.github.io/specification/latest/#file-formats-targets))
/// of the role `targets`, or of a channel's role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetsRole {
    head: Head,
    targets: TargetFiles,
    delegations: Option<Delegations>,
}

impl TargetsRole {
    /// A list of files. Omits the field for delegations if no channel has signers of its own.
    pub fn new(
        head: Head,
        targets: TargetFiles,
        delegations: Option<Delegations>,
    ) -> Result<Self, TrustError> {
        if targets.len() > MAX_TARGETS {
            Err(TrustError::TooLarge)
        } else {
            Ok(Self { head, targets, delegations })
        }
    }

    pub const fn targets(&self) -> &TargetFiles {
        &self.targets
    }

    /// The files by their names, without the rest of the metadata.
    pub fn into_targets(self) -> TargetFiles {
        self.targets
    }

    /// The channels with signers of their own.
    pub const fn delegations(&self) -> Option<&Delegations> {
        self.delegations.as_ref()
    }
}

impl Role for TargetsRole {
    const MAX_BYTES: usize = MAX_BYTES;

    fn error(what: FaultText) -> TrustError {
        TrustError::Targets(what)
    }

    fn read(mut fields: FieldReader) -> Result<Self, Fault> {
        let head = Head::read(&mut fields, TYPE)?;
        let delegations = fields.optional("delegations");
        let delegations =
            delegations.map(|json| Delegations::read(FieldReader::of(json, "delegations")?)).transpose()?;
        let target = |(name, file): (String, Json)| match exact(&name) {
            Some(name) => Ok((name, TargetFile::read(file)?)),
            None => Err(Fault::from("a target's name")),
        };
        let targets =
            fields.object("targets")?.into_iter().map(target).collect::<Result<BTreeMap<_, _>, _>>()?;
        fields.done()?;
        if targets.len() > MAX_TARGETS {
            Err(Fault::TooLarge)
        } else {
            Ok(Self { head, targets, delegations })
        }
    }

    fn to_json(&self) -> Json {
        let file = |(name, file): (&TargetName, &TargetFile)| (name.to_string(), file.to_json());
        let targets = Json::Object(self.targets.iter().map(file).collect());
        let delegations = self.delegations.as_ref().map(|delegations| ("delegations", delegations.to_json()));
        self.head.with(TYPE, delegations.into_iter().chain([("targets", targets)]))
    }

    fn head(&self) -> &Head {
        &self.head
    }
}

#[cfg(test)]
mod tests;
