//! Changes to the data from which update checks are answered.
//!
//! Every function that writes such data needs a [`Change`], and only [`commit`] creates one. So no caller can
//! forget the parts of each change: raising the owner's revision, which shows that kept records are stale,
//! marking the static answers that are now out of date, and the entry in the audit log. See
//! `docs/adr/0026-a-change-has-one-home.md`.

use std::cell::RefCell;

use spindrift_core::{Id, Scope, Timestamp};

use crate::affected::Affected;
pub use crate::affected::Subject;
use crate::audit::{self, AddedEntry, Audit};
use crate::audited::{Audited, Sealed};
use crate::repositories::{self, ChangedApps};
use crate::transaction::{End, in_transaction_to_end};
use crate::{SqlConn, SqlError, SqlFailure, SqlRows, SqlValue, params, projections, scope_versions};

/// A connection in a transaction that changes the data behind update checks.
///
/// Statements that write such data take nothing else:
///
/// ```
/// use spindrift_core::Id;
/// use spindrift_db::changes::Change;
/// use spindrift_db::{SqlConn, SqlError, releases};
///
/// fn remove(conn: &Change<'_, impl SqlConn>, release: &Id) -> Result<(), SqlError> {
///     releases::delete(conn, release)
/// }
/// ```
///
/// With any other connection it does not compile, so no caller can forget to raise the revision:
///
/// ```compile_fail,E0308
/// use spindrift_core::Id;
/// use spindrift_db::{SqlConn, SqlError, releases};
///
/// fn remove(conn: &impl SqlConn, release: &Id) -> Result<(), SqlError> {
///     releases::delete(conn, release)
/// }
/// ```
pub struct Change<'c, C> {
    conn: &'c C,
    touches: RefCell<Option<Touches>>,
}

type Touches = Box<dyn Fn(&Scope) -> bool>;

impl<C> Change<'_, C> {
    /// Limits the change to some scopes of the subject; the default is all of them.
    pub fn touches_only(&self, is_touched: impl Fn(&Scope) -> bool + 'static) {
        self.touches.replace(Some(Box::new(is_touched)));
    }
}

impl<C: SqlConn> SqlConn for Change<'_, C> {
    fn run(&self, sql: &str, params: &[SqlValue]) -> Result<SqlRows, SqlError> {
        self.conn.run(sql, params)
    }
}

impl<C> Sealed for Change<'_, C> {}
impl<C: SqlConn> Audited for Change<'_, C> {}

/// The scopes whose kept records are stale after a change, under their names before and after it.
#[must_use = "until they are derived again, checks are answered as before the change"]
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stale {
    /// With the names of their dimensions.
    pub scopes: Vec<Scope>,
    /// With what requests may send in place of the names: nothing, or `default`.
    pub others: Vec<Scope>,
}

impl Stale {
    /// The scopes of a subject, for a change whose own result was lost.
    pub fn of(conn: &impl SqlConn, subject: Subject<'_>) -> Result<Self, SqlError> {
        Ok(Self::from(&Affected::of(conn, subject)?))
    }
}

impl From<&Affected> for Stale {
    fn from(affected: &Affected) -> Self {
        let (scopes, others) = affected.records();
        Self { scopes, others }
    }
}

pub struct Committed<T> {
    pub value: T,
    /// The scopes whose records have to be derived again.
    pub stale: Stale,
    /// The entry in the audit log, which is also logged.
    pub added: Option<AddedEntry>,
}

/// Runs `work` in a transaction that holds the write lock, and adds its entry to the owner's audit log. An
/// error rolls the transaction back, and so does work that changes nothing.
pub fn commit<C: SqlConn, T, E: SqlFailure>(
    conn: &C,
    owner: &Id,
    subject: Subject<'_>,
    now: Timestamp,
    mut work: impl FnMut(&Change<'_, C>) -> Result<(T, Audit), E>,
) -> Result<Committed<T>, E> {
    in_transaction_to_end(conn, |conn| {
        let before = Affected::of(conn, subject)?;
        let change = Change { conn, touches: RefCell::default() };
        let (value, audit) = work(&change)?;
        let end = audit.end();
        if end == End::RollBack {
            return Ok((Committed { value, stale: Stale::default(), added: None }, end));
        }
        raise_revision(conn, owner, now)?;
        match subject {
            Subject::Release(app, version) => {
                scope_versions::remember(conn, app, version, now)?;
                repositories::count_change(conn, ChangedApps::One(app))?;
            }
            Subject::Releases(app, versions) => {
                versions.iter().try_for_each(|version| scope_versions::remember(conn, app, version, now))?;
            }
            Subject::App(app) => repositories::count_change(conn, ChangedApps::One(app))?,
            Subject::Owner(owner) => repositories::count_change(conn, ChangedApps::OfOwner(owner))?,
        }
        let mut affected = before.and(Affected::of(conn, subject)?);
        if let Some(touches) = change.touches.take() {
            affected.retain(touches);
        }
        projections::mark(conn, &affected.folders(), now)?;
        let added = audit::add(conn, owner, audit, now)?;
        Ok((Committed { value, stale: Stale::from(&affected), added }, end))
    })
}

/// The new revision is the time of the change in milliseconds, or one more than the previous revision if that
/// is greater. Two states of the data never share a revision, even after a restore from an older backup.
fn raise_revision(conn: &impl SqlConn, owner: &Id, now: Timestamp) -> Result<(), SqlError> {
    conn.execute("UPDATE users SET revision = max(revision + 1, ?2) WHERE id = ?1", &params![owner, now])
}
