//! Parse, load, decide, render.

use std::collections::BTreeMap;

use http::StatusCode;
use spindrift_api::{LatestBody, LatestUrl};
use spindrift_core::{AppName, LatestBuilds, LatestFilter, UserName, latest_urls};
use spindrift_service::answers::{self, private_links};
use spindrift_service::records::latest;
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, Query, Request, Response, response};

pub(crate) fn latest<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let query = request.query()?;
    let app_name: AppName = query.required("app_name")?;
    let owner: UserName = query.required("owner")?;
    let filter = filter(&query)?;
    request.context().set_owner(&owner);
    let record = latest::load(ports, &owner, &app_name)?;
    let mut builds = filter.filtered(&record.builds);
    let audience =
        private_links::carry_token(&mut builds, private_links::sent_token(request, &query).as_ref());
    let mut urls = latest_urls(&builds);
    let mut response = match (urls.next(), urls.next()) {
        (None, _) => return Err(ServiceError::NoBuilds.into()),
        (Some(one), None) => response::redirect(one)?,
        (Some(_), Some(_)) => {
            drop(urls);
            response::json(StatusCode::OK, &body(builds))?
        }
    };
    if !audience.is_personal() {
        let max_age = record.valid_until.map(|end| answers::seconds_until(ports.now(), Some(end)));
        response = response::cacheable_for(response, max_age.unwrap_or(response::CACHE_SECONDS));
    }
    Ok(audience.mark(response))
}

fn filter(query: &Query) -> Result<LatestFilter, ApiError> {
    Ok(LatestFilter {
        channel: query.optional("channel")?,
        platform: query.optional("platform")?,
        arch: query.optional("arch")?,
        package: query.optional("package")?,
    })
}

fn body(builds: LatestBuilds) -> LatestBody {
    each(builds, |platforms| {
        each(platforms, |archs| each(archs, |packages| each(packages, |url| LatestUrl { url })))
    })
}

fn each<T, U>(entries: BTreeMap<String, T>, to: impl Fn(T) -> U) -> BTreeMap<String, U> {
    entries.into_iter().map(|(key, value)| (key, to(value))).collect()
}
