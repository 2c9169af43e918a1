//! Changes to the data behind update checks: [`spindrift_db::changes::commit`], followed by everything that makes the
//! next check see them.

use std::collections::BTreeSet;

use spindrift_core::UserName;
use spindrift_db::changes::{self, Change, Stale, Subject};

use crate::records::{latest, names, scopes};
use crate::requests::principal::Principal;
use crate::{Failure, Ports, static_answers};

/// Runs `work` in a transaction, and makes the next check see the change.
pub async fn commit<P: Ports, T>(
    ports: &P,
    conn: &P::Conn,
    principal: &Principal,
    subject: Subject<'_>,
    work: impl FnMut(&Change<'_, P::Conn>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (value, stale) = changes::commit(conn, &principal.owner_id, subject, ports.now(), work)?;
    if matches!(subject, Subject::App(_) | Subject::Owner(_)) {
        names::forget(ports, &principal.owner);
    }
    refresh(ports, conn, &principal.owner, &stale).await?;
    Ok(value)
}

/// Derives stale kept records again and writes the owner's stale static answers. Call it after the commit; it can be
/// repeated.
pub async fn refresh<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    owner: &UserName,
    Stale(stale): &Stale,
) -> Result<(), Failure> {
    for scope in stale {
        scopes::refresh(ports, conn, scope)?;
    }
    let apps: BTreeSet<_> = stale.iter().map(|scope| &scope.app).collect();
    for app in apps {
        latest::renew(ports, conn, owner, app)?;
    }
    static_answers::catch_up(ports, conn, owner).await;
    Ok(())
}
