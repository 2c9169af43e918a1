//! Velopack: the `UpdateManager` of its crate, in an app folder laid out as by its setup. [`Library`] has its
//! other libraries and versions.
//!
//! Deltas are applied by a program that is part of the setup and not of the crate. Here an empty file takes
//! its place. So the manager downloads and checks the deltas, cannot apply them, and uses the full package.

mod library;

use std::path::PathBuf;

pub use library::{Library, Updated};
use serde_json::json;
use tempfile::TempDir;
use velopack::locator::VelopackLocatorConfig;
use velopack::sources::HttpSource;
use velopack::{Error, UpdateCheck, UpdateInfo, UpdateManager, UpdateOptions};

use super::nupkg::{Package, sha1_hex};
use crate::digests::sha256_hex;

#[derive(Debug, Clone)]
pub struct VelopackApp {
    /// Base URL of the feed.
    pub base: String,
    pub id: String,
    pub version: String,
    /// The channel of the installed version.
    pub channel: String,
    /// The id of the installation at the service; the crate generates one if `None`.
    pub staging_id: Option<String>,
    /// Whether the app installs the newest version in the feed if it is older than its own.
    pub allow_downgrade: bool,
    /// Whether the package of the installed version is kept. Deltas need it.
    pub keeps_package: bool,
}

#[derive(Debug)]
pub enum Checked {
    /// The feed has no full package.
    Empty,
    /// There is nothing newer.
    Current,
    /// A newer version, with the deltas to it.
    Update(Box<UpdateInfo>),
}

impl Checked {
    /// The update. Any other result fails the test.
    pub fn update(self) -> UpdateInfo {
        match self {
            Self::Update(update) => *update,
            other => panic!("no update: {other:?}"),
        }
    }
}

impl VelopackApp {
    /// An app that keeps the package of the installed version.
    pub fn new(base: &str, id: &str, version: &str, channel: &str) -> Self {
        Self {
            base: base.to_owned(),
            id: id.to_owned(),
            version: version.to_owned(),
            channel: channel.to_owned(),
            staging_id: None,
            allow_downgrade: false,
            keeps_package: true,
        }
    }

    /// Creates the app in its own folder.
    pub fn install(&self) -> Result<InstalledApp, Error> {
        let (layout, folder) = self.lay_out()?;
        let packages = layout.PackagesDir.clone();
        let options =
            UpdateOptions { AllowVersionDowngrade: self.allow_downgrade, ..UpdateOptions::default() };
        let manager = UpdateManager::new(HttpSource::new(&self.base), Some(options), Some(layout))?;
        Ok(InstalledApp { manager, packages, _folder: folder })
    }

    /// The app's files in a folder, as its setup leaves them.
    fn lay_out(&self) -> std::io::Result<(VelopackLocatorConfig, TempDir)> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        let (packages, current) = (root.join("packages"), root.join("current"));
        std::fs::create_dir(&packages)?;
        std::fs::create_dir(&current)?;
        let package = Package::new(&self.id, &self.version).with_channel(&self.channel);
        std::fs::write(current.join("sq.version"), package.nuspec())?;
        std::fs::write(root.join("Update.exe"), [])?;
        if self.keeps_package {
            std::fs::write(packages.join(package.full_name()), package.bytes())?;
        }
        if let Some(id) = &self.staging_id {
            std::fs::write(packages.join(".betaId"), id)?;
        }
        let layout = VelopackLocatorConfig {
            RootAppDir: root.to_owned(),
            UpdateExePath: root.join("Update.exe"),
            PackagesDir: packages,
            ManifestPath: current.join("sq.version"),
            CurrentBinaryDir: current,
            IsPortable: true,
        };
        Ok((layout, folder))
    }
}

/// An app with its update manager. Dropping it removes its folder.
pub struct InstalledApp {
    manager: UpdateManager,
    packages: PathBuf,
    _folder: TempDir,
}

