//! The permissions of a team user, in requests and answers.
//!
//! Names begin with a capital in answers. Requests may also use lower case, and `null` for an omitted value.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use spindrift_core::{AppPermissions, DimensionPermissions, Id, Permissions, Role};

/// All permissions of a team user. An omitted one is not granted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, rename_all = "PascalCase", expecting = "an object")]
pub struct PermissionsBody {
    /// For applications.
    #[serde(alias = "apps", deserialize_with = "null_is_default")]
    pub apps: AppPermissionsBody,
    /// For channels.
    #[serde(alias = "channels", deserialize_with = "null_is_default")]
    pub channels: DimensionPermissionsBody,
    /// For platforms.
    #[serde(alias = "platforms", deserialize_with = "null_is_default")]
    pub platforms: DimensionPermissionsBody,
    /// For architectures.
    #[serde(alias = "archs", deserialize_with = "null_is_default")]
    pub archs: DimensionPermissionsBody,
}

/// Permissions for applications.
#[expect(clippy::struct_excessive_bools, reason = "the shape of the wire format: independent switches")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, rename_all = "PascalCase", expecting = "an object")]
pub struct AppPermissionsBody {
    /// May create applications.
    #[serde(alias = "create", deserialize_with = "null_is_default")]
    pub create: bool,
    /// May delete allowed applications, their releases and artifacts.
    #[serde(alias = "delete", deserialize_with = "null_is_default")]
    pub delete: bool,
    /// May change allowed applications and their releases.
    #[serde(alias = "edit", deserialize_with = "null_is_default")]
    pub edit: bool,
    /// May download files of allowed private applications.
    #[serde(alias = "download", deserialize_with = "null_is_default")]
    pub download: bool,
    /// May upload to allowed applications.
    #[serde(alias = "upload", deserialize_with = "null_is_default")]
    pub upload: bool,
    /// May stop releases of allowed applications everywhere: pause, halt, lower a percentage, unpublish,
    /// withdraw, shut off. Editing includes it, in the allowed channels, platforms and architectures.
    #[serde(alias = "stop", deserialize_with = "null_is_default")]
    pub stop: bool,
    /// May change the status, tags and notes of failures of allowed applications. Editing includes it, in the
    /// same way.
    #[serde(alias = "triage", deserialize_with = "null_is_default")]
    pub triage: bool,
    /// Ids of the applications that all this is about.
    #[serde(alias = "allowed", deserialize_with = "ids")]
    pub allowed: Vec<Id>,
    /// Applications, by id, with a role of their own, which replaces all of the above for them. The user sees
    /// them even if `Allowed` does not list them.
    #[serde(
        alias = "roles",
        deserialize_with = "null_is_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub roles: BTreeMap<Id, Role>,
}

/// Permissions for channels, platforms or architectures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, rename_all = "PascalCase", expecting = "an object")]
pub struct DimensionPermissionsBody {
    /// May create items.
    #[serde(alias = "create", deserialize_with = "null_is_default")]
    pub create: bool,
    /// May delete allowed items.
    #[serde(alias = "delete", deserialize_with = "null_is_default")]
    pub delete: bool,
    /// May change allowed items.
    #[serde(alias = "edit", deserialize_with = "null_is_default")]
    pub edit: bool,
    /// Ids of the items that all this is about.
    #[serde(alias = "allowed", deserialize_with = "ids")]
    pub allowed: Vec<Id>,
}

fn null_is_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A list of ids. Forms send one empty id for an empty list.
fn ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Id>, D::Error> {
    let ids: Vec<Id> = null_is_default(deserializer)?;
    Ok(ids.into_iter().filter(|id| !id.as_str().is_empty()).collect())
}

/// The name of the role that has these permissions; `custom` if none has.
pub fn role_name(permissions: &Permissions) -> String {
    Role::of(permissions).map_or(Role::CUSTOM, Role::as_str).to_owned()
}

impl From<PermissionsBody> for Permissions {
    fn from(body: PermissionsBody) -> Self {
        let apps = AppPermissions {
            create: body.apps.create,
            delete: body.apps.delete,
            edit: body.apps.edit,
            download: body.apps.download,
            upload: body.apps.upload,
            stop: body.apps.stop,
            triage: body.apps.triage,
            allowed: body.apps.allowed,
            roles: body.apps.roles,
        };
        let dimension = |body: DimensionPermissionsBody| DimensionPermissions {
            create: body.create,
            delete: body.delete,
            edit: body.edit,
            allowed: body.allowed,
        };
        Self {
            apps,
            channels: dimension(body.channels),
            platforms: dimension(body.platforms),
            archs: dimension(body.archs),
        }
    }
}

