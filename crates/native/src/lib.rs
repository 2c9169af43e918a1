//! The platform for tests: databases on rusqlite, a key-value store in memory, a clock that tests set, and a
//! blocking HTTP client.

mod clock;
mod counts;
mod database;
mod faults;
mod grants;
mod http;
mod key_value;
mod memory;
mod platform;
mod random;
mod variables;

pub use self::database::{BUSY_TIME_OUT, NativeConn};
pub use self::grants::{Grants, KEY_VALUE_STORES, OUTBOUND_HOSTS, SQLITE_DATABASES, Use};
pub use self::key_value::{MAX_KEY_LENGTH, MAX_VALUE_SIZE};
pub use self::platform::{DATABASE_FILE, NativePlatform};