impl InstalledApp {
    /// Requests the feed and decides.
    pub fn check(&self) -> Result<Checked, Error> {
        Ok(match self.manager.check_for_updates()? {
            UpdateCheck::RemoteIsEmpty => Checked::Empty,
            UpdateCheck::NoUpdateAvailable => Checked::Current,
            UpdateCheck::UpdateAvailable(update) => Checked::Update(update),
        })
    }

    /// Downloads an update, which the crate checks against the feed. Returns the package.
    pub fn download(&self, update: &UpdateInfo) -> Result<Vec<u8>, Error> {
        self.manager.download_updates(update, None)?;
        let pending = self.manager.get_update_pending_restart().map(|asset| asset.FileName);
        let name = pending.unwrap_or_else(|| update.TargetFullRelease.FileName.clone());
        Ok(std::fs::read(self.packages.join(name))?)
    }
}

#[derive(Debug, Clone)]
pub struct FeedPackage {
    pub file_name: String,
    bytes: Vec<u8>,
    entry: serde_json::Value,
}

impl FeedPackage {
    pub fn full(id: &str, version: &str, channel: &str, program: &[u8]) -> Self {
        let package = Package::new(id, version).with_channel(channel).with_file("App.exe", program);
        Self::of(id, version, "Full", package.full_name(), package.bytes())
    }

    /// A package of type `Delta`. It is listed and downloaded as a delta, but its content does not come from
    /// the packager.
    pub fn delta(id: &str, version: &str, channel: &str, difference: &[u8]) -> Self {
        let package = Package::new(id, version).with_channel(channel).with_file("App.exe.zsdiff", difference);
        Self::of(id, version, "Delta", package.delta_name(), package.bytes())
    }

