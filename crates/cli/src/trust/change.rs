//! Signs and sends the next version of a list, even while others do the same.

use std::collections::BTreeMap;

use serde::Serialize;
use spindrift_trust::{
    Delegations, Head, Lifetime, Role as _, RoleName, Signed, Signers, TargetFiles, TargetsRole, TrustError,
};

use super::blocking::offer_to_drop;
use super::calls::{SendOutcome, file, unwritable};
use super::plan::{Difference, list_difference};
use super::signing_session::{SigningSession, now};
use super::view::View;
use crate::error::CliError;

/// Maximum number of attempts while others publish at the same time. Each failed attempt means that
/// another publisher succeeded.
const MAX_ATTEMPTS: u32 = 100;

/// The content of the next version of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NextList {
    pub(crate) files: TargetFiles,
    pub(crate) delegations: Option<Delegations>,
}

/// The result of a change.
#[derive(Debug, Serialize)]
pub(crate) struct ListChange {
    pub(crate) role: String,
    /// The signed version, or the current one if nothing changed.
    pub(crate) version: u64,
    pub(crate) outcome: ListOutcome,
    pub(crate) difference: Difference,
}

/// Whether a list is current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ListOutcome {
    /// Current: clients see the change.
    Current,
    /// The current list is up to date.
    Unchanged,
    /// Signed, but waits for further signatures.
    Waiting,
    /// Not signed: no key of the role is available.
    NoKey,
    /// Not sent: another version waits for signatures.
    Blocked,
}

impl ListOutcome {
    /// Whether clients see the change only after further signatures.
    pub(crate) const fn is_waiting(self) -> bool {
        matches!(self, Self::Waiting | Self::NoKey | Self::Blocked)
    }
}

pub(crate) fn signers_of<'a>(view: &'a View, role: &RoleName) -> Result<Signers<'a>, CliError> {
    view.signers(role)
        .ok_or_else(|| CliError::usage(format!("nobody signs {role}: see `spindrift trust status`")))
}

/// Signs the next version of a list and sends it. `plan` computes the role and content of the next
/// list from verified metadata. It is called again if another publisher was faster. If it returns
/// `None`, nothing changes.
pub(crate) async fn change_list(
    session: &mut SigningSession,
    lifetime: Lifetime,
    plan: impl AsyncFn(&SigningSession, &View) -> Result<(RoleName, Option<NextList>), CliError>,
) -> Result<ListChange, CliError> {
    let view = session.view().await?;
    change_list_from(session, view, lifetime, plan).await
}

/// Like [`change_list`], starting from metadata that was just verified.
pub(crate) async fn change_list_from(
    session: &mut SigningSession,
    mut view: View,
    lifetime: Lifetime,
    plan: impl AsyncFn(&SigningSession, &View) -> Result<(RoleName, Option<NextList>), CliError>,
) -> Result<ListChange, CliError> {
    let mut before = None;
    for _ in 0..MAX_ATTEMPTS {
        let (role, next) = plan(session, &view).await?;
        let current = view.list(&role);
        let version = current.map_or(0, |list| list.head().version.number());
        let done = |version, outcome, difference| {
            Ok(ListChange { role: role.to_string(), version, outcome, difference })
        };
        let Some(next) = next else {
            return done(version, ListOutcome::Unchanged, Difference::default());
        };
        let list = next_version(current, next, lifetime)?;
        let difference = list_difference(current, &list);
        let signers = signers_of(&view, &role)?;
        let mut signed = Signed::unsigned(list);
        if session.key_ring.sign(&mut signed, &[signers], &[])?.is_empty() {
            return done(version, ListOutcome::NoKey, difference);
        }
        // If nothing has changed since the refusal, another version is waiting.
        if before == Some(version) && !offer_to_drop(session).await? {
            return done(version, ListOutcome::Blocked, difference);
        }
        match session.calls.send(BTreeMap::from([(role.to_string(), file(&signed)?)]), Some(version)).await? {
            SendOutcome::Changed => {
                before = Some(version);
                view = session.view().await?;
            }
            SendOutcome::Accepted => {
                let version = signed.role().head().version.number();
                if !signed.is_signed_by(signers).map_err(|error| unwritable(&error))? {
                    return done(version, ListOutcome::Waiting, difference);
                }
                if role == RoleName::Targets {
                    session.remember_targets(&view, version);
                }
                return done(version, ListOutcome::Current, difference);
            }
        }
    }
    Err(CliError::Conflict("others keep publishing: run this again".to_owned()))
}

/// The version after `current`.
pub(crate) fn next_version(
    current: Option<&TargetsRole>,
    next: NextList,
    lifetime: Lifetime,
) -> Result<TargetsRole, CliError> {
    let head = Head::to_sign(current.map(|list| list.head().version), lifetime, now());
    let list = head.and_then(|head| TargetsRole::new(head, next.files, next.delegations));
    list.map_err(|error| match error {
        TrustError::TooLarge => unwritable(&error),
        error => CliError::Other(error.to_string()),
    })
}

/// The files and delegations of a list. Empty without a list.
pub(crate) fn as_is(current: Option<&TargetsRole>) -> NextList {
    NextList {
        files: current.map(|list| list.targets().clone()).unwrap_or_default(),
        delegations: current.and_then(|list| list.delegations().cloned()),
    }
}

impl ListChange {
    /// The result as text for people.
    pub(crate) fn as_text(&self) -> String {
        let Self { role, version, .. } = self;
        let summary = match self.outcome {
            ListOutcome::Current => format!("{role} {version} is signed and current"),
            ListOutcome::Unchanged => format!("{role} {version} is up to date"),
            ListOutcome::Waiting => {
                format!("{role} {version} waits for further signatures: `spindrift trust sign`")
            }
            ListOutcome::NoKey => format!("{role} waits for signatures: none of its keys is available here"),
            ListOutcome::Blocked => {
                format!("{role} was not sent, because another version waits for signatures")
            }
        };
        match self.difference.as_text() {
            empty if empty.is_empty() => summary,
            lines => format!("{summary}:\n{lines}"),
        }
    }
}
