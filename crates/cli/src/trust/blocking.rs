//! Staged metadata at the service, and how to drop it if it blocks a new version.

use spindrift_api::{SignedFile, Staged};
use spindrift_trust::RoleName;

use super::ask::confirm;
use super::signing_session::SigningSession;
use crate::error::CliError;

/// Advice for a version that is waiting for signatures.
const HOW_TO_GO_ON: &str =
    "sign that one first with `spindrift trust sign`, or drop it with `spindrift trust sign --drop`";

/// The roles with staged metadata. Root comes first, because it determines the signers of the
/// others.
pub(crate) fn staged_roles(staged: &Staged) -> Result<Vec<(RoleName, &SignedFile)>, CliError> {
    let is_role = |(name, _): &(&String, _)| !name.starts_with("trusted_");
    let roles = staged.metadata.iter().filter(is_role).map(|(name, file)| {
        let role = name
            .parse()
            .map_err(|_| CliError::Untrusted("the service proposes an unknown role".to_owned()))?;
        Ok((role, file))
    });
    let mut roles = roles.collect::<Result<Vec<(RoleName, &SignedFile)>, CliError>>()?;
    roles.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(roles)
}

/// Drops all staged metadata. Returns its roles.
pub(crate) async fn drop_waiting(session: &SigningSession) -> Result<Vec<String>, CliError> {
    let Some(staged) = session.calls.staged().await? else { return Ok(Vec::new()) };
    let mut dropped = Vec::new();
    for (role, _) in staged_roles(&staged)? {
        session.calls.drop_staged(&role).await?;
        dropped.push(role.to_string());
    }
    Ok(dropped)
}

/// Offers to drop the staged version. `false`: it stays, because the user refuses or there is no
/// terminal. Then the user gets advice.
pub(crate) async fn offer_to_drop(session: &SigningSession) -> Result<bool, CliError> {
    let Some(staged) = session.calls.staged().await? else { return Ok(false) };
    let roles: Vec<String> = staged_roles(&staged)?
        .iter()
        .map(|(role, file)| match version(file) {
            Some(version) => format!("{role} {version}"),
            None => role.to_string(),
        })
        .collect();
    let shown = format!("another version waits for signatures: {}", roles.join(", "));
    if roles.is_empty() {
        return Ok(false);
    }
    if confirm(&shown, "Drop it?")? {
        return drop_waiting(session).await.map(|_| true);
    }
    session.output.message(&format!("{shown}: {HOW_TO_GO_ON}"));
    Ok(false)
}

/// The version that a file claims to be.
fn version(file: &SignedFile) -> Option<u64> {
    let file: serde_json::Value = serde_json::from_str(file.0.get()).ok()?;
    file["signed"]["version"].as_u64()
}
