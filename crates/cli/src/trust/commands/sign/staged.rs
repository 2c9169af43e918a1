//! Signs the metadata that is staged at the service.

use serde::Serialize;
use spindrift_api::{SignedFile, Waiting};
use spindrift_trust::{RoleName, RootRole, Signed};

use super::review::{Review, ReviewedProposal};
use crate::error::CliError;
use crate::trust::blocking::staged_roles;
use crate::trust::calls::{read_file, sign_request};
use crate::trust::change::signers_of;
use crate::trust::plan::Difference;
use crate::trust::signing_session::{SigningSession, now};
use crate::trust::view::View;

/// The result for a staged file.
#[derive(Debug, Serialize)]
pub(super) struct SignedRole {
    role: String,
    version: u64,
    /// Ids of the keys that have just signed.
    keys: Vec<String>,
    /// Whether the role now has enough signatures.
    finished: bool,
    difference: Difference,
}

impl SignedRole {
    pub(super) const fn is_waiting(&self) -> bool {
        !self.finished
    }

    pub(super) fn as_text(&self) -> String {
        let Self { role, version, keys, .. } = self;
        match (self.finished, keys.as_slice()) {
            (true, _) => format!("{role} {version} is signed and current"),
            (false, []) => format!("{role} {version} waits for signatures of others"),
            (false, _) => format!("{role} {version} is signed, and waits for signatures of others"),
        }
    }
}

/// Reviews and signs all staged metadata.
pub(super) async fn sign_staged(
    session: &mut SigningSession,
    yes: bool,
) -> Result<Vec<SignedRole>, CliError> {
    let Some(staged) = session.calls.staged().await? else { return Ok(Vec::new()) };
    let view = if session.state.state == Some(Waiting::Signing) { None } else { Some(session.view().await?) };
    let revoked = session.revoked()?;
    let (repository, naming) = (session.repository.clone(), session.naming.clone());
    let review = Review {
        output: session.output,
        yes,
        repository: &repository,
        naming: &naming,
        revoked: &revoked,
        now: now(),
    };
    let mut next_root: Option<Signed<RootRole>> = None;
    let mut all = Vec::new();
    for (role, file) in staged_roles(&staged)? {
        let reviewed = if role == RoleName::Root {
            let current = view.as_ref().map(|view| view.root.role());
            let root = read_file("the proposed root", file)?;
            check_first(session, current, &root)?;
            next_root = Some(root);
            review.root(file, current, &mut session.key_ring)?
        } else {
            let (view, key_ring) = (view.as_ref(), &mut session.key_ring);
            review_list(&review, &role, file, view, next_root.as_ref(), key_ring)?
        };
        all.push(send(session, reviewed).await?);
    }
    if view.is_none() && !all.iter().any(SignedRole::is_waiting) {
        // Adds the signatures of others to the pinned root.
        let _verified = session.view().await?;
    }
    Ok(all)
}

/// Checks that the first root equals the pinned one.
fn check_first(
    session: &SigningSession,
    current: Option<&RootRole>,
    proposed: &Signed<RootRole>,
) -> Result<(), CliError> {
    if current.is_some() || proposed.role() == session.pinned.root.role() {
        return Ok(());
    }
    Err(CliError::Untrusted(format!(
        "the root that waits for signatures is not {}",
        session.pinned.path.display()
    )))
}

fn review_list(
    review: &Review<'_>,
    role: &RoleName,
    file: &SignedFile,
    view: Option<&View>,
    next_root: Option<&Signed<RootRole>>,
    key_ring: &mut crate::trust::key_ring::KeyRing,
) -> Result<ReviewedProposal, CliError> {
    let current = view.and_then(|view| view.list(role));
    let signers = match (role, next_root, view) {
        (RoleName::Targets, Some(root), _) => root.role().targets(),
        (_, _, Some(view)) => signers_of(view, role)?,
        _ => {
            return Err(CliError::Untrusted(format!(
                "{role} waits for signatures, and nothing names its signers"
            )));
        }
    };
    review.list(role, file, current, signers, key_ring)
}

async fn send(session: &SigningSession, reviewed: ReviewedProposal) -> Result<SignedRole, CliError> {
    let ReviewedProposal { role, version, difference, signatures } = reviewed;
    let mut done =
        SignedRole { role: role.to_string(), version, keys: Vec::new(), finished: false, difference };
    for signature in signatures {
        let message = session.calls.sign(&sign_request(&role, &signature)).await?;
        done.keys.push(signature.keyid().to_string());
        if !message.contains("pending") {
            done.finished = true;
            break;
        }
    }
    Ok(done)
}