    fn of(id: &str, version: &str, kind: &str, file_name: String, bytes: Vec<u8>) -> Self {
        let entry = json!({
            "PackageId": id, "Version": version, "Type": kind, "FileName": file_name, "SHA1": sha1_hex(&bytes),
            "SHA256": sha256_hex(&bytes).to_ascii_uppercase(), "Size": bytes.len(),
        });
        Self { file_name, bytes, entry }
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// `releases.{channel}.json` as the packager writes it.
pub fn feed(packages: &[&FeedPackage]) -> Vec<u8> {
    let entries: Vec<_> = packages.iter().map(|package| &package.entry).collect();
    json!({ "Assets": entries }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_server::{Entry, FileServer};

    fn served(packages: &[&FeedPackage]) -> FileServer {
        let files = packages
            .iter()
            .map(|package| (format!("/{}", package.file_name), Entry::File(package.bytes().to_vec())));
        let index = ("/releases.win.json".to_owned(), Entry::File(feed(packages)));
        FileServer::start(files.chain([index]))
    }

    fn app(server: &FileServer, version: &str) -> VelopackApp {
        VelopackApp::new(&server.url(), "App", version, "win")
    }

    fn paths(server: &FileServer) -> Vec<String> {
        server.asked().iter().map(|target| target.split('?').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_full_package_is_found_and_downloaded() {
        let new = FeedPackage::full("App", "1.1.0", "win", b"new");
        let server = served(&[&FeedPackage::full("App", "1.0.0", "win", b"old"), &new]);
        let mut described = app(&server, "1.0.0");
        described.staging_id = Some("11111111-2222-4333-8444-555555555555".to_owned());
        let app = described.install().unwrap();

        let update = app.check().unwrap().update();

        assert_eq!((update.TargetFullRelease.Version.as_str(), update.DeltasToTarget.len()), ("1.1.0", 0));
        assert_eq!(app.download(&update).unwrap(), new.bytes());
        assert_eq!(
            server.asked()[0],
            "/releases.win.json?localVersion=1.0.0&id=App&stagingId=11111111-2222-4333-8444-555555555555"
        );
    }

    #[test]
    fn deltas_lead_from_the_package_that_is_there() {
        let full = FeedPackage::full("App", "1.2.0", "win", b"new");
        let deltas =
            ["1.2.0", "1.1.0", "1.0.0"].map(|version| FeedPackage::delta("App", version, "win", b"d"));
        let server = served(&[&full, &deltas[0], &deltas[1], &deltas[2]]);
        let installed = app(&server, "1.0.0").install().unwrap();

        let update = installed.check().unwrap().update();

        let versions: Vec<_> = update.DeltasToTarget.iter().map(|asset| asset.Version.as_str()).collect();
        assert_eq!(versions, ["1.1.0", "1.2.0"]);
        assert_eq!(installed.download(&update).unwrap(), full.bytes());
        let names = ["App-1.1.0-delta.nupkg", "App-1.2.0-delta.nupkg", "App-1.2.0-full.nupkg"];
        assert_eq!(paths(&server)[1..], names.map(|name| format!("/{name}")));

        let bare = VelopackApp { keeps_package: false, ..app(&server, "1.0.0") };
        let update = bare.install().unwrap().check().unwrap().update();
        assert_eq!(update.DeltasToTarget.len(), 0);
    }

    #[test]
    fn there_may_be_nothing_newer() {
        let server = served(&[&FeedPackage::full("App", "1.1.0", "win", b"1")]);
        assert!(matches!(app(&server, "1.1.0").install().unwrap().check().unwrap(), Checked::Current));
        let mut newer = app(&server, "2.0.0");
        assert!(matches!(newer.install().unwrap().check().unwrap(), Checked::Current));
        newer.allow_downgrade = true;
        assert!(newer.install().unwrap().check().unwrap().update().IsDowngrade);
        let empty = served(&[]);
        assert!(matches!(app(&empty, "1.0.0").install().unwrap().check().unwrap(), Checked::Empty));
        let other = VelopackApp { channel: "osx".to_owned(), ..app(&empty, "1.0.0") };
        assert!(other.install().unwrap().check().is_err());
    }

    #[test]
    fn a_package_that_is_not_the_one_of_the_feed_is_refused() {
        let good = FeedPackage::full("App", "1.1.0", "win", b"good");
        let bad = FeedPackage::full("App", "1.1.0", "win", b"evil");
        let server = FileServer::start([
            ("/releases.win.json", Entry::File(feed(&[&good]))),
            ("/App-1.1.0-full.nupkg", Entry::File(bad.bytes().to_vec())),
        ]);
        let app = app(&server, "1.0.0").install().unwrap();
        let update = app.check().unwrap().update();
        assert!(matches!(app.download(&update), Err(Error::ChecksumInvalid(..) | Error::SizeInvalid(..))));
    }

    /// A package behind a redirect. The feed calls it by this name, in which `{files}` is the server that has
    /// it.
    fn redirecting(file_name: &str) -> ([FileServer; 2], FeedPackage) {
        let package = FeedPackage::full("App", "1.1.0", "win", b"good");
        let files = FileServer::start([("/1", Entry::File(package.bytes().to_vec()))]);
        let index = String::from_utf8(feed(&[&package])).unwrap();
        let index = index.replace(&package.file_name, &file_name.replace("{files}", &files.url()));
        let server = FileServer::start([
            ("/releases.win.json", Entry::File(index.into_bytes())),
            ("/App-1.1.0-full.nupkg", Entry::Redirect(format!("{}/1", files.url()))),
        ]);
        ([server, files], package)
    }

    #[test]
    fn every_library_follows_redirects() {
        let ([server, _files], package) = redirecting("App-1.1.0-full.nupkg");
        for library in Library::ALL {
            let Some(updated) = library.update(&app(&server, "1.0.0")) else { continue };
            let expected = Updated { version: "1.1.0".to_owned(), package: package.bytes().to_vec() };
            assert_eq!(updated, Ok(Some(expected)), "{library:?}");
            let current = library.update(&app(&server, "1.1.0")).unwrap();
            assert_eq!(current, Ok(None), "{library:?}");
        }
    }

    /// The libraries append the file name in the feed to the folder of the packages.
    #[test]
    fn no_library_downloads_from_an_absolute_address() {
        let ([server, _files], _) = redirecting("{files}/1");
        for library in Library::ALL {
            let Some(updated) = library.update(&app(&server, "1.0.0")) else { continue };
            assert!(updated.unwrap_err().contains("No such file or directory"), "{library:?}");
        }
    }
}
