//! The native server in the test's own process. The test controls its clock and its faults.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::time::Duration;

use spindrift_http::Listener;
use spindrift_manifest::Manifest;
use spindrift_native::{NativePlatform, Use};
use spindrift_server::{Application, Server, ServerLimits};

use crate::runtime::runtime;

/// Number of threads for calls other than those of installed copies. A test sends few requests at a
/// time.
const WORKERS: usize = 2;

/// A running server. Dropping it ends it at once.
pub(crate) struct InProcess {
    server: Server,
    granted: BTreeSet<Use>,
}

/// A server that listens but does not answer yet, so that its URL can become a setting.
pub(crate) struct Bound(Listener);

impl Bound {
    pub(crate) fn new() -> Self {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into());
        Self(runtime().block_on(listener).expect("a free port"))
    }

    pub(crate) fn url(&self) -> String {
        self.0.url().to_owned()
    }

    /// `granted`: the grants of the components. A component that uses anything else fails the test.
    pub(crate) fn serve(
        self,
        platform: NativePlatform,
        manifest: &Manifest,
        granted: BTreeSet<Use>,
    ) -> InProcess {
        platform.set_gather_time(Duration::ZERO);
        let application =
            Application::from_manifest(manifest, platform).expect("the components of the manifest");
        let limits = ServerLimits { workers: WORKERS, ..ServerLimits::default() };
        let _inside = runtime().enter();
        InProcess { server: Server::start(application, self.0, limits, None), granted }
    }
}

impl InProcess {
    pub(crate) fn url(&self) -> String {
        self.server.url().to_owned()
    }

    pub(crate) fn platform(&self) -> &NativePlatform {
        self.server.application().platform()
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        let uses = self.platform().uses();
        let others: Vec<_> = uses.difference(&self.granted).collect();
        assert!(
            std::thread::panicking() || others.is_empty(),
            "components ask for {others:?} and are not granted it"
        );
    }
}
