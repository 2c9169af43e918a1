//! The platform services that a handler needs, as one trait bound.

use spindrift_db::Database;
use spindrift_settings::Variables;
use spindrift_storage::HttpSend;
use spindrift_web::{Clock, Deployment, KeyValue, Lifetime, Random};

/// Everything that a handler needs from its platform: a database or an origin, a key-value store, an HTTP
/// client, a clock, the lifetime of its instance, random bytes and settings.
///
/// Handlers are generic over this trait, so that the same code runs on Spin, in the native program and in
/// tests. A value is a handle that is cheap to clone.
pub trait Ports:
    Database + Deployment + KeyValue + HttpSend + Clock + Lifetime + Random + Variables + Clone + 'static
{
    /// `N` random bytes.
    fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    /// A new identifier.
    fn new_id(&self) -> spindrift_core::Id {
        spindrift_core::Id::generate(self.now(), self.random_bytes())
    }
}

impl<P> Ports for P where
    P: Database + Deployment + KeyValue + HttpSend + Clock + Lifetime + Random + Variables + Clone + 'static
{
}
