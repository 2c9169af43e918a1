//! Parse, load, decide, render.

use http::{StatusCode, header};
use spindrift_api::{LatestBody, LatestUrl};
use spindrift_core::{AppName, ArchName, ChannelName, Package, PlatformName, UserName};
use spindrift_db::latest::{self, LatestArtifact};
use spindrift_db::lookups;
use spindrift_service::links::Links;
use spindrift_service::private_links;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Query, Request, Response, response};

/// Key of a dimension that the application does not use.
const UNUSED: &str = "default";
const NOTHING: &str = "No matching data found for the provided parameters";

struct Filters {
    channel: Option<ChannelName>,
    platform: Option<PlatformName>,
    arch: Option<ArchName>,
    package: Option<Package>,
}

impl Filters {
    fn parse(query: &Query) -> Result<Self, ApiError> {
        Ok(Self {
            channel: query.optional("channel")?,
            platform: query.optional("platform")?,
            arch: query.optional("arch")?,
            package: query.optional("package")?,
        })
    }

    fn admit(&self, artifact: &LatestArtifact) -> bool {
        (self.channel.is_none() || self.channel == artifact.channel)
            && (self.platform.is_none() || self.platform == artifact.platform)
            && (self.arch.is_none() || self.arch == artifact.arch)
            && self.package.as_ref().is_none_or(|package| *package == artifact.package)
    }
}

pub(crate) fn latest<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let query = request.query()?;
    let app_name: AppName = query.required("app_name")?;
    let owner: UserName = query.required("owner")?;
    let filters = Filters::parse(&query)?;
    let mut artifacts = load(ports, &owner, &app_name)?;
    artifacts.retain(|artifact| filters.admit(artifact));
    let links = Links::new(ports)?;
    let mut urls =
        artifacts.iter().map(|artifact| links.to(&artifact.object)).collect::<Result<Vec<_>, _>>()?;
    let audience = private_links::carry(&mut urls, private_links::sent_token(request, &query).as_ref());
    let mut response = match urls.as_slice() {
        [] => return Err(ApiError::NotFound(NOTHING.into()).into()),
        [one] => response::redirect(one)?,
        _ => response::json(StatusCode::OK, &body(&artifacts, urls))?,
    };
    let if_none_match = request.header(header::IF_NONE_MATCH.as_str());
    if !audience.is_personal() {
        response = response::cacheable(response, if_none_match);
    }
    Ok(audience.mark(response))
}

/// Unknown owners and applications have nothing, as the interface words it.
fn load<P: Ports>(ports: &P, owner: &UserName, app: &AppName) -> Result<Vec<LatestArtifact>, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let Some(owner) = lookups::user_by_name(&conn, owner)?.filter(|owner| owner.user.team.is_none()) else {
        return Ok(Vec::new());
    };
    match lookups::app_by_name(&conn, &owner.user.id, app)? {
        Some(app) => Ok(latest::artifacts(&conn, &app.id)?),
        None => Ok(Vec::new()),
    }
}

/// `urls` are those of the artifacts.
fn body(artifacts: &[LatestArtifact], urls: Vec<String>) -> LatestBody {
    let mut body = LatestBody::new();
    for (artifact, url) in artifacts.iter().zip(urls) {
        let channel = artifact.channel.as_ref().map_or(UNUSED, ChannelName::as_str);
        let platform = artifact.platform.as_ref().map_or(UNUSED, PlatformName::as_str);
        let arch = artifact.arch.as_ref().map_or(UNUSED, ArchName::as_str);
        body.entry(channel.to_owned())
            .or_default()
            .entry(platform.to_owned())
            .or_default()
            .entry(arch.to_owned())
            .or_default()
            .insert(artifact.package.as_str().to_owned(), LatestUrl { url });
    }
    body
}
