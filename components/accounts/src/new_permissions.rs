//! The permissions that a body gives to a person: by a role, one by one, or both.

use spindrift_api::PermissionsBody;
use spindrift_core::{Id, Permissions, Role};
use spindrift_db::SqlConn;
use spindrift_db::dimensions::{self, Kind};
use spindrift_service::Failure;
use spindrift_web::{ApiError, parse_parameter};

use crate::allowed::normalize;

/// The role and the permissions of a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NewPermissions {
    role: Option<Role>,
    permissions: Option<Permissions>,
}

impl NewPermissions {
    /// 400 for an unknown role, and for a role with a permission besides the lists.
    pub(crate) fn parse(
        role: Option<String>,
        permissions: Option<PermissionsBody>,
    ) -> Result<Self, ApiError> {
        let role = role.map(|text| parse_parameter::<Role>("role", &text)).transpose()?;
        let permissions = permissions.map(|permissions| normalize(permissions.into()));
        let new = Self { role, permissions };
        if let (Some(role), Some(given)) = (new.role, &new.permissions)
            && has_other_switches(role, given)
        {
            let text =
                "a role sets the permissions: send only lists (`allowed`, `roles`) with it, or send no role";
            return Err(ApiError::bad_request(text));
        }
        Ok(new)
    }

    /// The permissions of a person who has `before`. `None`: they stay.
    pub(crate) fn over(
        &self,
        conn: &impl SqlConn,
        owner: &Id,
        before: &Permissions,
    ) -> Result<Option<Permissions>, Failure> {
        let Some(given) = &self.permissions else {
            return Ok(self.role.map(|role| role.with_lists(before.clone())));
        };
        let mut new = self.role.map_or_else(|| given.clone(), |role| role.with_lists(given.clone()));
        let dimensions = [&mut new.channels, &mut new.platforms, &mut new.archs];
        if self.role.is_some() && dimensions.iter().all(|dimension| dimension.allowed.is_empty()) {
            let kinds = [Kind::Channel, Kind::Platform, Kind::Arch];
            for (kind, dimension) in kinds.into_iter().zip(dimensions) {
                dimension.allowed =
                    dimensions::of_owner(conn, kind, owner)?.into_iter().map(|item| item.id).collect();
            }
        }
        Ok(Some(new))
    }

    /// The permissions of a new person.
    pub(crate) fn of_new(&self, conn: &impl SqlConn, owner: &Id) -> Result<Permissions, Failure> {
        Ok(self.over(conn, owner, &Permissions::default())?.unwrap_or_default())
    }
}

/// Whether permissions have a switch on that the role may not have. The permissions of an answer, which has the
/// role too, may be sent back.
fn has_other_switches(role: Role, given: &Permissions) -> bool {
    let has_none = *given == Role::Support.with_lists(given.clone());
    !has_none && Role::of(given) != Some(role)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(role: Option<&str>, permissions: &str) -> Result<NewPermissions, String> {
        let permissions = serde_json::from_str(permissions).unwrap();
        NewPermissions::parse(role.map(ToOwned::to_owned), permissions).map_err(|error| error.to_string())
    }

    #[test]
    fn a_role_comes_with_lists_only() {
        for (role, permissions) in [
            (Some("on-call"), "null"),
            (Some("on-call"), r#"{"apps":{"allowed":["a"]},"channels":{"allowed":["c"]}}"#),
            (Some("on-call"), r#"{"apps":{"stop":true,"triage":true,"allowed":["a"]}}"#),
            (Some("support"), r#"{"apps":{"allowed":["a"],"roles":{"b":"admin"}}}"#),
            (None, r#"{"apps":{"edit":true,"allowed":["a"]}}"#),
            (None, "null"),
        ] {
            assert!(parse(role, permissions).is_ok(), "{role:?} {permissions}");
        }
        let both = parse(Some("on-call"), r#"{"apps":{"edit":true,"allowed":["a"]}}"#).unwrap_err();
        assert!(both.starts_with("a role sets the permissions"), "{both}");
        assert_eq!(
            parse(Some("boss"), "null").unwrap_err(),
            "invalid role parameter: admin, release-manager, on-call or support, not \"boss\""
        );
    }
}
