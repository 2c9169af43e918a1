//! An application that uses the client library.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use spindrift_client::{
    CheckOptions, Client, Config, Error, Transport, Trust, TrustConfig, Trusted, Update, Withheld,
};
use tempfile::TempDir;

use super::web::Web;
use crate::digests::sha256_hex;
use crate::runtime::runtime;

/// An installed application, and its state.
#[derive(Debug)]
pub struct App {
    folder: TempDir,
    client: Client,
    options: CheckOptions,
    config: TrustConfig,
}

impl App {
    /// Version 1.0.0 of `acme/notes` for channel `stable` on Windows, with this root.
    pub fn new(web: &Web, root: &[u8]) -> Self {
        Self::over(web.clone(), Web::SERVICE, root)
    }

    /// Like [`Self::new`], with another transport and service.
    pub fn over(transport: impl Transport, service: &str, root: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let client = Client::with_transport(Config::new(service), transport).expect("a client");
        let options = CheckOptions::new("acme", "notes", "1.0.0").with_target("stable", "windows", "amd64");
        let config = TrustConfig::new(root, "acme/notes", folder.path().join("state"));
        Self { folder, client, options, config }
    }

    /// Changes the configuration that the application is built with.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(TrustConfig) -> TrustConfig) -> Self {
        self.config = change(self.config);
        self
    }

    /// Changes the options of the installed copy.
    #[must_use]
    pub fn installed(mut self, change: impl FnOnce(CheckOptions) -> CheckOptions) -> Self {
        self.options = change(self.options);
        self
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The library, as after a start of the application.
    pub fn trust(&self) -> Trust {
        self.try_trust().expect("a valid configuration")
    }

    /// The library, or the error for its configuration.
    pub fn try_trust(&self) -> Result<Trust, Error> {
        self.client.trust(&self.config, &self.options)
    }

    pub fn check(&self) -> Option<Update> {
        runtime().block_on(self.client.check(&self.options)).expect("an answer")
    }

    /// Checks for an update, which must exist, and asks for its ZIP file.
    pub fn update(&self) -> Result<Trusted, Error> {
        self.update_of("zip")
    }

    /// Like [`Self::update`], for another package.
    pub fn update_of(&self, package: &str) -> Result<Trusted, Error> {
        let update = self.check().expect("an update");
        runtime().block_on(self.trust().trusted(&update, package))
    }

    /// Downloads a trusted file. A refusal leaves no file.
    pub fn download(&self, trusted: &Trusted, url: &str) -> Result<Vec<u8>, Error> {
        self.download_within(Duration::MAX, trusted, url).expect("no limit")
    }

    /// Like [`Self::download`], with a time limit of the application. `None`: the limit was
    /// reached, and there is no file.
    pub fn download_within(
        &self,
        limit: Duration,
        trusted: &Trusted,
        url: &str,
    ) -> Option<Result<Vec<u8>, Error>> {
        let target = self.folder.path().join("file");
        let _before = std::fs::remove_file(&target);
        let download = trusted.download(url, &target);
        let downloading = self.client.download(&download, |_| {});
        let downloaded = runtime().block_on(async { tokio::time::timeout(limit, downloading).await.ok() });
        let bytes = std::fs::read(&target);
        match downloaded {
            Some(Ok(_)) => Some(Ok(bytes.expect("the file"))),
            refused => {
                assert!(bytes.is_err(), "a file was left: {refused:?}");
                refused.map(|refused| refused.map(|_| Vec::new()))
            }
        }
    }

    /// Verifies a file that something else has brought.
    pub fn verify(&self, version: &str, package: &str, bytes: &[u8]) -> Result<Trusted, Error> {
        let path = self.folder.path().join("brought");
        std::fs::write(&path, bytes).expect("a file");
        runtime().block_on(self.trust().verify_file(version, package, path))
    }

    pub fn refresh(&self) -> Result<(), Error> {
        runtime().block_on(self.trust().refresh())
    }

    /// Makes this many refreshes at the same time.
    pub fn refresh_at_once(&self, times: usize) -> Vec<Result<(), Error>> {
        let refreshes = (0..times).map(|_| {
            let trust = self.trust();
            runtime().spawn(async move { trust.refresh().await })
        });
        let refreshes: Vec<_> = refreshes.collect();
        refreshes.into_iter().map(|refresh| runtime().block_on(refresh).expect("no panic")).collect()
    }

    /// Checks, and asks for withheld versions.
    pub fn withheld(&self) -> Option<Withheld> {
        let update = self.check();
        runtime().block_on(self.trust().withheld(update.as_ref())).expect("valid metadata")
    }

    pub fn reset_clock(&self) {
        runtime().block_on(self.trust().reset_clock()).expect("a state");
    }

    /// The damaged state, if there was one.
    pub fn damaged_state(&self) -> Option<PathBuf> {
        runtime().block_on(self.trust().damaged_state()).expect("a folder")
    }

    pub fn state_file(&self, name: &str) -> PathBuf {
        self.config.state_dir.join(name)
    }

    /// The names of kept files.
    pub fn kept(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.state_file("metadata")).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// Changes the state, as if that had been true at the last refresh.
    pub fn edit_state(&self, edit: impl FnOnce(&mut Value)) {
        edit_state(&self.state_file("state.json"), edit);
    }
}

pub(super) fn edit_state(path: &Path, edit: impl FnOnce(&mut Value)) {
    let text = std::fs::read_to_string(path).expect("a state");
    let (_digest, json) = text.split_once('\n').expect("a digest and JSON");
    let mut state = serde_json::from_str(json).expect("JSON");
    edit(&mut state);
    let json = state.to_string();
    std::fs::write(path, format!("{}\n{json}", sha256_hex(json.as_bytes()))).expect("a state");
}
