//! Root: the keys of all roles.

use crate::error::{Fault, FaultText};
use crate::field_reader::FieldReader;
use crate::json::Json;
use crate::key::{keys_json, read_keys};
use crate::role::Role;
use crate::role_keys::{NewSigners, RoleKeys, Signers};
use crate::{Head, KeyId, PublicKey, PublicKeys, TrustError};

const TYPE: &str = "root";

/// Largest root, in bytes. Clients read 512,000; 48 keys take less than a tenth of this limit.
const MAX_BYTES: usize = 64 * 1024;

/// Root metadata
/// ([TUF 1.0, section 4.3](https://theupdateframework.github.io/specification/latest/#file-formats-root)) of
/// the four top-level roles, with consistent snapshots. Snapshot and timestamp share one key. Every key id
/// that a role names has a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRole {
    head: Head,
    keys: PublicKeys,
    root: RoleKeys,
    targets: RoleKeys,
    online: KeyId,
}

impl RootRole {
    /// `None` if keys cannot reach their threshold, if there are too many, or if a key appears twice.
    pub fn new(head: Head, root: NewSigners, targets: NewSigners, online: PublicKey) -> Option<Self> {
        let (root_keys, targets_keys) = (root.role_keys()?, targets.role_keys()?);
        let online_id = online.id().clone();
        let keys = root.keys.into_iter().chain(targets.keys).chain([online]);
        let keys = keys.map(|key| (key.id().clone(), key)).collect();
        Some(Self { head, keys, root: root_keys, targets: targets_keys, online: online_id })
    }

    pub fn root(&self) -> Signers<'_> {
        Signers::of(&self.keys, &self.root)
    }

    pub fn targets(&self) -> Signers<'_> {
        Signers::of(&self.keys, &self.targets)
    }

    /// The signer of snapshot and timestamp.
    pub const fn online(&self) -> Signers<'_> {
        Signers::one(&self.keys, &self.online)
    }
}

impl Role for RootRole {
    const MAX_BYTES: usize = MAX_BYTES;

    fn error(what: FaultText) -> TrustError {
        TrustError::Root(what)
    }

    fn read(mut fields: FieldReader) -> Result<Self, Fault> {
        let head = Head::read(&mut fields, TYPE)?;
        fields.require("consistent_snapshot", &Json::Flag(true))?;
        let keys = read_keys(fields.object("keys")?)?;
        let mut roles = fields.object("roles")?;
        let mut role = |name| {
            let mut fields = roles.object(name)?;
            let role = RoleKeys::read(&mut fields, &keys)?;
            fields.done().map(|()| role)
        };
        let (root, targets) = (role("root")?, role("targets")?);
        let (snapshot, timestamp) = (role("snapshot")?, role("timestamp")?);
        roles.done()?;
        fields.done()?;
        let online = snapshot.only_key().filter(|_| snapshot == timestamp).cloned();
        let online = online.ok_or("snapshot and timestamp must have one key, the same")?;
        Ok(Self { head, keys, root, targets, online })
    }

    fn to_json(&self) -> Json {
        let online = RoleKeys::only(self.online.clone());
        let role = |keys: &RoleKeys| Json::object(keys.fields());
        let roles = Json::object([
            ("root", role(&self.root)),
            ("targets", role(&self.targets)),
            ("snapshot", role(&online)),
            ("timestamp", role(&online)),
        ]);
        let rest =
            [("consistent_snapshot", Json::Flag(true)), ("keys", keys_json(&self.keys)), ("roles", roles)];
        self.head.with(TYPE, rest)
    }

    fn head(&self) -> &Head {
        &self.head
    }
}

#[cfg(test)]
mod tests;
