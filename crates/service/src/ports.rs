//! The platform services that a handler needs, as one trait bound.

use spindrift_db::Database;
use spindrift_settings::Variables;
use spindrift_storage::HttpSend;
use spindrift_web::{Clock, Deployment, KeyValue, Lifetime, Random};

/// Everything that a handler needs from its platform: a database or an origin, a key-value store, an HTTP
/// client, a clock, the lifetime of its instance, random bytes and settings.
///
/// Handlers are generic over this trait, so that the same code runs on Spin (`spindrift-spin`), in the native
/// program and in tests (`spindrift-native`). Nothing in a handler reads a clock, an environment variable or
/// a file in another way.
///
/// A value is a handle that is cheap to clone: work that continues after the response takes a clone with it.
/// A handler that needs the database opens a connection with `spindrift_db::open` and passes it on. An edge
/// has no database: if `is_edge` is true, nothing may open one. Each call may reach the host, which takes a
/// microsecond or more, so a handler on the hot path reads the clock once and passes the time on.
///
/// ```
/// use spindrift_service::Ports;
///
/// /// The name of a new object that nobody can guess.
/// fn new_key(ports: &impl Ports) -> String {
///     format!("logos/{}", ports.new_id())
/// }
/// ```
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
