//! Adding to a release that exists: whether an upload may, and what it replaces.

use std::collections::BTreeSet;

use spindrift_core::{Action, FileName, Id, Release, Target, Timestamp, Updater, Version};
use spindrift_db::{SqlConn, promotions, release_feeds, release_places, releases};

use super::error::PublishError;
use crate::requests::principal::Principal;

/// The existing release that an upload adds to, if any. Fails if it is in another channel, or is offered in
/// further ones.
pub fn find_release(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    version: &Version,
) -> Result<Option<Release>, PublishError> {
    let release = releases::by_version(conn, app, version)?;
    match &release {
        Some(release) if release.channel_id != target.channel_id => {
            Err(PublishError::VersionInOtherChannel(version.clone()))
        }
        Some(existing) => {
            let copied_to = promotions::with_copies(conn, &existing.id)?;
            if copied_to.is_empty() { Ok(release) } else { Err(PublishError::Promoted(copied_to)) }
        }
        None => Ok(None),
    }
}

/// The feeds of a release that others for the same updater, platform and architecture replace. Fails if
/// clients see its files and the caller is a CI token, because that could change what they install.
pub fn replaced_feeds(
    conn: &impl SqlConn,
    principal: &Principal,
    release: Option<&Release>,
    (target, updaters): (&Target, &BTreeSet<Updater>),
    now: Timestamp,
) -> Result<Vec<FileName>, PublishError> {
    let Some(release) = release else { return Ok(Vec::new()) };
    let mut replaced = Vec::new();
    for updater in updaters {
        replaced.extend(release_feeds::file_name(conn, &release.id, target, *updater)?);
    }
    match replaced.first() {
        Some(feed) if principal.is_token() && is_visible(conn, principal, release, now)? => {
            Err(PublishError::FeedIsVisible(feed.clone()))
        }
        _ => Ok(replaced),
    }
}

/// Whether clients see a release in one of its channels.
pub(crate) fn is_visible(
    conn: &impl SqlConn,
    principal: &Principal,
    release: &Release,
    now: Timestamp,
) -> Result<bool, PublishError> {
    let offers = releases::offers(conn, &principal.owner_id, &release.id)?;
    Ok(offers.into_iter().any(|offer| offer.as_of(now).flags.published))
}

/// Fails unless the caller may also upload into the channels that a release was promoted to, because they
/// offer all its files.
pub(crate) fn require_further_channels(
    conn: &impl SqlConn,
    principal: &Principal,
    release: &Release,
) -> Result<(), PublishError> {
    let channels = release_places::further_channels(conn, release)?;
    Ok(principal.require_in(Action::Upload, &release.app_id, &channels)?)
}
