//! Validates a proposal against what the database knows.

use std::collections::BTreeMap;

use spindrift_db::listings::{self, ListedArtifact, ListingFilter};
use spindrift_service::Ports;
use spindrift_trust::{
    Proposal, RoleName, Signed, TargetFiles, TargetName, TrustedMetadata, validate_proposal,
};

use crate::error::RepositoryError;
use crate::lease::RepositoryLease;
use crate::repository::Repository;
use crate::{digests, recorded_targets};

/// The roles of the proposal that lack signatures. Empty if it may become current. Fails if it never may, or
/// if the digests of more files are unknown than one call computes.
pub(crate) async fn validate<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    proposal: &Proposal,
) -> Result<Vec<RoleName>, RepositoryError> {
    let conn = lease.conn;
    let has_lists = proposal.targets.is_some() || !proposal.channels.is_empty();
    let recorded = if has_lists { recorded(lease, repository, proposal).await? } else { BTreeMap::new() };
    let previous_root = repository.previous_root(conn)?;
    let targets = repository.targets(conn)?;
    let channels = if has_lists { repository.channels(conn)? } else { BTreeMap::new() };
    let service = lease.keys()?.ids(repository.generations()?)?;
    let trusted = TrustedMetadata {
        root: repository.trusted_root(),
        previous_root: previous_root.as_ref().map(Signed::role),
        targets: targets.as_ref(),
        channels: &channels,
        service: &service,
        recorded: &recorded,
        now: lease.ports.now(),
    };
    Ok(validate_proposal(proposal, &trusted)?)
}

/// The recorded artifacts of the application. Digests of proposed files that were never compared with the
/// stored bytes are computed first.
async fn recorded<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    proposal: &Proposal,
) -> Result<TargetFiles, RepositoryError> {
    let (conn, filter) = (lease.conn, ListingFilter::default());
    let artifacts = listings::of_app(conn, lease.app, &filter)?;
    let lists = || proposal.targets.iter().chain(proposal.channels.values());
    let is_proposed = |artifact: &ListedArtifact| {
        let name = TargetName::of_key(&artifact.object.key);
        name.is_some_and(|name| lists().any(|list| list.role().targets().contains_key(&name)))
    };
    let unknown: Vec<_> =
        artifacts.iter().filter(|artifact| !artifact.is_verified && is_proposed(artifact)).collect();
    if unknown.is_empty() {
        return Ok(recorded_targets::of_artifacts(&repository.name, &artifacts));
    }
    if !digests::compute::<P>(conn, lease.storage, &unknown).await? {
        return Err(RepositoryError::DigestsUnknown);
    }
    Ok(recorded_targets::of_artifacts(&repository.name, &listings::of_app(conn, lease.app, &filter)?))
}
