//! Signs and sends the next root, together with the list that its new keys must sign.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use spindrift_trust::{KeyId, Role as _, RoleName, RootRole, Signed};

use super::blocking::offer_to_drop;
use super::calls::{SendOutcome, file, unwritable};
use super::change::{as_is, next_version};
use super::plan::{Difference, RootPlan, next_root, root_difference};
use super::signing_session::{SigningSession, now};
use super::view::View;
use crate::config::write_private;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;

/// Maximum number of attempts while others publish at the same time.
const MAX_ATTEMPTS: u32 = 100;
/// The file in the folder of keys with the digest of the root that was sent last.
const SENT: &str = "sent-root.json";

/// A root to sign.
#[derive(Debug, Clone)]
pub(crate) struct Rotation {
    pub(crate) plan: RootPlan,
    /// Keys that no longer sign, although they are available.
    pub(crate) unwanted: Vec<KeyId>,
    /// Whether the new keys must also sign the list of targets.
    pub(crate) has_list: bool,
}

impl Rotation {
    /// A rotation that changes only root.
    pub(crate) const fn of_root(plan: RootPlan) -> Self {
        Self { plan, unwanted: Vec::new(), has_list: false }
    }
}

/// The result of a rotation.
#[derive(Debug, Serialize)]
pub(crate) struct RootChange {
    version: u64,
    outcome: RootOutcome,
    /// The version of the list that was signed together with the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<u64>,
    difference: Difference,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum RootOutcome {
    /// Current: clients accept the new root.
    Current,
    /// An earlier run had sent this root, and it is current.
    AlreadyDone,
    /// Waits for further signatures.
    Waiting,
    /// Not sent: no key of root is available.
    NoKey,
    /// Not sent: another version waits for signatures.
    Blocked,
}

impl RootChange {
    pub(crate) fn show(&self, context: &Context) -> Result<Outcome, CliError> {
        let version = self.version;
        let summary = match self.outcome {
            RootOutcome::Current => format!("root {version} is signed and current"),
            RootOutcome::AlreadyDone => format!("an earlier run succeeded: root {version} is current"),
            RootOutcome::Waiting => {
                format!("root {version} waits for further signatures: `spindrift trust sign`")
            }
            RootOutcome::NoKey => {
                format!("root {version} waits for signatures: no root key is available here, pass --key")
            }
            RootOutcome::Blocked => {
                format!("root {version} was not sent, because another version waits for signatures")
            }
        };
        let lines = self.difference.as_text();
        let text = if lines.is_empty() { summary } else { format!("{summary}:\n{lines}") };
        context.output.result(self, &text)?;
        Ok(match self.outcome {
            RootOutcome::Current | RootOutcome::AlreadyDone => Outcome::Done,
            _ => Outcome::Waiting,
        })
    }
}

/// Signs and sends the root that `plan` computes. `plan` is called again if the list has changed in
/// the meantime.
pub(crate) async fn rotate(
    session: &mut SigningSession,
    plan: impl AsyncFn(&mut SigningSession, &View) -> Result<Rotation, CliError>,
) -> Result<RootChange, CliError> {
    let mut before = None;
    for _ in 0..MAX_ATTEMPTS {
        let view = session.view().await?;
        let current = view.root.role();
        if before.is_none() && was_sent(session, current) {
            let version = current.head().version.number();
            let done = RootChange {
                version,
                outcome: RootOutcome::AlreadyDone,
                targets: None,
                difference: Difference::default(),
            };
            forget(session);
            return Ok(done);
        }
        let rotation = plan(session, &view).await?;
        let root = next_root(current, &rotation.plan, now())?;
        let done = |outcome, targets| RootChange {
            version: root.head().version.number(),
            outcome,
            targets,
            difference: root_difference(Some(current), &root),
        };
        let mut signed = Signed::unsigned(root.clone());
        let signers = [current.root(), root.root()];
        if session.key_ring.sign(&mut signed, &signers, &rotation.unwanted)?.is_empty() {
            return Ok(done(RootOutcome::NoKey, None));
        }
        let mut metadata = BTreeMap::from([(RoleName::Root.to_string(), file(&signed)?)]);
        let list = if rotation.has_list { sign_list(session, &view, &root, &rotation)? } else { None };
        if let Some((_, list)) = &list {
            metadata.insert(RoleName::Targets.to_string(), list.clone());
        }
        let base = view.targets().map_or(0, |list| list.head().version.number());
        let state = (current.head().version, base);
        if before == Some(state) && !offer_to_drop(session).await? {
            return Ok(done(RootOutcome::Blocked, None));
        }
        remember(session, &root)?;
        match session.calls.send(metadata, Some(base)).await? {
            SendOutcome::Changed => before = Some(state),
            SendOutcome::Accepted => {
                let is_signed = |signers| signed.is_signed_by(signers).map_err(|error| unwritable(&error));
                let is_complete = is_signed(current.root())? && is_signed(root.root())?;
                if is_complete {
                    forget(session);
                }
                let outcome = if is_complete { RootOutcome::Current } else { RootOutcome::Waiting };
                return Ok(done(outcome, list.map(|(version, _)| version)));
            }
        }
    }
    Err(CliError::Conflict("others keep publishing: run this again".to_owned()))
}

/// The current list, signed with the keys of the next root, and with the available old ones.
fn sign_list(
    session: &mut SigningSession,
    view: &View,
    next: &RootRole,
    rotation: &Rotation,
) -> Result<Option<(u64, spindrift_api::SignedFile)>, CliError> {
    let Some(current) = view.targets() else { return Ok(None) };
    let lifetime = RoleName::Targets.lifetimes().default;
    let mut signed = Signed::unsigned(next_version(Some(current), as_is(Some(current)), lifetime)?);
    session.key_ring.sign(&mut signed, &[next.targets(), view.root.role().targets()], &rotation.unwanted)?;
    Ok(Some((signed.role().head().version.number(), file(&signed)?)))
}

fn sent_path(session: &SigningSession) -> PathBuf {
    session.key_ring.folder().join(SENT)
}

fn digest(root: &RootRole) -> Result<String, CliError> {
    let text = Signed::unsigned(root.clone()).canonical().map_err(|error| unwritable(&error))?;
    Ok(base16ct::lower::encode_string(&Sha256::digest(text)))
}

/// Whether an earlier run sent this root and got no answer.
fn was_sent(session: &SigningSession, root: &RootRole) -> bool {
    let Ok(bytes) = std::fs::read(sent_path(session)) else { return false };
    serde_json::from_slice::<String>(&bytes).is_ok_and(|sent| digest(root).is_ok_and(|this| this == sent))
}

/// Records the root that is about to be sent, in case the answer gets lost.
fn remember(session: &SigningSession, root: &RootRole) -> Result<(), CliError> {
    write_private(&sent_path(session), &digest(root)?)
}

fn forget(session: &SigningSession) {
    // If the file stays, the next run reports once more that this root was accepted.
    let _ = std::fs::remove_file(sent_path(session));
}
