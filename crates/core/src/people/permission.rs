//! Permissions within one owner's data.
//!
//! These rules assume that the item belongs to the owner. Items of other owners are reported as not
//! found before these rules are consulted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Action, Id, Resource, Role};

/// The actions with a switch, for each kind.
const SWITCHES: [fn(Resource) -> Action; 3] = [Action::Create, Action::Edit, Action::Delete];
/// The actions with a switch for applications only.
const APP_SWITCHES: [Action; 4] = [Action::Upload, Action::Download, Action::Stop, Action::Triage];

/// Permissions on applications.
#[expect(clippy::struct_excessive_bools, reason = "the shape of the wire format: independent switches")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppPermissions {
    /// May create applications.
    pub create: bool,
    /// May delete allowed applications.
    pub delete: bool,
    /// May change allowed applications.
    pub edit: bool,
    /// May download private files of allowed applications.
    pub download: bool,
    /// May upload releases of allowed applications.
    pub upload: bool,
    /// May stop releases of allowed applications, in every channel, platform and architecture.
    pub stop: bool,
    /// May triage the failures of allowed applications, likewise everywhere.
    pub triage: bool,
    /// Ids of the applications that the other fields apply to. Empty: none.
    pub allowed: Vec<Id>,
    /// Applications with a role of their own, in place of the fields above.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<Id, Role>,
}

/// Permissions on channels, platforms or architectures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DimensionPermissions {
    /// May create items.
    pub create: bool,
    /// May delete allowed items.
    pub delete: bool,
    /// May change allowed items.
    pub edit: bool,
    /// Ids of the items that the other fields apply to, and that releases may be uploaded into.
    /// Empty: none.
    pub allowed: Vec<Id>,
}

/// Permissions of a team user. Missing fields mean not allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Permissions {
    /// On applications.
    pub apps: AppPermissions,
    /// On channels.
    pub channels: DimensionPermissions,
    /// On platforms.
    pub platforms: DimensionPermissions,
    /// On architectures.
    pub archs: DimensionPermissions,
}

impl AppPermissions {
    /// The applications that the person sees.
    pub fn visible(&self) -> impl Iterator<Item = &Id> {
        self.allowed.iter().filter(|id| !self.roles.contains_key(*id)).chain(self.roles.keys())
    }

    /// The permissions that hold for this application, if the person sees it.
    pub(super) fn of_app(&self, app: &Id) -> Cow<'_, Self> {
        self.roles.get(app).map_or(Cow::Borrowed(self), |role| Cow::Owned(role.on_apps()))
    }

    /// Whether the switch for an action on applications is on, regardless of the lists.
    fn grants(&self, action: Action) -> bool {
        match action {
            Action::Create(_) => self.create,
            Action::Edit(_) | Action::Sign | Action::Publish | Action::Roll => self.edit,
            Action::Delete(_) => self.delete,
            Action::View(_) => true,
            Action::Upload => self.upload,
            Action::Download => self.download,
            Action::Stop | Action::Unschedule | Action::Triage => self.edit || self.is_unlimited(action),
            Action::Promote => self.edit && self.upload,
            Action::Guard | Action::Administer => false,
        }
    }

    /// Whether the action is allowed in every channel, platform and architecture of the allowed
    /// applications: people on call act wherever a bad release is.
    pub(super) fn is_unlimited(&self, action: Action) -> bool {
        (self.stop && action.is_of_stop()) || (self.triage && action == Action::Triage)
    }

    /// Whether these switches allow everything that those of `other` allow.
    fn cover(&self, other: &Self) -> bool {
        let of_apps = SWITCHES.into_iter().map(|action| action(Resource::App)).chain(APP_SWITCHES);
        let everywhere = |action| self.is_unlimited(action) || !other.is_unlimited(action);
        of_apps.into_iter().all(|action| (self.grants(action) || !other.grants(action)) && everywhere(action))
    }

    /// Whether any application is in the lists to which the person may upload.
    pub(super) fn may_upload_something(&self) -> bool {
        self.visible().any(|app| self.of_app(app).upload)
    }
}

impl Permissions {
    /// Adds the id of an item that the user has created to the allowed list.
    pub fn allow(&mut self, resource: Resource, id: Id) {
        if self.allows(resource, &id) {
            return;
        }
        match resource {
            Resource::App => &mut self.apps.allowed,
            Resource::Channel => &mut self.channels.allowed,
            Resource::Platform => &mut self.platforms.allowed,
            Resource::Arch => &mut self.archs.allowed,
        }
        .push(id);
    }

    /// Whether these permissions allow everything that `other` allows.
    pub fn cover(&self, other: &Self) -> bool {
        let of_app = |app: &Id| {
            self.allows(Resource::App, app) && self.apps.of_app(app).cover(&other.apps.of_app(app))
        };
        let of_kind = |(new, old): (&DimensionPermissions, &DimensionPermissions)| {
            old.allowed.iter().all(|id| new.allowed.contains(id))
        };
        self.has_switches_of(other)
            && self.apps.cover(&other.apps)
            && other.apps.visible().all(of_app)
            && self.dimensions().into_iter().zip(other.dimensions()).all(of_kind)
    }

    /// Whether every switch that is on in `other` is on here, regardless of the lists.
    pub(super) fn has_switches_of(&self, other: &Self) -> bool {
        let of_kinds = Resource::ALL.into_iter().flat_map(|kind| SWITCHES.map(|action| action(kind)));
        of_kinds.chain(APP_SWITCHES).all(|action| self.grants(action) || !other.grants(action))
    }

