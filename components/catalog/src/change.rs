//! Changes to what update checks answer from, and to who may see what.

use spindrift_core::{Id, Resource, Scope, Starter};
use spindrift_db::scopes::{ScopesOf, bump_revision};
use spindrift_db::users::{self, UserChange};
use spindrift_db::{SqlConn, in_transaction};
use spindrift_service::principal::Principal;
use spindrift_service::{Failure, Ports, scopes, static_answers};
use spindrift_web::ApiError;

/// Runs `work` under the write lock, and afterwards derives the records again, and writes the static answers, of those
/// scopes, as they were called before or are called after it, that `touches` picks.
pub(crate) async fn commit<P: Ports, T>(
    ports: &P,
    conn: &P::Conn,
    principal: &Principal,
    of: ScopesOf<'_>,
    work: impl FnOnce(&P::Conn) -> Result<(T, Touches), Failure>,
) -> Result<T, Failure> {
    let (value, stale) = in_transaction(conn, |conn| {
        let mut stale = scopes::affected(conn, of)?;
        let mut answers = static_answers::affected(conn, of)?;
        let (value, touches) = work(conn)?;
        bump_revision(conn, &principal.owner_id, ports.now())?;
        stale.extend(scopes::affected(conn, of)?);
        stale.retain(&touches);
        answers.extend(static_answers::affected(conn, of)?);
        answers.retain(&touches);
        static_answers::mark(conn, &answers, ports.now())?;
        Ok::<_, Failure>((value, stale))
    })?;
    scopes::refresh(ports, conn, &principal.owner, &distinct(stale)).await?;
    Ok(value)
}

/// Whether a change makes what a scope's checks answer stale.
pub(crate) type Touches = Box<dyn Fn(&Scope) -> bool>;

fn distinct(mut scopes: Vec<Scope>) -> Vec<Scope> {
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}

/// What a team user has made belongs to the admin, and to the user's allowed list. In the transaction that makes it.
pub(crate) fn join_list(
    ports: &impl Ports,
    conn: &impl SqlConn,
    principal: &Principal,
    resource: Resource,
    id: &Id,
) -> Result<(), Failure> {
    let Starter::User(user) = &principal.identity else { return Ok(()) };
    if principal.is_admin() {
        return Ok(());
    }
    // Read again: the list may have grown since the caller was authenticated, and the user may be gone.
    let team = users::by_id(conn, user)?.and_then(|found| found.user.team);
    let mut permissions = team.ok_or_else(|| ApiError::Unauthorized("invalid token".into()))?.permissions;
    permissions.allow(resource, id.clone());
    let change = UserChange { permissions: Some(permissions), ..UserChange::default() };
    Ok(users::update(conn, user, &change, ports.now())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_refreshed_once() {
        let scope = |app: &str| Scope {
            owner: "o".parse().unwrap(),
            app: app.parse().unwrap(),
            channel: None,
            platform: None,
            arch: None,
        };
        assert_eq!(distinct(vec![scope("b"), scope("a"), scope("b")]), [scope("a"), scope("b")]);
    }
}
