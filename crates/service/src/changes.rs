//! Changes to an owner's data. A change to the data behind update checks is followed by everything that makes
//! the next check see it. [`crate::requests::Session`] runs the changes of a caller.

use std::collections::BTreeSet;

use spindrift_core::{Id, UserName};
use spindrift_db::changes::Stale;
use spindrift_db::edits::{self, Edit};
use spindrift_db::{Audit, SqlFailure};

use crate::records::{latest, scopes};
use crate::{Ports, ServiceError, log, static_answers};

/// Runs `work` in a transaction that changes data of the owner on which no update check depends, for work
/// without a session.
pub fn edit<P: Ports, T, E: SqlFailure>(
    ports: &P,
    conn: &P::Conn,
    owner: &Id,
    work: impl FnMut(&Edit<'_, P::Conn>) -> Result<(T, Audit), E>,
) -> Result<T, E> {
    let (value, added) = edits::commit(conn, owner, ports.now(), work)?;
    log::change(added.as_ref());
    Ok(value)
}

/// Deletes stale records; the next requests derive them again. For a change that leaves the owner's static
/// answers to maintenance.
pub fn forget(ports: &impl Ports, owner: &UserName, stale: &Stale) {
    for scope in stale.scopes.iter().chain(&stale.others) {
        scopes::forget(ports, scope);
    }
    let apps: BTreeSet<_> = stale.scopes.iter().map(|scope| &scope.app).collect();
    for app in apps {
        latest::forget(ports, owner, app);
    }
}

/// Derives stale records again and writes the owner's stale static answers. Call it after the commit; it can
/// be repeated.
pub async fn refresh<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    owner: &UserName,
    stale: &Stale,
) -> Result<(), ServiceError> {
    for scope in &stale.scopes {
        scopes::refresh(ports, conn, scope)?;
    }
    for scope in &stale.others {
        scopes::forget(ports, scope);
    }
    let apps: BTreeSet<_> = stale.scopes.iter().map(|scope| &scope.app).collect();
    for app in apps {
        latest::renew(ports, conn, owner, app)?;
    }
    static_answers::catch_up(ports, conn, owner).await;
    Ok(())
}
