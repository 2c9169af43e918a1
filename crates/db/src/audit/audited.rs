//! Connections whose changes are recorded in the audit log.

use crate::SqlConn;

/// A connection in a transaction that ends with an entry in the audit log: a
/// [`Change`](crate::changes::Change) or an [`Edit`](crate::edits::Edit).
///
/// ```compile_fail,E0277
/// use spindrift_core::Id;
/// use spindrift_db::{SqlConn, SqlError, users};
///
/// fn log_out(conn: &impl SqlConn, user: &Id) -> Result<(), SqlError> {
///     users::end_logins(conn, user)
/// }
/// ```
pub trait Audited: SqlConn + Sealed {}

/// Keeps other connections from being [`Audited`].
pub trait Sealed {}
