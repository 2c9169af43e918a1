//! Changes to an owner's data on which no update check depends, such as accounts and tokens.
//!
//! Every function that writes such data needs an [`Audited`] connection, and only [`commit`] and
//! [`changes::commit`](crate::changes::commit) create one. Both require the change's entry in the audit log,
//! so no caller can forget it.

use spindrift_core::{Id, Timestamp};

use crate::audit::{self, AddedEntry, Audit};
use crate::audited::{Audited, Sealed};
use crate::transaction::in_transaction_to_end;
use crate::{SqlConn, SqlError, SqlFailure, SqlRows, SqlValue};

/// A connection in a transaction that changes data on which no update check depends.
pub struct Edit<'c, C> {
    conn: &'c C,
}

impl<C: SqlConn> SqlConn for Edit<'_, C> {
    fn run(&self, sql: &str, params: &[SqlValue]) -> Result<SqlRows, SqlError> {
        self.conn.run(sql, params)
    }
}

impl<C> Sealed for Edit<'_, C> {}
impl<C: SqlConn> Audited for Edit<'_, C> {}

/// Runs `work` in a transaction that holds the write lock, and adds its entry to the owner's audit log. An
/// error rolls the transaction back, and so does work that changes nothing.
pub fn commit<C: SqlConn, T, E: SqlFailure>(
    conn: &C,
    owner: &Id,
    now: Timestamp,
    mut work: impl FnMut(&Edit<'_, C>) -> Result<(T, Audit), E>,
) -> Result<(T, Option<AddedEntry>), E> {
    in_transaction_to_end(conn, |conn| {
        let (value, audit) = work(&Edit { conn })?;
        let end = audit.end();
        Ok(((value, audit::add(conn, owner, audit, now)?), end))
    })
}
