//! The applications, each with another kind of clients.

use percent_encoding::NON_ALPHANUMERIC;
use semver::Version;
use spindrift_tests::{Release, electron, squirrel, tauri, velopack};

/// The owner of all applications.
pub(super) const OWNER: &str = "acme";

/// An application with releases in one scope.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) app: &'static str,
    platform: &'static str,
    /// The feed that its clients read. `None`: they ask `/checkVersion`.
    pub(super) feed: Option<Feed>,
    pub(super) access: Access,
    /// A release of this version at its publisher.
    make: fn(&str) -> Release,
}

/// A feed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Feed {
    pub(super) name: &'static str,
    /// Whether clients without a device are told the rollout. Squirrel's also get the release to take if they are
    /// outside of it, so that only its devices ask.
    pub(super) staged: Option<Staged>,
}

/// How a feed tells of a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Staged {
    /// The feed is of one release.
    One,
    /// It is of two.
    Two,
}

/// Access to its files and answers, and their source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Everybody, from the storage.
    Public,
    /// Everybody; answers are also objects in the CDN bucket. A new version would write all of them, so it has few.
    Cdn,
    /// Holders of the download token.
    Token,
}

const fn manual(app: &'static str, access: Access) -> Line {
    Line { app, platform: "linux", feed: None, access, make: |version| Release::new(version) }
}

const fn native(
    app: &'static str,
    platform: &'static str,
    (name, staged): (&'static str, Option<Staged>),
    make: fn(&str) -> Release,
) -> Line {
    Line { app, platform, feed: Some(Feed { name, staged }), access: Access::Public, make }
}

/// All of them.
pub(super) const LINES: [Line; 7] = [
    manual("notes", Access::Public),
    manual("vault", Access::Token),
    manual("pages", Access::Cdn),
    native("editor", "linux", ("latest-linux.yml", Some(Staged::One)), |version| {
        electron(version, "latest-linux.yml", &[&format!("notes-{version}.AppImage")])
    }),
    native("player", "linux", ("tauri.json", None), |version| {
        tauri(version, &format!("notes-{version}.AppImage"))
    }),
    native("mailer", "windows", ("RELEASES", Some(Staged::Two)), |version| squirrel(version, &[])),
    native("reader", "windows", ("releases.win.json", None), |version| velopack(version, &[])),
];

impl Line {
    /// A release to be uploaded.
    pub(super) fn release(&self, version: &Version) -> Release {
        (self.make)(&version.to_string()).with("app_name", self.app)
    }

    /// The scope and a version, as parameters of a query.
    pub(super) fn query(&self, version: &Version) -> String {
        let Self { app, platform, .. } = self;
        let version =
            percent_encoding::utf8_percent_encode(&version.to_string(), NON_ALPHANUMERIC).to_string();
        format!(
            "app_name={app}&version={version}&channel=stable&platform={platform}&arch=amd64&owner={OWNER}"
        )
    }

    /// The scope, as segments of a path.
    pub(super) fn segments(&self) -> String {
        format!("{OWNER}/{}/stable/{}/amd64", self.app, self.platform)
    }
}
