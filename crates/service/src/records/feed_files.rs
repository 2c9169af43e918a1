//! URLs of the files that feeds name. They come from the database or, at an edge, from the origin, because
//! records omit releases that are never offered.

use spindrift_core::{FileName, Scope, Updater, Version, encode_segments};
use spindrift_db::release_feeds::{self, ReferencedFile};

use super::origin;
use super::resolved_scope::{ResolvedScope, resolve};
use crate::links::DownloadLinks;
use crate::{Ports, ServiceError};

/// The releases that a file may come from.
#[derive(Debug, Clone, Copy)]
pub enum FileSource<'a> {
    /// The newest release that has the file, for a client with this version.
    Newest(&'a Version),
    /// Only the release with this version.
    Release(&'a Version),
}

/// The URL of a file of a release with a feed. `None` if no such release has the file.
pub async fn link<P: Ports>(
    ports: &P,
    scope: &Scope,
    source: FileSource<'_>,
    file_name: &str,
) -> Result<Option<String>, ServiceError> {
    let Ok(name) = file_name.parse::<FileName>() else { return Ok(None) };
    let ask = async |base: String| {
        let path = match source {
            FileSource::Newest(client) => origin::feed_path(scope, client, "", file_name),
            FileSource::Release(version) => origin::file_path(scope, version, file_name),
        };
        origin::location(ports, &base, &path).await
    };
    if let Some(asked) = origin::ask_at_edge(ports, ask) {
        return asked.await;
    }
    let version = match source {
        FileSource::Newest(_) => None,
        FileSource::Release(version) => Some(version),
    };
    let conn = spindrift_db::open(ports, ports.now())?;
    let ResolvedScope { record, target, links, .. } = resolve(ports, &conn, scope)?;
    let file = release_feeds::newest_file(&conn, &record.app_id, &target, version, &name, ports.now())?;
    file_url(file, &links)
}

/// A Velopack package, as named in a path: decoded segments that need not be valid names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackagePath {
    /// User name of the application's owner.
    pub owner: String,
    pub app: String,
    /// The platform; `default` if the owner uses none.
    pub platform: String,
    /// The architecture; `default` if the owner uses none.
    pub arch: String,
    pub name: String,
}

/// The URL of a package, from the newest release of any channel that has it.
pub async fn package_link<P: Ports>(ports: &P, path: &PackagePath) -> Result<Option<String>, ServiceError> {
    let PackagePath { owner, app, platform, arch, name } = path;
    let names = [owner, app, platform, arch, name].map(String::as_str);
    let ask = async |base: String| {
        origin::location(ports, &base, &format!("/velopack/{}", encode_segments(names))).await
    };
    if let Some(asked) = origin::ask_at_edge(ports, ask) {
        return asked.await;
    }
    let conn = spindrift_db::open(ports, ports.now())?;
    let file = release_feeds::newest_package(&conn, names, Updater::Velopack, ports.now())?;
    file_url(file, &DownloadLinks::new(ports)?)
}

/// The URL of a file. Fails if its release was withdrawn.
fn file_url(file: Option<ReferencedFile>, links: &DownloadLinks) -> Result<Option<String>, ServiceError> {
    match file {
        Some(ReferencedFile::Published(object)) => links.url_of(&object).map(Some),
        Some(ReferencedFile::Withdrawn) => Err(ServiceError::Withdrawn),
        None => Ok(None),
    }
}