impl From<Permissions> for PermissionsBody {
    fn from(permissions: Permissions) -> Self {
        let apps = AppPermissionsBody {
            create: permissions.apps.create,
            delete: permissions.apps.delete,
            edit: permissions.apps.edit,
            download: permissions.apps.download,
            upload: permissions.apps.upload,
            stop: permissions.apps.stop,
            triage: permissions.apps.triage,
            allowed: permissions.apps.allowed,
            roles: permissions.apps.roles,
        };
        let dimension = |permissions: DimensionPermissions| DimensionPermissionsBody {
            create: permissions.create,
            delete: permissions.delete,
            edit: permissions.edit,
            allowed: permissions.allowed,
        };
        Self {
            apps,
            channels: dimension(permissions.channels),
            platforms: dimension(permissions.platforms),
            archs: dimension(permissions.archs),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(ids: &[&str]) -> Permissions {
        let allowed: Vec<Id> = ids.iter().copied().map(Id::from_text).collect();
        let dimension =
            DimensionPermissions { create: true, delete: true, edit: true, allowed: allowed.clone() };
        let apps = AppPermissions {
            create: true,
            delete: true,
            edit: true,
            download: true,
            upload: true,
            stop: true,
            triage: true,
            allowed,
            roles: BTreeMap::new(),
        };
        Permissions { apps, channels: dimension.clone(), platforms: dimension.clone(), archs: dimension }
    }

    #[test]
    fn answers_have_capitals() {
        let dimension = json!({"Create": true, "Delete": true, "Edit": true, "Allowed": ["1"]});
        let apps = json!({
            "Create": true, "Delete": true, "Edit": true, "Download": true, "Upload": true, "Stop": true,
            "Triage": true, "Allowed": ["1"],
        });
        assert_eq!(
            serde_json::to_value(PermissionsBody::from(all(&["1"]))).unwrap(),
            json!({"Apps": apps, "Channels": dimension, "Platforms": dimension, "Archs": dimension})
        );
    }

    #[test]
    fn both_letter_cases_are_read() {
        let answer = serde_json::to_string(&PermissionsBody::from(all(&["1"]))).unwrap();
        for json in [answer.to_lowercase(), answer] {
            let body: PermissionsBody = serde_json::from_str(&json).unwrap();
            assert_eq!(Permissions::from(body), all(&["1"]), "{json}");
        }
    }

    #[test]
    fn omitted_null_and_unknown_permissions_allow_nothing() {
        for json in [
            "{}",
            r#"{"apps":null,"Archs":null}"#,
            r#"{"Apps":{"Create":null,"Allowed":null},"channels":{"allowed":[]}}"#,
            r#"{"Apps":{"Admin":true,"Allowed":["",""]},"Everything":{}}"#,
        ] {
            let body: PermissionsBody = serde_json::from_str(json).unwrap();
            assert_eq!(Permissions::from(body), Permissions::default(), "{json}");
        }
        for bad in [
            r#"{"apps":{"create":"yes"}}"#,
            r#"{"apps":{"allowed":[1]}}"#,
            r#"{"apps":{"roles":{"a":"boss"}}}"#,
            r#"{"apps":{},"Apps":{}}"#,
        ] {
            assert!(serde_json::from_str::<PermissionsBody>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn roles_in_applications_are_kept() {
        let json = json!({ "apps": { "roles": { "a": "on-call", "b": "support" } } });
        let body: PermissionsBody = serde_json::from_value(json).unwrap();
        let stored = Permissions::from(body.clone());
        assert_eq!(stored.apps.roles[&Id::from_text("a")], Role::OnCall);
        assert_eq!(PermissionsBody::from(stored), body);
        let answer = serde_json::to_value(&body).unwrap();
        assert_eq!(answer["Apps"]["Roles"], json!({ "a": "on-call", "b": "support" }));
    }

    #[test]
    fn empty_identifiers_are_skipped() {
        let body: PermissionsBody = serde_json::from_str(r#"{"apps":{"allowed":["","a",""]}}"#).unwrap();
        assert_eq!(body.apps.allowed, [Id::from_text("a")]);
    }
}
