//! `/tuf/v1/artifacts`: the recorded artifacts as targets, and whether they are listed.

pub(crate) mod change;

use std::collections::BTreeMap;

use http::StatusCode;
use spindrift_api::{ListingState, TargetEntry, TargetsPageBody};
use spindrift_core::{Action, ArchName, ChannelName, PlatformName, Sha256Hex, Sha512Hex, Timestamp};
use spindrift_db::listings::{self, ListedArtifact, ListingFilter};
use spindrift_db::offered::PublishedArtifacts;
use spindrift_db::repositories;
use spindrift_repository::answerable_releases::AnswerableReleases;
use spindrift_repository::{AppRepository, RepositoryError};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_trust::TargetName;
use spindrift_web::{ApiError, PageQuery, Query, Request, Response};

use crate::caller::{app, app_name};

/// Default number of artifacts on a page.
const DEFAULT_LIMIT: u32 = 9;
/// Maximum number of artifacts on a page. A signer reads all listed ones, up to 8,000.
const MAX_LIMIT: u32 = 1000;

fn parse_filter(query: &Query, at: Timestamp) -> Result<ListingFilter, ApiError> {
    Ok(ListingFilter {
        version: query.optional_version("version")?,
        listing: query.optional("state")?,
        also: query.optional("also")?,
        published: None,
        at,
    })
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let query = request.query()?;
    let (name, page) = (app_name(request)?, PageQuery::parse_up_to(&query, DEFAULT_LIMIT, MAX_LIMIT)?);
    let filter = parse_filter(&query, session.now)?;
    let app = app(&session, &name, Action::Sign)?;
    let keep = repositories::keep_setting(&session.conn, &app.id)?.ok_or(RepositoryError::NoRepository)?;
    let total = listings::count(&session.conn, &app.id, &filter)?;
    let found = listings::page(&session.conn, &app.id, &filter, page.limit, page.skip())?;
    let answerable = AnswerableReleases::of(
        &AppRepository::of(&session, &app.id),
        &found,
        PublishedArtifacts::Offered,
        session.now,
    )?;
    let items = found.into_iter().filter_map(|artifact| entry(artifact, &answerable)).collect();
    let (page, limit) = (page.number.into(), page.limit.into());
    private_json(StatusCode::OK, &TargetsPageBody { items, total, page, limit, keep })
}

/// `None` if no list can name the file.
fn entry(artifact: ListedArtifact, answerable: &AnswerableReleases) -> Option<TargetEntry> {
    let name = TargetName::of_key(&artifact.object.key)?.to_string();
    Some(TargetEntry {
        name,
        needed: artifact.published && artifact.listing.is_offered() && answerable.has(&artifact),
        hashes: artifact.digests.as_ref().map(hashes).unwrap_or_default(),
        version: artifact.version.to_string(),
        channel: artifact.channel.map(ChannelName::into),
        platform: artifact.platform.map(PlatformName::into),
        arch: artifact.arch.map(ArchName::into),
        package: artifact.package.as_str().to_owned(),
        length: artifact.size,
        state: state(artifact.listing),
        published: artifact.published,
    })
}

fn hashes((sha256, sha512): &(Sha256Hex, Sha512Hex)) -> BTreeMap<String, String> {
    let hashes = [("sha256", sha256.to_string()), ("sha512", sha512.to_string())];
    hashes.map(|(name, digits)| (name.to_owned(), digits)).into()
}

fn state(listing: spindrift_core::Listing) -> ListingState {
    match listing {
        spindrift_core::Listing::Listed => ListingState::Listed,
        spindrift_core::Listing::Unlisted => ListingState::Unlisted,
        spindrift_core::Listing::Legacy => ListingState::Legacy,
    }
}
