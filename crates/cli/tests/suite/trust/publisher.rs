//! A publisher of `notes` with signing keys.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use spindrift_tests::World;

use crate::shell::{Finished, SCOPE, Shell};

/// A user with a repository for `notes`.
pub(super) struct Publisher {
    pub(super) shell: Shell,
}

impl Publisher {
    /// The admin `ada`, who has begun a repository for `notes` with unencrypted keys.
    pub(super) fn of_ada(world: &World) -> Self {
        Self::begin_trust(world, &["--no-passphrase"])
    }

    /// Like [`Self::of_ada`], with other arguments of `trust init`.
    pub(super) fn begin_trust(world: &World, arguments: &[&str]) -> Self {
        let shell = Shell::of_ada(world);
        shell.ok(&[&["trust", "init", "--app", "notes"], arguments].concat());
        Self { shell }
    }

    /// A file in the folder of ada's keys.
    pub(super) fn key(&self, name: &str) -> PathBuf {
        self.shell.config().join("keys/ada/notes").join(name)
    }

    /// Runs `trust ...` for `notes`. Must succeed.
    pub(super) fn trust(&self, arguments: &[&str]) -> Value {
        self.shell.ok(&trust(arguments)).json()
    }

    /// Runs `trust ...` for `notes`.
    pub(super) fn try_trust(&self, arguments: &[&str]) -> Finished {
        self.shell.run(&trust(arguments))
    }

    /// Publishes a version with a file of this content.
    pub(super) fn publish(&self, version: &str, content: &str) -> Finished {
        self.shell.write("notes.deb", content);
        self.shell.run(&Shell::publish(version, &["--publish", "--json", "notes.deb"]))
    }

    /// Publishes a version, and checks that it is offered.
    pub(super) fn publish_signed(&self, version: &str, content: &str) {
        let done = self.publish(version, content);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(done.json()["trust"]["state"], "listed");
        assert_eq!(self.offered_version(), version);
    }

    /// The version offered to an old copy. Empty: none.
    pub(super) fn offered_version(&self) -> String {
        let check = self.shell.check("0.1.0");
        if check["update_available"] == true {
            check["version"].as_str().unwrap().to_owned()
        } else {
            String::new()
        }
    }

    /// How many listed files `trust verify` finds. Fails if it reports problems.
    pub(super) fn verified_files(&self) -> usize {
        let verified = self.trust(&["verify"]);
        assert_eq!(verified["problems"], 0);
        usize::try_from(verified["files"].as_u64().unwrap()).unwrap()
    }

    /// The version of a role, and its number of keys.
    pub(super) fn role(&self, name: &str) -> (u64, usize) {
        let status = self.trust(&["status"]);
        let roles = status["roles"].as_array().unwrap();
        let role = roles.iter().find(|role| role["role"] == name).unwrap();
        (role["version"].as_u64().unwrap(), role["keys"].as_array().unwrap().len())
    }

    /// The ids of a role's keys.
    pub(super) fn keyids(&self, name: &str) -> Vec<String> {
        let status = self.trust(&["status"]);
        let roles = status["roles"].as_array().unwrap();
        let role = roles.iter().find(|role| role["role"] == name).unwrap();
        let keys = role["keys"].as_array().unwrap();
        keys.iter().map(|key| key["keyid"].as_str().unwrap().to_owned()).collect()
    }

    /// A CI job with ada's token, and the publisher's key if there is one.
    pub(super) fn ci(&self, token: &str, key: Option<&str>, arguments: &[&str]) -> Command {
        let mut command = self.shell.command(arguments);
        command
            .env("SPINDRIFT_TOKEN", token)
            .env("SPINDRIFT_KEYS_DIR", self.shell.path("no-keys"))
            .env("SPINDRIFT_CONFIG_DIR", self.shell.path("ci-config"));
        if let Some(key) = key {
            command.env("SPINDRIFT_TARGETS_KEY", key);
        }
        command
    }

    /// Runs a command through another address of the service.
    pub(super) fn through(&self, url: &str, arguments: &[&str]) -> Finished {
        let credentials = std::fs::read(self.shell.config().join("credentials.json")).unwrap();
        let credentials: Value = serde_json::from_slice(&credentials).unwrap();
        let login = credentials["services"].as_object().unwrap().values().next().unwrap();
        let mut command = self.shell.command(arguments);
        command.env("SPINDRIFT_URL", url).env("SPINDRIFT_TOKEN", login["token"].as_str().unwrap());
        Finished::from(command.output().unwrap())
    }

    /// A CI token for `notes`.
    pub(super) fn token(&self) -> String {
        self.shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout.trim().to_owned()
    }
}

fn trust<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["trust"], arguments, &["--app", "notes", "--json"]].concat()
}

/// The arguments for publishing files of a version.
pub(super) fn publish<'a>(version: &'a str, files: &[&'a str]) -> Vec<&'a str> {
    [&["publish", "--publish", "--json", "--version", version], &SCOPE[..], files].concat()
}
