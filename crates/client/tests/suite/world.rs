//! Clients and files for tests.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use spindrift_client::{CheckOptions, Client, Config, HttpSettings, HttpTransport, Sleep};
use tempfile::TempDir;

/// A timer that returns at once and records the pauses.
#[derive(Clone, Default)]
pub(crate) struct Pauses(Arc<Mutex<Vec<Duration>>>);

impl Pauses {
    pub(crate) fn all(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

impl Sleep for Pauses {
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        self.0.lock().unwrap().push(duration);
        Box::pin(async {})
    }
}

/// A client that ignores proxies, and its recorded pauses.
pub(crate) fn client(config: Config) -> (Client, Pauses) {
    let settings = HttpSettings { proxies: false, ..HttpSettings::default() };
    let pauses = Pauses::default();
    let transport = HttpTransport::new(&settings).unwrap();
    (Client::with_transport(config, transport).unwrap().with_sleep(pauses.clone()), pauses)
}

/// A timeout short enough for tests.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

pub(crate) fn options() -> CheckOptions {
    CheckOptions::new("acme", "notes", "1.2.0").with_target("stable", "linux", "amd64")
}

/// A folder for a download.
pub(crate) struct DownloadFolder {
    folder: TempDir,
}

impl DownloadFolder {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn target(&self) -> PathBuf {
        self.folder.path().join("app.deb")
    }

    /// Names of the files in the folder.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn content(&self) -> Vec<u8> {
        std::fs::read(self.target()).unwrap()
    }
}
