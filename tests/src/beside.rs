//! A further host on the stores of a world.

use crate::account::{self, Account};
use crate::build::Build;
use crate::client::Client;
use crate::running::Running;

/// Another host of a world's service, with the same databases and storage.
pub struct Beside {
    running: Running,
    build: Build,
}

impl Beside {
    pub(crate) const fn new(running: Running, build: Build) -> Self {
        Self { running, build }
    }

    pub fn url(&self) -> String {
        self.running.url()
    }

    /// Its processes, which may have children. Empty: it runs in this process.
    pub fn host_processes(&self) -> Vec<u32> {
        self.running.processes()
    }

    /// Logs in a user there.
    pub fn login(&self, name: &str, password: &str) -> Account {
        account::log_in(&Client::of(&self.url(), self.build), name, password)
    }
}
