//! `GET /search`.

use std::collections::HashMap;

use http::StatusCode;
use spindrift_api::{ArtifactEntry, ChangelogEntry, PatchOf, ReleaseEntry, SearchBody};
use spindrift_core::{
    Action, Actor, ArchName, ChannelName, Id, Patch, PlatformName, Timestamp, TokenGrant, TokenRight, lacks,
};
use spindrift_db::search::{self, FoundArtifact, FoundPromotion, FoundRelease, ReleaseFilter, SearchPage};
use spindrift_service::links::DownloadLinks;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, PageQuery, Query, Request, Response};

/// Default number of releases per page.
const DEFAULT_LIMIT: u32 = 9;

fn parse_filter(query: &Query, actor: &Actor, at: Timestamp) -> Result<ReleaseFilter, ApiError> {
    Ok(ReleaseFilter {
        id: query.get("id").map(Id::from_text),
        app: query.optional("app_name")?,
        channel: query.optional("channel")?,
        platform: query.optional("platform")?,
        arch: query.optional("arch")?,
        published: published(query)?,
        at,
        critical: query.optional("critical")?,
        apps: actor.visible_apps(),
    })
}

/// The requested state, from either `published` or `state`.
fn published(query: &Query) -> Result<Option<bool>, ApiError> {
    let published = query.optional("published")?;
    let state = match query.get("state") {
        None => return Ok(published),
        Some("published") => true,
        Some("draft") => false,
        Some(other) => return Err(ApiError::invalid("state", "published or draft", Some(other))),
    };
    if published.is_some_and(|published| published != state) {
        return Err(ApiError::bad_request("state contradicts published"));
    }
    Ok(Some(state))
}

pub(crate) fn search<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    require_finder(&session.principal.actor)?;
    let query = request.query()?;
    let page = PageQuery::parse(&query, DEFAULT_LIMIT)?;
    let filter = parse_filter(&query, &session.principal.actor, session.now)?;
    let has_notes = query.optional("changelog")?.unwrap_or(true);
    let total = search::count(&session.conn, session.owner_id(), &filter)?;
    let part = SearchPage { limit: page.limit, skip: page.skip(), has_notes };
    let found = search::page(&session.conn, session.owner_id(), &filter, part)?;
    let ids: Vec<Id> = found.iter().map(|release| release.id.clone()).collect();
    let artifacts = search::artifacts(&session.conn, &ids)?;
    let promotions = search::promotions(&session.conn, &ids, session.now)?;
    let items = render(found, artifacts, &promotions, &DownloadLinks::new(ports)?, session.now)?;
    private_json(StatusCode::OK, &SearchBody { items, total, page: page.number, limit: page.limit })
}

/// 403 for a CI token without the right `upload`. With it, a token needs the search to make patches
/// from the files of older releases.
fn require_finder(actor: &Actor) -> Result<(), ServiceError> {
    match actor {
        Actor::CiToken { grants, .. } if !TokenGrant::rights(grants).contains(&TokenRight::Upload) => {
            Err(ServiceError::Denied(lacks(actor, Action::Upload)))
        }
        _ => Ok(()),
    }
}

fn render(
    releases: Vec<FoundRelease>,
    artifacts: Vec<FoundArtifact>,
    promotions: &[FoundPromotion],
    links: &DownloadLinks,
    now: Timestamp,
) -> Result<Vec<ReleaseEntry>, ServiceError> {
    let mut by_release: HashMap<Id, Vec<ArtifactEntry>> = HashMap::new();
    for artifact in artifacts {
        let entry = ArtifactEntry {
            id: artifact.id,
            link: links.url_of(&artifact.object)?,
            platform: artifact.platform.map(PlatformName::into).unwrap_or_default(),
            arch: artifact.arch.map(ArchName::into).unwrap_or_default(),
            package: artifact.package.as_str().to_owned(),
            updater: artifact.updater.as_str().to_owned(),
            size: artifact.size,
            md5: artifact.md5,
            sha256: artifact.sha256,
            sha512: artifact.sha512,
            patch: artifact.patch.map(patch_of),
            has_signature: artifact.has_signature,
            offered: artifact.is_offered,
            tuf_signed: artifact.listed_by.is_some(),
            tuf_task_id: artifact.listed_by,
        };
        by_release.entry(artifact.release_id).or_default().push(entry);
    }
    let entry = |release: FoundRelease| {
        let artifacts = by_release.remove(&release.id).unwrap_or_default();
        let channels = channels(&release, promotions);
        release_entry(release, artifacts, channels, now)
    };
    Ok(releases.into_iter().map(entry).collect())
}

