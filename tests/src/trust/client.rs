//! The clients that verify, each as an application uses it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::library;
use super::place::Place;
use super::request::Request;
use super::role::TestTarget;
use super::tough;
use crate::packages::ClientPackage;

/// The error of a client that does not find a target.
pub const NOT_LISTED: &str = "not listed";

/// How long an application waits for one answer of a server, unless a test sets another time.
const LIMIT: Duration = Duration::from_mins(1);

/// A library that updates applications.
#[derive(Debug, Clone, Copy)]
pub enum Client {
    /// tough, begun each time with the newest root that it has verified.
    Tough,
    /// tough, begun each time with the root that the application was built with.
    ToughFromPinnedRoot,
    /// The project's own library. It asks for a version and a package, and has to find the target by itself.
    Library,
    PythonTuf(&'static ClientPackage),
    TufJs(&'static ClientPackage),
}

/// Every client that runs on this machine. Prints which.
pub fn clients() -> Vec<Client> {
    static PYTHON: ClientPackage = ClientPackage::python("python-tuf");
    static NODE: ClientPackage = ClientPackage::node("tuf-js");
    let python = PYTHON.available().map(Client::PythonTuf);
    let node = NODE.available().map(Client::TufJs);
    let clients: Vec<_> = [Some(Client::Tough), python, node].into_iter().flatten().collect();
    println!("clients: {}", clients.iter().map(|client| client.name()).collect::<Vec<_>>().join(", "));
    clients
}

/// [`clients`] and the project's own library, which finds targets by their descriptions.
pub fn clients_and_library() -> Vec<Client> {
    let mut clients = clients();
    clients.push(Client::Library);
    clients
}

impl Client {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tough => "tough",
            Self::ToughFromPinnedRoot => "tough from the pinned root",
            Self::Library => "the library",
            Self::PythonTuf(_) => "python-tuf",
            Self::TufJs(_) => "tuf-js",
        }
    }
}

/// An application with a client. It has state as soon as it has looked for an update.
#[derive(Debug)]
pub struct Installation {
    client: Client,
    folder: TempDir,
    limit: Duration,
}

/// A target that was downloaded and verified.
#[derive(Debug, PartialEq, Eq)]
pub struct Verified {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its metadata besides digests and length.
    pub custom: Value,
}

impl Installation {
    /// An application that was built with this root and has never looked for an update.
    pub fn new(client: Client, root: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("pinned.json"), root).expect("a file");
        std::fs::create_dir(folder.path().join("state")).expect("a folder");
        Self { client, folder, limit: LIMIT }
    }

    /// Waits for one answer of a server no longer than this.
    #[must_use]
    pub fn waits_for(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Changes the client's copy of a role, as time or another refresh would have done.
    pub fn keep(&self, role: &str, file: &[u8]) {
        let state = self.folder.path().join("state");
        if let Client::Library = self.client {
            return library::keep(&state, role, file);
        }
        let kept = state.join(format!("{role}.json"));
        assert!(kept.exists(), "{} keeps no {role}", self.client.name());
        std::fs::write(kept, file).expect("a file");
    }

    /// The folder with everything of the application.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn client(&self) -> Client {
        self.client
    }

    /// Refreshes the repository and downloads a target. The error begins with the name of the library's
    /// error. A refusal leaves no file.
    pub fn update(&self, place: &Place, target: &TestTarget) -> Result<Verified, String> {
        let [root, state, file] =
            ["pinned.json", "state", "target"].map(|name| self.folder.path().join(name));
        let request = Request { place, target, root, state, file, limit: self.limit };
        let custom = match self.client {
            Client::Tough => tough_update(&request, &newest_root(&request)),
            Client::ToughFromPinnedRoot => tough_update(&request, &request.root),
            Client::Library => library::update(&request),
            Client::PythonTuf(package) => ask(package, "update.py", &request),
            Client::TufJs(package) => ask(package, "update.mjs", &request),
        };
        let bytes = std::fs::read(&request.file);
        let _removed = std::fs::remove_file(&request.file);
        match custom {
            Ok(custom) => Ok(Verified { bytes: bytes.expect("the target"), custom }),
            Err(reason) => {
                assert!(bytes.is_err(), "{} left a file: {reason}", self.client.name());
                Err(reason)
            }
        }
    }
}

fn tough_update(request: &Request<'_>, root: &Path) -> Result<Value, String> {
    tough::update(request, root)?.ok_or_else(|| NOT_LISTED.to_owned())
}

/// tough writes the newest root into its folder and does not read it.
fn newest_root(request: &Request<'_>) -> PathBuf {
    Some(request.state.join("root.json")).filter(|path| path.exists()).unwrap_or_else(|| request.root.clone())
}

fn ask(package: &ClientPackage, script: &str, request: &Request<'_>) -> Result<Value, String> {
    let path = |path: &Path| path.to_str().expect("a path in UTF-8").to_owned();
    let mut answer = package.ask(
        script,
        &json!({
            "root": path(&request.root),
            "metadata": request.place.metadata,
            "targets": request.place.targets,
            "prefixed": request.place.prefixed,
            "state": path(&request.state),
            "name": request.target.name,
            "file": path(&request.file),
            "seconds": request.limit.as_secs(),
        }),
    );
    match &answer["error"] {
        Value::Null => Ok(answer["custom"].take()),
        error => Err(error.as_str().expect("a text").to_owned()),
    }
}
