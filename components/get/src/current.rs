//! The files that a new copy gets from a channel: those of `/apps/latest`, with everything
//! that a page says about them.

use spindrift_core::{
    ArchName, ChannelName, PlatformName, System, Timestamp, Version, Visibility, Visitor,
    dimension_or_default,
};
use spindrift_db::SqlConn;
use spindrift_db::latest::{self, AppWithPage, LatestArtifactRow};
use spindrift_service::answers::private_links::{Audience, carry_token, sent_token};
use spindrift_service::links::DownloadLinks;
use spindrift_service::{Failure, Ports};
use spindrift_web::Request;

use crate::address::{AppAddress, no_page};

/// The channel that a page shows if the owner has no default.
const STABLE: &str = "stable";

/// The newest files of a channel.
pub(crate) struct Current {
    pub(crate) app: AppWithPage,
    pub(crate) files: Vec<CurrentFile>,
    /// When a step of a rollout may change the files.
    pub(crate) valid_until: Option<Timestamp>,
    pub(crate) audience: Audience,
}

/// A file, and its link.
pub(crate) struct CurrentFile {
    pub(crate) row: LatestArtifactRow,
    pub(crate) url: String,
}

/// Loads the application of a page. Without a page, it is unknown.
pub(crate) fn app(
    conn: &impl SqlConn,
    request: &Request,
    address: &AppAddress,
) -> Result<AppWithPage, Failure> {
    let app = latest::app_with_page(conn, &address.owner, &address.app)?.ok_or_else(no_page)?;
    request.context().set_owner(&address.owner);
    Ok(app)
}

impl Current {
    /// Loads the files of the channel that the request names, or else of the one that the page is about.
    pub(crate) fn load<P: Ports>(
        ports: &P,
        request: &Request,
        address: &AppAddress,
    ) -> Result<Self, Failure> {
        let query = request.query()?;
        let channel: Option<ChannelName> = query.optional("channel")?;
        let token = sent_token(request, &query);
        let conn = spindrift_db::open(ports, ports.now())?;
        let app = app(&conn, request, address)?;
        let (rows, valid_until) = latest::artifacts(&conn, &app.app, ports.now())?;
        let rows = of_channel(rows, channel.as_ref(), app.default_channel.as_ref());
        let (links, mut audience) = (DownloadLinks::new(ports)?, Audience::Public);
        let mut files = Vec::new();
        for row in for_people(rows) {
            let mut url = links.url_of(&row.object)?;
            audience = carry_token(&mut url, token.as_ref());
            files.push(CurrentFile { row, url });
        }
        Ok(Self { app, files, valid_until, audience })
    }

    /// The file that fits the visitor's system best.
    pub(crate) fn best_for(&self, visitor: Visitor) -> Option<&CurrentFile> {
        let fitting = self.files.iter().filter_map(|file| Some((file.fit(visitor)?, file)));
        fitting.min_by_key(|(fit, _)| *fit).map(|(_, file)| file)
    }

    /// The file of the newest release.
    pub(crate) fn newest(&self) -> Option<&CurrentFile> {
        self.files.iter().max_by(|one, other| one.row.version.cmp(&other.row.version))
    }

    /// The newest version.
    pub(crate) fn version(&self) -> Option<&Version> {
        self.newest().map(|file| &file.row.version)
    }
}

impl CurrentFile {
    fn fit(&self, visitor: Visitor) -> Option<(usize, usize)> {
        visitor.fit(self.platform(), self.arch(), &self.row.package)
    }

    fn platform(&self) -> Option<&str> {
        self.row.platform.as_ref().map(PlatformName::as_str)
    }

    fn arch(&self) -> Option<&str> {
        self.row.arch.as_ref().map(ArchName::as_str)
    }

    pub(crate) fn system(&self) -> Option<System> {
        System::of_file(self.platform(), &self.row.package)
    }

    /// The system and the processor, for people. Empty if the publisher names neither.
    pub(crate) fn place(&self) -> String {
        let system = self.system().map(System::name).or_else(|| self.platform());
        system.into_iter().chain(self.arch()).collect::<Vec<_>>().join(" ")
    }

    /// Whether only some may download it. The page then shows neither its size nor its digest, because checks
    /// do not say them.
    pub(crate) fn is_private(&self) -> bool {
        self.row.object.bucket == Visibility::Private
    }
}

/// The systems of the files, each once.
pub(crate) fn systems(files: &[CurrentFile]) -> Vec<System> {
    let mut systems: Vec<System> = Vec::new();
    for system in files.iter().filter_map(CurrentFile::system) {
        if !systems.contains(&system) {
            systems.push(system);
        }
    }
    systems
}

/// The files of the requested channel; without a request, of the owner's default channel, of `stable`, of no
/// channel, or of the only channel, in this order.
fn of_channel(
    rows: Vec<LatestArtifactRow>,
    requested: Option<&ChannelName>,
    default: Option<&ChannelName>,
) -> Vec<LatestArtifactRow> {
    let name_of = |row: &LatestArtifactRow| {
        dimension_or_default(row.channel.as_ref().map(ChannelName::as_str)).to_owned()
    };
    let has = |name: &str| rows.iter().any(|row| name_of(row) == name);
    let unused = dimension_or_default(None);
    let chosen = match requested.or(default) {
        Some(channel) => Some(channel.to_string()),
        None if has(STABLE) => Some(STABLE.to_owned()),
        None if has(unused) => Some(unused.to_owned()),
        None => {
            let only = rows.first().map(name_of);
            only.filter(|only| rows.iter().all(|row| name_of(row) == *only))
        }
    };
    rows.into_iter().filter(|row| Some(name_of(row)) == chosen).collect()
}

/// Without the files that only updaters fetch, and with one file of each package, as in `/apps/latest`.
fn for_people(mut rows: Vec<LatestArtifactRow>) -> Vec<LatestArtifactRow> {
    rows.retain(|row| !row.package.is_feed_only());
    rows.dedup_by(|next, first| {
        (&next.platform, &next.arch, &next.package) == (&first.platform, &first.arch, &first.package)
    });
    rows
}
