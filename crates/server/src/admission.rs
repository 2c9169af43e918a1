//! Permits for running requests. Each kind of caller has its own, so that no kind can crowd out another.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::ServerLimits;
use crate::shares::Shares;

/// The kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallerKind {
    /// An installed copy.
    Copy,
    /// A caller whose login was accepted a moment ago.
    Known,
    /// A caller with a login that has not been checked yet.
    Unknown,
    /// Any other caller.
    Stranger,
}

/// The permits of one server.
#[derive(Debug)]
pub(crate) struct AdmissionControl {
    copies: Arc<Semaphore>,
    known: Arc<Semaphore>,
    unknown: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    shares: Shares,
}

/// The permit of a running request. Dropping this value frees it.
#[derive(Debug, Default)]
pub(crate) struct RequestPermit(#[expect(dead_code, reason = "held")] [Option<OwnedSemaphorePermit>; 2]);

impl AdmissionControl {
    pub(crate) fn new(limits: &ServerLimits) -> Self {
        let permits = || Arc::new(Semaphore::new(limits.concurrent_requests));
        Self {
            copies: permits(),
            known: permits(),
            unknown: permits(),
            strangers: permits(),
            shares: Shares::new(limits.requests_per_client),
        }
    }

    /// Waits for a permit. A client that waits for its own share does not occupy a permit.
    pub(crate) async fn take(&self, caller: CallerKind, address: IpAddr) -> RequestPermit {
        let (permits, has_share) = match caller {
            CallerKind::Copy => (&self.copies, false),
            CallerKind::Known => (&self.known, false),
            CallerKind::Unknown => (&self.unknown, true),
            CallerKind::Stranger => (&self.strangers, true),
        };
        let share = if has_share { self.shares.take(address).await } else { None };
        // The semaphores are never closed, so waiting for a permit cannot fail.
        RequestPermit([share, permits.clone().acquire_owned().await.ok()])
    }
}
