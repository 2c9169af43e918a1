//! Lists of what a team user or a token may access: only ids of the admin's own items, each once.

use spindrift_core::{Id, Permissions};
use spindrift_db::dimensions::Kind;
use spindrift_db::{SqlConn, apps, dimensions};
use spindrift_service::Failure;
use spindrift_web::ApiError;

/// The ids in order, without duplicates.
pub(crate) fn unique(ids: Vec<Id>) -> Vec<Id> {
    let mut seen = std::collections::HashSet::new();
    ids.into_iter().filter(|id| seen.insert(id.clone())).collect()
}

/// All four lists without duplicates. Applications with a role of their own are not in the list as well.
pub(crate) fn normalize(mut permissions: Permissions) -> Permissions {
    let roles = &permissions.apps.roles;
    permissions.apps.allowed.retain(|id| !roles.contains_key(id));
    permissions.apps.allowed = unique(permissions.apps.allowed);
    for dimension in [&mut permissions.channels, &mut permissions.platforms, &mut permissions.archs] {
        dimension.allowed = unique(std::mem::take(&mut dimension.allowed));
    }
    permissions
}

/// 404 if one of the applications does not belong to the owner. Call it under the write lock, so that the
/// result stays true.
pub(crate) fn require_apps(conn: &impl SqlConn, owner: &Id, ids: &[Id]) -> Result<(), Failure> {
    if apps::are_all_of(conn, owner, ids)? { Ok(()) } else { Err(ApiError::not_found("application").into()) }
}

/// Like [`require_apps`], for all four lists.
pub(crate) fn require_all(conn: &impl SqlConn, owner: &Id, permissions: &Permissions) -> Result<(), Failure> {
    let apps: Vec<Id> = permissions.apps.visible().cloned().collect();
    require_apps(conn, owner, &apps)?;
    for (kind, name, dimension) in [
        (Kind::Channel, "channel", &permissions.channels),
        (Kind::Platform, "platform", &permissions.platforms),
        (Kind::Arch, "arch", &permissions.archs),
    ] {
        if !dimensions::are_all_of(conn, kind, owner, &dimension.allowed)? {
            return Err(ApiError::not_found(name).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_go_and_the_order_stays() {
        let json = r#"{"apps":{"allowed":["b","a","c","b"],"roles":{"c":"support"}},
            "archs":{"edit":true,"allowed":["x","x"]}}"#;
        let permissions = normalize(serde_json::from_str(json).unwrap());
        assert_eq!(permissions.apps.allowed, [Id::from_text("b"), Id::from_text("a")]);
        assert_eq!(permissions.archs.allowed, [Id::from_text("x")]);
        assert!(permissions.archs.edit);
    }
}
