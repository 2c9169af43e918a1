//! The platform of one machine: SQLite, key values in memory, an HTTP client and a clock.
//!
//! [`NativePlatform`] is the platform on which `spindrift up` runs the components, and on which their tests
//! run. Tests can stop its clock, count what is used, and let parts of it fail ([`NativePlatform::die_after`]
//! and its neighbours). A program that does none of this pays a few relaxed loads for it, but sharing one
//! compiled form saves minutes in every build.

mod client;
mod clock;
mod counts;
mod database;
mod faults;
mod grants;
mod http;
mod key_value;
mod memory;
mod platform;
mod pool;
mod random;
mod variables;

pub use self::database::NativeConn;
pub use self::grants::{Grants, KEY_VALUE_STORES, OUTBOUND_HOSTS, SQLITE_DATABASES, Use};
pub use self::http::{Chain, ChainAnswer};
pub use self::key_value::{MAX_KEY_LENGTH, MAX_VALUE_SIZE};
pub use self::platform::{DATABASE_FILE, NativePlatform};
pub use self::pool::BUSY_TIME_OUT;