fn patch_of(patch: Patch) -> PatchOf {
    PatchOf {
        package: patch.package.into(),
        format: patch.format.to_string(),
        base_version: patch.base_version.to_string(),
        base_sha256: patch.base_sha256.into(),
    }
}

/// All channels that offer a release, its own first. Empty: only its own.
fn channels(release: &FoundRelease, promotions: &[FoundPromotion]) -> Vec<String> {
    let promoted = promotions.iter().filter(|promotion| promotion.release_id == release.id);
    let mut others = promoted.map(|promotion| promotion.channel.to_string()).peekable();
    let own = release.channel.as_ref().map(ToString::to_string).filter(|_| others.peek().is_some());
    own.into_iter().chain(others).collect()
}

fn release_entry(
    release: FoundRelease,
    artifacts: Vec<ArtifactEntry>,
    channels: Vec<String>,
    now: Timestamp,
) -> ReleaseEntry {
    let part = release.rollout.basis_points(now);
    let version = release.version.to_string();
    let changelog = (!release.changelog.is_empty()).then(|| ChangelogEntry {
        version: version.clone(),
        changes: release.changelog,
        date: release.created_at.to_rfc3339(),
    });
    ReleaseEntry {
        id: release.id,
        app_name: release.app.into(),
        version,
        channel: release.channel.map(ChannelName::into).unwrap_or_default(),
        published: release.flags.published,
        critical: release.flags.critical,
        intermediate: release.flags.intermediate,
        artifacts,
        changelog: changelog.into_iter().collect(),
        created_at: release.created_at.to_rfc3339(),
        updated_at: release.updated_at.to_rfc3339(),
        rollout_percent: part.percent().into(),
        basis_points: part.get(),
        rollout_state: release.rollout.state(now).as_str().to_owned(),
        rollout_seed: release.rollout.seed,
        state: release.state.as_str().to_owned(),
        publish_at: release.publish_at.map(Timestamp::to_rfc3339),
        revision: release.revision,
        channels,
    }
}

#[cfg(test)]
mod tests {
    use spindrift_core::Permissions;

    use super::*;

    fn query(text: &str) -> Query {
        Query::parse(text).unwrap()
    }

    #[test]
    fn filters() {
        let filter =
            parse_filter(&query("app_name=My+App&published=false"), &Actor::Admin, Timestamp::default())
                .unwrap();
        assert_eq!(filter.app.unwrap().as_str(), "My App");
        assert_eq!((filter.published, filter.critical, filter.apps), (Some(false), None, None));
        for (text, expected) in [("state=published", true), ("state=draft&published=false", false)] {
            assert_eq!(
                parse_filter(&query(text), &Actor::Admin, Timestamp::default()).unwrap().published,
                Some(expected),
                "{text}"
            );
        }
        let member = Actor::TeamUser(Permissions::default());
        assert_eq!(parse_filter(&query(""), &member, Timestamp::default()).unwrap().apps, Some(Vec::new()));
        for (text, error) in [
            ("published=yes", "invalid published parameter"),
            ("critical=1", "invalid critical parameter"),
            ("state=hidden", "invalid state parameter"),
            ("state=draft&published=true", "state contradicts published"),
            ("app_name=a%2Fb", "invalid app_name parameter"),
        ] {
            let message =
                parse_filter(&query(text), &Actor::Admin, Timestamp::default()).unwrap_err().to_string();
            assert_eq!(message.split(": ").next(), Some(error), "{text}");
        }
    }
}
