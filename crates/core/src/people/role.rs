//! Roles: names for the permissions that people usually have.
//!
//! Nothing is stored for a person's role: giving one sets the switches of the permissions, and a person has the
//! role whose switches are the person's own. A role in a single application is stored by its name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{AppPermissions, DimensionPermissions, Permissions, TextRule};

/// A preset of permissions, for the applications in a person's list or for one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Does everything with the applications. People and CI tokens stay with the owner.
    Admin,
    /// Uploads, publishes, rolls out and stops releases.
    ReleaseManager,
    /// Sees and explains, stops releases, and triages failures.
    OnCall,
    /// Sees and explains, and changes nothing.
    Support,
}

/// The text is not a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", Role::RULE)]
pub struct InvalidRole;

impl TextRule for Role {
    const RULE: &'static str = "admin, release-manager, on-call or support";
}

impl Role {
    /// All roles, the most powerful first.
    pub const ALL: [Self; 4] = [Self::Admin, Self::ReleaseManager, Self::OnCall, Self::Support];

    /// The word for permissions that no role has.
    pub const CUSTOM: &'static str = "custom";

    /// The text form in requests and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::ReleaseManager => "release-manager",
            Self::OnCall => "on-call",
            Self::Support => "support",
        }
    }

    /// The role of a person with these permissions, whatever the lists hold. `None`: no role fits.
    pub fn of(permissions: &Permissions) -> Option<Self> {
        Self::ALL.into_iter().find(|role| {
            let of_role = role.with_lists(Permissions::default());
            of_role.has_switches_of(permissions) && permissions.has_switches_of(&of_role)
        })
    }

    /// The role's permissions on applications. The lists are empty.
    pub(super) fn on_apps(self) -> AppPermissions {
        let (is_admin, manages) = (self == Self::Admin, matches!(self, Self::Admin | Self::ReleaseManager));
        let is_on_call = self == Self::OnCall;
        AppPermissions {
            create: is_admin,
            delete: is_admin,
            edit: manages,
            download: manages,
            upload: manages,
            stop: is_on_call,
            triage: is_on_call,
            ..AppPermissions::default()
        }
    }

    /// The permissions of this role with the lists of `permissions`, whose switches are ignored. The lists include
    /// the roles in single applications.
    #[must_use]
    pub fn with_lists(self, permissions: Permissions) -> Permissions {
        let is_admin = self == Self::Admin;
        let AppPermissions { allowed, roles, .. } = permissions.apps;
        let dimension = |permissions: DimensionPermissions| DimensionPermissions {
            create: is_admin,
            delete: is_admin,
            edit: is_admin,
            allowed: permissions.allowed,
        };
        Permissions {
            apps: AppPermissions { allowed, roles, ..self.on_apps() },
            channels: dimension(permissions.channels),
            platforms: dimension(permissions.platforms),
            archs: dimension(permissions.archs),
        }
    }
}

impl FromStr for Role {
    type Err = InvalidRole;

    fn from_str(text: &str) -> Result<Self, InvalidRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(InvalidRole)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Actor, Id, Resource};

    #[test]
    fn permissions_have_the_role_that_set_them() {
        let lists = || {
            let json = r#"{"apps":{"create":true,"allowed":["a"]},"channels":{"edit":true,"allowed":["c"]}}"#;
            serde_json::from_str::<Permissions>(json).unwrap()
        };
        for role in Role::ALL {
            let permissions = role.with_lists(lists());
            assert_eq!(Role::of(&permissions), Some(role));
            assert_eq!(permissions.apps.allowed, [Id::from_text("a")]);
            assert_eq!(permissions.channels.allowed, [Id::from_text("c")]);
            assert_eq!(role.as_str().parse(), Ok(role));
            assert!(Role::RULE.contains(role.as_str()), "{role}");
        }
        assert_eq!(Role::of(&lists()), None);
        assert_eq!(Role::of(&Permissions::default()), Some(Role::Support));
        // Editing includes stopping and triage.
        let mut both = Role::ReleaseManager.with_lists(lists());
        both.apps.stop = true;
        assert_eq!(Role::of(&both), Some(Role::ReleaseManager));
        assert_eq!("owner".parse::<Role>(), Err(InvalidRole));
    }

    #[test]
    fn roles_do_what_their_names_say() {
        let app = Id::from_text("a");
        let of = |role: Role| {
            let mut lists = Permissions::default();
            lists.apps.allowed.push(app.clone());
            Actor::TeamUser(role.with_lists(lists))
        };
        let [admin, manager, on_call, support] = Role::ALL.map(of);
        for (action, expected) in [
            (Action::View(Resource::App), [true, true, true, true]),
            (Action::Stop, [true, true, true, false]),
            (Action::Unschedule, [true, true, true, false]),
            (Action::Triage, [true, true, true, false]),
            (Action::Download, [true, true, false, false]),
            (Action::Upload, [true, true, false, false]),
            (Action::Publish, [true, true, false, false]),
            (Action::Roll, [true, true, false, false]),
            (Action::Promote, [true, true, false, false]),
            (Action::Edit(Resource::App), [true, true, false, false]),
            (Action::Delete(Resource::App), [true, false, false, false]),
            (Action::Create(Resource::Channel), [true, false, false, false]),
            (Action::Administer, [false; 4]),
        ] {
            for (actor, expected) in [&admin, &manager, &on_call, &support].into_iter().zip(expected) {
                assert_eq!(actor.may(action, Some(&app)), expected, "{action:?} {actor:?}");
            }
        }
    }
}
