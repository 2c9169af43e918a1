//! Scope records: all that answers the checks of one scope. See [`crate::records`].

use spindrift_core::{
    PlatformUpdaters, Scope, ScopeArtifact, ScopeRecord, ScopeRelease, Target, UserName, keep_answers,
    keep_critical,
};
use spindrift_db::scopes::{Dimension, PublishedArtifact};
use spindrift_db::{SqlConn, scopes};
use spindrift_web::ApiError;

use crate::links::Links;
use crate::records::{self, Loaded};
use crate::{Failure, Ports, record_keys, updater_records};

/// The record of a scope. Errors are those of the interface for a scope that cannot be asked about.
pub async fn load<P: Ports>(ports: &P, scope: &Scope) -> Result<Loaded<ScopeRecord>, Failure> {
    records::load_of_scope(ports, scope, None, derive).await
}

/// Derives the record again, and forgets those of its updaters, after a change was committed, so that the next check sees
/// it.
pub(crate) fn refresh<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<(), Failure> {
    updater_records::forget(ports, scope);
    let key = record_keys::of(scope, None);
    records::renew_after_change(ports, &key, || derive(conn, known(ports, conn, scope)?))
}

/// From the database as it is now.
pub(crate) fn derive(conn: &impl SqlConn, known: Known) -> Result<ScopeRecord, Failure> {
    let published = scopes::published(conn, &known.record.app_id, &known.target)?;
    let critical = critical_versions(&published);
    let releases = keep_answers(releases(published, &known.links)?);
    Ok(ScopeRecord { critical: keep_critical(critical, &releases), releases, ..known.record })
}

/// A scope whose names are all known.
pub(crate) struct Known {
    /// The record, with no release yet.
    pub(crate) record: ScopeRecord,
    pub(crate) target: Target,
    pub(crate) links: Links,
}

/// Looks a scope up: 404 for what is not there, 400 for a dimension that is missing.
pub(crate) fn known<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<Known, Failure> {
    let names = scopes::names(conn, scope)?.ok_or_else(|| ApiError::not_found(UserName::KIND))?;
    let (app_id, flags) = names.app.ok_or_else(|| ApiError::not_found("application"))?;
    let target = Target {
        channel_id: dimension(names.channel, "channel")?,
        platform_id: dimension(names.platform, "platform")?,
        arch_id: dimension(names.arch, "arch")?,
    };
    let links = Links::new(ports)?;
    let now = ports.now();
    let record = ScopeRecord {
        app_id,
        cdn: flags.cdn,
        derived_at: now,
        read_at: now,
        revision: names.revision,
        link_settings: links.settings_digest(),
        updaters: names.updaters.unwrap_or_else(PlatformUpdaters::default),
        critical: Vec::new(),
        releases: Vec::new(),
    };
    Ok(Known { record, target, links })
}

fn dimension(dimension: Dimension, name: &str) -> Result<Option<spindrift_core::Id>, ApiError> {
    match dimension {
        Dimension::Known(id) => Ok(Some(id)),
        Dimension::Unused => Ok(None),
        Dimension::Unknown => Err(ApiError::not_found(name)),
        Dimension::Required => Err(ApiError::bad_request(format!("{name} is required"))),
    }
}

pub(crate) fn critical_versions(published: &[PublishedArtifact]) -> Vec<spindrift_core::Version> {
    let mut versions: Vec<_> = published.iter().filter(|a| a.critical).map(|a| a.version.clone()).collect();
    versions.dedup();
    versions
}

/// Groups artifacts, which come newest release first, into releases.
fn releases(published: Vec<PublishedArtifact>, links: &Links) -> Result<Vec<ScopeRelease>, ApiError> {
    Ok(identified_releases(published, links)?.into_iter().map(|(_, release)| release).collect())
}

/// As [`releases`], with the identifiers.
pub(crate) fn identified_releases(
    published: Vec<PublishedArtifact>,
    links: &Links,
) -> Result<Vec<(spindrift_core::Id, ScopeRelease)>, ApiError> {
    let mut releases: Vec<(spindrift_core::Id, ScopeRelease)> = Vec::new();
    for artifact in published {
        let link = ScopeArtifact {
            package: artifact.package,
            url: links.to(&artifact.object)?,
            signature: artifact.signature,
        };
        match releases.last_mut() {
            Some((id, release)) if *id == artifact.release_id => release.artifacts.push(link),
            _ => releases.push((
                artifact.release_id,
                ScopeRelease {
                    version: artifact.version,
                    intermediate: artifact.intermediate,
                    rollout: artifact.rollout,
                    changelog: artifact.changelog,
                    released_at: artifact.released_at,
                    artifacts: vec![link],
                },
            )),
        }
    }
    Ok(releases)
}
