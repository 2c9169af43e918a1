//! Places for running requests. Each kind of caller has its own, so that no kind can crowd out another.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::ServerLimits;
use crate::shares::Shares;

/// The kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// An installed copy.
    Copy,
    /// A caller whose login was accepted a moment ago.
    Known,
    /// A caller with a login that has not been checked yet.
    Unknown,
    /// Any other caller.
    Stranger,
}

/// The places of one server.
#[derive(Debug)]
pub(crate) struct Places {
    copies: Arc<Semaphore>,
    known: Arc<Semaphore>,
    unknown: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    shares: Shares,
}

/// The place of a running request. Dropping this value frees it.
#[derive(Debug, Default)]
pub(crate) struct Place(#[expect(dead_code, reason = "held")] [Option<OwnedSemaphorePermit>; 2]);

impl Places {
    pub(crate) fn new(limits: &ServerLimits) -> Self {
        let places = || Arc::new(Semaphore::new(limits.concurrent_requests));
        Self {
            copies: places(),
            known: places(),
            unknown: places(),
            strangers: places(),
            shares: Shares::new(limits.requests_per_client),
        }
    }

    /// Waits for a place. A client that waits for its own share does not occupy a place.
    pub(crate) async fn take(&self, caller: Caller, address: IpAddr) -> Place {
        let (places, has_share) = match caller {
            Caller::Copy => (&self.copies, false),
            Caller::Known => (&self.known, false),
            Caller::Unknown => (&self.unknown, true),
            Caller::Stranger => (&self.strangers, true),
        };
        let share = if has_share { self.shares.take(address).await } else { None };
        // The semaphores are never closed, so waiting for a permit cannot fail.
        Place([share, places.clone().acquire_owned().await.ok()])
    }
}
