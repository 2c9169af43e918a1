//! Signs through files, for a machine without a network. Staged metadata is the answer of `GET
//! /tuf/v1/metadata/sign`, and a signature is the body of `POST /tuf/v1/metadata/sign`, so other
//! programs can take part.

use std::path::Path;

use serde_json::Value;
use spindrift_api::{SignRequest, SignedFile, Staged, StagedBody};
use spindrift_trust::{
    RepositoryName, Role as _, RoleName, RootRole, Signed, TargetsRole, check_root_history,
};

use super::review::{Review, ReviewedProposal};
use crate::config::write_public;
use crate::context::Context;
use crate::error::CliError;
use crate::trust::blocking::staged_roles;
use crate::trust::calls::{Calls, read_file, sign_request};
use crate::trust::key_ring::KeyRing;
use crate::trust::options::{RepositoryOptions, SigningOptions};
use crate::trust::plan::Naming;
use crate::trust::signing_session::{SigningSession, keys_folder, now, read_revoked};
use crate::trust::view::PinnedRoot;

/// Writes staged metadata to a file.
pub(super) async fn export(session: &SigningSession, path: &Path) -> Result<StagedBody, CliError> {
    let data = session.calls.staged().await?;
    let body = StagedBody { data, message: String::new() };
    if body.data.is_none() {
        return Err(CliError::NotFound("nothing waits for signatures".to_owned()));
    }
    write(path, &body)?;
    Ok(body)
}

/// Sends a signature from another machine. Returns the service's text.
pub(super) async fn send(context: &Context, app: &str, path: &Path) -> Result<String, CliError> {
    let body: SignRequest = serde_json::from_slice(&read(path)?).map_err(|_| {
        CliError::usage(format!(
            "{} does not hold a signature: pass --out to sign the metadata in it",
            path.display()
        ))
    })?;
    let calls = Calls { service: context.authenticated()?, app: app.to_owned() };
    calls.sign(&body).await
}

/// A request to sign without a network.
#[derive(Debug)]
pub(super) struct OfflineRequest<'a> {
    pub(super) options: &'a RepositoryOptions,
    pub(super) signing: &'a SigningOptions,
    pub(super) role: Option<&'a str>,
    pub(super) repository_name: Option<&'a str>,
    pub(super) yes: bool,
}

impl OfflineRequest<'_> {
    /// Signs the content of a file, and writes the signature to another file.
    pub(super) fn sign(
        &self,
        context: &Context,
        input: &Path,
        output: &Path,
    ) -> Result<SignRequest, CliError> {
        let body: StagedBody = serde_json::from_slice(&read(input)?).map_err(|_| {
            CliError::usage(format!("{} holds no metadata that waits for signatures", input.display()))
        })?;
        let staged =
            body.data.ok_or_else(|| CliError::NotFound("nothing waits for signatures".to_owned()))?;
        let pinned = PinnedRoot::read(&self.options.trust.trust_root)?;
        let (role, file) = choose(&staged, self.role)?;
        let trusted = CurrentMetadata::read(&staged, &pinned)?;
        let repository = trusted.repository(self.repository_name)?;
        let folder = keys_folder(context, &self.options.trust, &repository);
        let mut key_ring = KeyRing::open(folder, &self.signing.keys)?;
        let naming = Naming::of(&repository).and(None, self.options.app.parse().ok());
        let revoked = read_revoked(&pinned)?;
        let review = Review {
            output: context.output,
            yes: self.yes,
            repository: &repository,
            naming: &naming,
            revoked: &revoked,
            now: now(),
        };
        let reviewed = trusted.review(&review, &role, file, &staged, &mut key_ring)?;
        let signature = reviewed.signatures.first().ok_or_else(|| {
            CliError::NotFound(format!(
                "no key of {role} is available here that has not signed yet: pass --key"
            ))
        })?;
        let request = sign_request(&role, signature);
        write(output, &request)?;
        Ok(request)
    }
}

/// The current metadata in the file, verified from the pinned root.
struct CurrentMetadata {
    root: Option<Signed<RootRole>>,
    targets: Option<TargetsRole>,
}