    pub(super) fn allows(&self, resource: Resource, id: &Id) -> bool {
        match self.dimension(resource) {
            None => self.apps.allowed.contains(id) || self.apps.roles.contains_key(id),
            Some(dimension) => dimension.allowed.contains(id),
        }
    }

    fn dimensions(&self) -> [&DimensionPermissions; 3] {
        [&self.channels, &self.platforms, &self.archs]
    }

    const fn dimension(&self, resource: Resource) -> Option<&DimensionPermissions> {
        match resource {
            Resource::App => None,
            Resource::Channel => Some(&self.channels),
            Resource::Platform => Some(&self.platforms),
            Resource::Arch => Some(&self.archs),
        }
    }

    /// Whether the switch for the action is on, regardless of the lists.
    pub(super) fn grants(&self, action: Action) -> bool {
        match (self.dimension(action.resource()), action) {
            (None, _) => self.apps.grants(action),
            (Some(dimension), Action::Create(_)) => dimension.create,
            (Some(dimension), Action::Edit(_)) => dimension.edit,
            (Some(dimension), Action::Delete(_)) => dimension.delete,
            (Some(_), _) => true,
        }
    }

    /// Whether the action on this item is allowed.
    pub(super) fn grants_with(&self, action: Action, id: &Id) -> bool {
        let resource = action.resource();
        let is_granted = match resource {
            Resource::App => self.apps.of_app(id).grants(action),
            Resource::Channel | Resource::Platform | Resource::Arch => self.grants(action),
        };
        is_granted && self.allows(resource, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn created_things_join_the_list_once() {
        let mut permissions = Permissions::default();
        for resource in Resource::ALL {
            permissions.allow(resource, Id::from_text("new"));
            permissions.allow(resource, Id::from_text("new"));
            assert!(permissions.allows(resource, &Id::from_text("new")));
        }
        assert_eq!(permissions.apps.allowed.len(), 1);
        assert!(permissions.dimensions().iter().all(|dimension| dimension.allowed.len() == 1));
    }

    #[test]
    fn more_and_fewer_rights() {
        let permissions = |json: &str| serde_json::from_str::<Permissions>(json).unwrap();
        let some = r#"{"apps":{"upload":true,"allowed":["a","b"]},"archs":{"edit":true,"allowed":["x"]}}"#;
        for (new, covers) in [
            (some, true),
            (
                r#"{"apps":{"upload":true,"edit":true,"allowed":["b","c","a"]},"archs":{"edit":true,"allowed":["x"]}}"#,
                true,
            ),
            (r#"{"apps":{"upload":true,"allowed":["a"]},"archs":{"edit":true,"allowed":["x"]}}"#, false),
            (r#"{"apps":{"edit":true,"allowed":["a","b"]},"archs":{"edit":true,"allowed":["x"]}}"#, false),
            (r#"{"apps":{"upload":true,"allowed":["a","b"]},"archs":{"allowed":["x"]}}"#, false),
            (r#"{"apps":{"upload":true,"allowed":["a","b"]},"archs":{"edit":true}}"#, false),
            ("{}", false),
        ] {
            assert_eq!(permissions(new).cover(&permissions(some)), covers, "{new}");
            assert!(permissions(new).cover(&Permissions::default()), "{new}");
        }
        let (edit, both) = (r#"{"apps":{"edit":true}}"#, r#"{"apps":{"edit":true,"stop":true}}"#);
        assert!(!permissions(edit).cover(&permissions(both)), "it stopped releases everywhere");
        assert!(permissions(both).cover(&permissions(edit)));
        for switch in ["create", "delete", "edit", "download", "upload", "stop", "triage"] {
            let one = permissions(&format!(r#"{{"apps":{{"{switch}":true}}}}"#));
            assert!(one.cover(&one) && !Permissions::default().cover(&one), "{switch}");
        }
        for kind in ["channels", "platforms", "archs"] {
            for switch in ["create", "delete", "edit"] {
                let one = permissions(&format!(r#"{{"{kind}":{{"{switch}":true}}}}"#));
                assert!(one.cover(&one) && !Permissions::default().cover(&one), "{kind} {switch}");
            }
        }
    }

    #[test]
    fn roles_in_applications_count_as_rights() {
        let permissions = |json: &str| serde_json::from_str::<Permissions>(json).unwrap();
        let with = |allowed: &str, roles: &str| {
            permissions(&format!(r#"{{"apps":{{"edit":true,"allowed":{allowed},"roles":{roles}}}}}"#))
        };
        let none = with(r#"["a"]"#, "{}");
        for (new, covers) in [
            (with(r#"["a","b"]"#, "{}"), true),
            (with(r#"["a"]"#, r#"{"b":"support"}"#), true),
            (with("[]", r#"{"a":"release-manager"}"#), true),
            (with(r#"["a"]"#, r#"{"a":"on-call"}"#), false),
            (with("[]", r#"{"b":"admin"}"#), false),
        ] {
            assert_eq!(new.cover(&none), covers, "{new:?}");
        }
        let on_call = with(r#"["a"]"#, r#"{"a":"on-call"}"#);
        assert!(!none.cover(&on_call), "it stopped releases everywhere");
        assert_eq!(on_call.apps.visible().count(), 1);
    }

    #[test]
    fn stored_permissions_are_read_again() {
        let json = serde_json::to_string(&Permissions::default()).unwrap();
        assert_eq!(serde_json::from_str::<Permissions>(&json).unwrap(), Permissions::default());
    }
}
