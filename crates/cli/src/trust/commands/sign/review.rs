//! Checks a proposal before it is shown and signed.

use spindrift_api::SignedFile;
use spindrift_core::Timestamp;
use spindrift_trust::{KeyId, Role, RoleName, RootRole, Signature, Signed, Signers, TargetsRole};

use crate::error::CliError;
use crate::output::Output;
use crate::trust::ask::agree;
use crate::trust::calls::read_file;
use crate::trust::key_ring::KeyRing;
use crate::trust::plan::{
    Difference, ListRules, Naming, RevokedFiles, check_list, check_next_root, list_difference,
    root_difference,
};
use spindrift_trust::RepositoryName;

/// The verified state on which a proposal is based.
#[derive(Debug)]
pub(super) struct Review<'a> {
    pub(super) output: Output,
    pub(super) yes: bool,
    pub(super) repository: &'a RepositoryName,
    pub(super) naming: &'a Naming,
    pub(super) revoked: &'a RevokedFiles,
    pub(super) now: Timestamp,
}

#[derive(Debug)]
pub(super) struct ReviewedProposal {
    pub(super) role: RoleName,
    pub(super) version: u64,
    pub(super) difference: Difference,
    /// New signatures. Empty if no key of the role is available, or all have signed already.
    pub(super) signatures: Vec<Signature>,
}

impl Review<'_> {
    /// Reviews and signs a root that follows `current`, or is the first.
    pub(super) fn root(
        &self,
        file: &SignedFile,
        current: Option<&RootRole>,
        key_ring: &mut KeyRing,
    ) -> Result<ReviewedProposal, CliError> {
        let proposed: Signed<RootRole> = read_file("the proposed root", file)?;
        check_next_root(proposed.role(), current, self.now)?;
        let difference = root_difference(current, proposed.role());
        let signers: Vec<Signers<'_>> =
            [Some(proposed.role()), current].into_iter().flatten().map(RootRole::root).collect();
        self.sign(&RoleName::Root, &proposed, difference, &signers, key_ring)
    }

    /// Reviews and signs a list that follows `current`.
    pub(super) fn list(
        &self,
        role: &RoleName,
        file: &SignedFile,
        current: Option<&TargetsRole>,
        signers: Signers<'_>,
        key_ring: &mut KeyRing,
    ) -> Result<ReviewedProposal, CliError> {
        let proposed: Signed<TargetsRole> = read_file("the proposed list", file)?;
        let channel = match role {
            RoleName::Channel(channel) => Some(channel),
            _ => None,
        };
        let rules = ListRules {
            repository: self.repository,
            naming: self.naming,
            revoked: self.revoked,
            channel,
            current,
            now: self.now,
        };
        check_list(proposed.role(), &rules)?;
        let difference = list_difference(current, proposed.role());
        self.sign(role, &proposed, difference, &[signers], key_ring)
    }

    fn sign<R: Role + Clone>(
        &self,
        role: &RoleName,
        proposed: &Signed<R>,
        difference: Difference,
        signers: &[Signers<'_>],
        key_ring: &mut KeyRing,
    ) -> Result<ReviewedProposal, CliError> {
        let version = proposed.role().head().version.number();
        let reviewed =
            |difference, signatures| ReviewedProposal { role: role.clone(), version, difference, signatures };
        let mut has_key = false;
        for signers in signers {
            has_key |= key_ring.has_one_of(*signers)?;
        }
        if !has_key {
            return Ok(reviewed(difference, Vec::new()));
        }
        let shown = format!("{role} {version} is to be signed:\n{}", difference.as_text());
        agree(self.output, &shown, self.yes)?;
        let mut signed = Signed::unsigned(proposed.role().clone());
        let used = key_ring.sign(&mut signed, signers, &[])?;
        let has_signed = |id: &KeyId| proposed.signatures().iter().any(|there| there.keyid() == id);
        let new =
            signed.signatures().iter().filter(|new| used.contains(new.keyid()) && !has_signed(new.keyid()));
        Ok(reviewed(difference, new.cloned().collect()))
    }
}