impl CurrentMetadata {
    fn read(staged: &Staged, pinned: &PinnedRoot) -> Result<Self, CliError> {
        let Some(file) = staged.metadata.get("trusted_root") else {
            return Ok(Self { root: None, targets: None });
        };
        let root: Signed<RootRole> = read_file("trusted_root", file)?;
        let first = pinned.root.role();
        let is_pinned = root.role() == first;
        let is_next = || check_root_history(Some(first), std::slice::from_ref(&root)).is_ok();
        if !is_pinned && !is_next() {
            return Err(CliError::Untrusted(format!(
                "the current root is version {}, and {} is version {}: bring the newest root, and pass it with --trust-root",
                root.role().head().version,
                pinned.path.display(),
                first.head().version
            )));
        }
        let targets =
            staged.metadata.get("trusted_targets").map(|file| verified(file, root.role())).transpose()?;
        Ok(Self { root: Some(root), targets })
    }

    /// Reviews the staged metadata of a role, and signs it.
    fn review(
        &self,
        review: &Review<'_>,
        role: &RoleName,
        file: &SignedFile,
        staged: &Staged,
        key_ring: &mut KeyRing,
    ) -> Result<ReviewedProposal, CliError> {
        if *role == RoleName::Root {
            return review.root(file, self.root.as_ref().map(Signed::role), key_ring);
        }
        let next: Option<Signed<RootRole>> =
            staged.metadata.get("root").map(|file| read_file("the proposed root", file)).transpose()?;
        let delegations = self.targets.as_ref().and_then(TargetsRole::delegations);
        let signers = match (role, &next, &self.root) {
            (RoleName::Targets, Some(root), _) | (RoleName::Targets, None, Some(root)) => {
                Some(root.role().targets())
            }
            (RoleName::Channel(channel), ..) => delegations.and_then(|all| all.signers(channel)),
            _ => None,
        };
        let signers =
            signers.ok_or_else(|| CliError::Untrusted(format!("nothing names the signers of {role}")))?;
        // The file lacks the current list of a channel, so the service will check its version.
        let current = self.targets.as_ref().filter(|_| *role == RoleName::Targets);
        review.list(role, file, current, signers, key_ring)
    }

    /// The repository, as named by a list or by the user.
    fn repository(&self, given: Option<&str>) -> Result<RepositoryName, CliError> {
        if let Some(name) = given {
            return name.parse().map_err(|_| {
                CliError::usage(format!(
                    "`{name}` is not the name of a repository: names look like ada/notes"
                ))
            });
        }
        let file = self.targets.as_ref().and_then(|list| list.targets().values().next());
        file.map(|file| file.custom().repository.clone())
            .ok_or_else(|| CliError::usage("no list names the repository: pass --repository-name"))
    }
}

fn verified(file: &SignedFile, root: &RootRole) -> Result<TargetsRole, CliError> {
    let list: Signed<TargetsRole> = read_file("trusted_targets", file)?;
    if list.is_signed_by(root.targets()).unwrap_or(false) {
        Ok(list.role().clone())
    } else {
        Err(CliError::Untrusted("trusted_targets lacks signatures of its signers".to_owned()))
    }
}

fn choose<'a>(staged: &'a Staged, role: Option<&str>) -> Result<(RoleName, &'a SignedFile), CliError> {
    let waiting = staged_roles(staged)?;
    let names: Vec<String> = waiting.iter().map(|(role, _)| role.to_string()).collect();
    let is_wanted = |name: &RoleName| role.is_none_or(|role| name.to_string() == role);
    let mut wanted = waiting.into_iter().filter(|(name, _)| is_wanted(name));
    match (wanted.next(), wanted.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(CliError::usage(format!("pass --role to choose what to sign: {}", names.join(", ")))),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(CliError::file(path))
}

fn write(path: &Path, body: &impl serde::Serialize) -> Result<(), CliError> {
    // Serializing cannot fail: all keys are text.
    let text = serde_json::to_vec(body).unwrap_or_else(|_| Value::Null.to_string().into_bytes());
    write_public(path, &text)
}
