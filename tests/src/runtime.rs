//! One runtime shared by all tests of a process.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

/// The runtime for the hosts and storages of all tests in this process.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Builder::new_multi_thread().enable_all().build().expect("a runtime"))
}
