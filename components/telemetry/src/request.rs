//! The queries of beacons and of figures.

use std::str::FromStr;

use spindrift_core::{
    AppName, ArchName, ChannelName, Day, Days, DeviceId, DownloadWay, PlatformName, Scope, TextRule,
    UserName, Version,
};
use spindrift_web::{ApiError, Query, Request};

use crate::days;

/// Maximum number of names in one filter.
const MAX_NAMES: usize = 100;
/// The header with the device id, as written in error texts.
const DEVICE_HEADER: &str = "X-Device-ID";

#[derive(Debug)]
pub(crate) struct BeaconRequest {
    pub(crate) scope: Scope,
    pub(crate) version: Version,
    pub(crate) device: DeviceId,
    /// `None`: the service decides.
    pub(crate) is_latest: Option<bool>,
    /// The version that the client has downloaded, and how. `None`: it reports no download.
    pub(crate) download: Option<(Version, DownloadWay)>,
}

impl BeaconRequest {
    pub(crate) fn parse(request: &Request) -> Result<Self, ApiError> {
        let device = request.header("x-device-id").ok_or_else(|| ApiError::missing(DEVICE_HEADER))?;
        let device = spindrift_web::parse_parameter(DEVICE_HEADER, device)?;
        let query = request.query()?;
        let app: AppName = query.required("app_name")?;
        let version = query.required_version("version")?;
        let channel: ChannelName = query.required("channel")?;
        let platform: PlatformName = query.required("platform")?;
        let arch: ArchName = query.required("arch")?;
        let owner: UserName = query.required("owner")?;
        Ok(Self {
            scope: Scope { owner, app, channel: Some(channel), platform: Some(platform), arch: Some(arch) },
            version,
            device,
            is_latest: query.optional("is_latest")?,
            download: download(&query)?,
        })
    }
}

fn download(query: &Query) -> Result<Option<(Version, DownloadWay)>, ApiError> {
    let Some(version) = query.optional_version("downloaded")? else { return Ok(None) };
    Ok(Some((version, query.required("way")?)))
}

/// The selected figures; a filter of `None` matches everything.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FiguresRequest {
    pub(crate) first: Day,
    pub(crate) last: Day,
    pub(crate) apps: Option<Vec<AppName>>,
    pub(crate) channels: Option<Vec<ChannelName>>,
    pub(crate) platforms: Option<Vec<PlatformName>>,
    pub(crate) archs: Option<Vec<ArchName>>,
}

impl FiguresRequest {
    pub(crate) fn parse(query: &Query, today: Day) -> Result<Self, ApiError> {
        let Days { first, last } = days::parse_or(query, 1, today)?;
        Ok(Self {
            first,
            last,
            apps: names(query, "apps")?,
            channels: names(query, "channels")?,
            platforms: names(query, "platforms")?,
            archs: names(query, "architectures")?,
        })
    }
}

/// A comma-separated list.
fn names<T: FromStr + TextRule>(query: &Query, name: &'static str) -> Result<Option<Vec<T>>, ApiError> {
    let Some(list) = query.get(name) else { return Ok(None) };
    let names: Vec<&str> = list.split(',').map(str::trim).collect();
    if names.len() > MAX_NAMES {
        return Err(ApiError::invalid(name, &format!("at most {MAX_NAMES} names"), None));
    }
    names
        .into_iter()
        .map(|text| spindrift_web::parse_parameter(name, text))
        .collect::<Result<_, _>>()
        .map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<FiguresRequest, ApiError> {
        FiguresRequest::parse(&Query::parse(query).unwrap(), "2026-11-21".parse().unwrap())
    }

    fn range(query: &str) -> (String, String) {
        let request = parse(query).unwrap();
        (request.first.to_string(), request.last.to_string())
    }

    #[test]
    fn ranges() {
        for (query, first, last) in [
            ("", "2026-11-21", "2026-11-21"),
            ("date=2026-11-01", "2026-11-01", "2026-11-01"),
            ("range=week", "2026-11-15", "2026-11-21"),
            ("range=month&date=2026-03-01", "2026-01-31", "2026-03-01"),
            ("range=quarter", "2026-08-24", "2026-11-21"),
        ] {
            assert_eq!(range(query), (first.to_owned(), last.to_owned()), "{query}");
        }
    }

    #[test]
    fn faults() {
        let many = format!("apps={}", vec!["a"; 101].join(","));
        for (query, name) in [
            ("date=2026-02-30", "date"),
            ("date=today", "date"),
            ("range=year", "range"),
            ("channels=a,,b", "channels"),
            ("platforms=a/b", "platforms"),
            ("architectures=a b", "architectures"),
            (&many, "apps"),
        ] {
            let message = parse(query).unwrap_err().to_string();
            assert!(message.starts_with(&format!("invalid {name} parameter: ")), "{query}: {message}");
        }
    }

    #[test]
    fn filters() {
        let request = parse("apps=My+App,other&channels=stable").unwrap();
        assert_eq!(request.apps, Some(vec!["My App".parse().unwrap(), "other".parse().unwrap()]));
        assert_eq!(request.channels, Some(vec!["stable".parse().unwrap()]));
        assert_eq!((request.platforms, request.archs), (None, None));
    }
}
