//! The share of the permits for running requests that a single client address may take.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of addresses from which those without a request are removed.
const MAX_IDLE_ADDRESSES: usize = 1024;
/// The bits of an IPv6 address that one machine cannot choose.
const NETWORK_BITS: u128 = !0 << 64;

/// The permits that are left for each client address.
#[derive(Debug)]
pub(crate) struct Shares {
    size: usize,
    by_client: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

impl Shares {
    /// `size` is the number of requests from one address that may run at a time.
    pub(crate) fn new(size: usize) -> Self {
        Self { size, by_client: Mutex::default() }
    }

    /// Waits until there is a permit for the client. Dropping the result frees the permit.
    pub(crate) async fn take(&self, client: IpAddr) -> Option<OwnedSemaphorePermit> {
        // The semaphores are never closed, so there is always a result.
        self.of(client).acquire_owned().await.ok()
    }

    fn of(&self, client: IpAddr) -> Arc<Semaphore> {
        let mut by_client = self.by_client.lock().unwrap_or_else(PoisonError::into_inner);
        if by_client.len() > MAX_IDLE_ADDRESSES {
            // Running and waiting requests hold a reference of their own.
            by_client.retain(|_, share| Arc::strong_count(share) > 1);
        }
        by_client.entry(network(client)).or_insert_with(|| Arc::new(Semaphore::new(self.size))).clone()
    }
}

/// An IPv4 address, or the first 64 bits of an IPv6 address, since one machine can use every address of its
/// network.
fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & NETWORK_BITS).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_own_permits() {
        let shares = Shares::new(2);
        let free = |client: &str| shares.of(client.parse().unwrap()).available_permits();
        let taken = shares.of("203.0.113.1".parse().unwrap()).try_acquire_owned().unwrap();
        assert_eq!((free("203.0.113.1"), free("::ffff:203.0.113.1"), free("203.0.113.2")), (1, 1, 2));
        drop(taken);
        assert_eq!(free("203.0.113.1"), 2);
        let _taken = shares.of("2001:db8::1".parse().unwrap()).try_acquire_owned().unwrap();
        assert_eq!((free("2001:db8::2"), free("2001:db8:0:1::1")), (1, 2));
    }

    #[test]
    fn memory_is_bounded() {
        let shares = Shares::new(1);
        let busy = shares.of("198.51.100.1".parse().unwrap()).try_acquire_owned().unwrap();
        for n in 0..5000_u32 {
            shares.of(IpAddr::V4(n.into()));
        }
        assert!(shares.by_client.lock().unwrap().len() <= MAX_IDLE_ADDRESSES + 1);
        assert_eq!(shares.of("198.51.100.1".parse().unwrap()).available_permits(), 0, "it is kept");
        drop(busy);
    }
}
