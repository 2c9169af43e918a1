//! Roles: a choice by name, beside the permissions one by one.

use maud::{Markup, html};
use spindrift_api::PermissionsBody;
use spindrift_core::Role;

use super::permissions;
use crate::{Catalog, FormFields};

/// The name of the form field.
const FIELD: &str = "role";

/// The role and the permissions in a form.
#[derive(Default)]
pub(super) struct GivenRole {
    /// `None`: the permissions are chosen one by one.
    pub(super) role: Option<String>,
    /// With a role, only the lists.
    pub(super) permissions: PermissionsBody,
}

impl GivenRole {
    pub(super) fn read(sent: &FormFields) -> Self {
        let permissions = permissions::read(sent);
        match sent.one(FIELD) {
            "" | Role::CUSTOM => Self { role: None, permissions },
            role => {
                let lists = Role::Support.with_lists(permissions.into());
                Self { role: Some(role.to_owned()), permissions: lists.into() }
            }
        }
    }

    /// The role and permissions that a person has.
    pub(super) fn of(role: &str, permissions: PermissionsBody) -> Self {
        Self { role: (role != Role::CUSTOM).then(|| role.to_owned()), permissions }
    }
}

/// Explains a role to people who choose, in one line.
pub(crate) const fn explanation(role: Role) -> &'static str {
    match role {
        Role::Admin => {
            "does everything with the applications, also deletes them. People and CI tokens stay with the owner"
        }
        Role::ReleaseManager => "uploads, publishes, rolls out, edits and stops releases",
        Role::OnCall => "sees and explains everything, stops releases, triages failures",
        Role::Support => "sees and explains everything, and changes nothing",
    }
}

/// The fields for the role, the lists and the permissions.
pub(super) fn fields(given: &GivenRole, catalog: &Catalog) -> Markup {
    let chosen = given.role.as_deref().unwrap_or(Role::CUSTOM);
    html! {
        fieldset {
            legend { "Role" }
            @for role in Role::ALL { (choice(role.as_str(), explanation(role), chosen)) }
            (choice(Role::CUSTOM, "only the permissions that you check below", chosen))
        }
        (permissions::lists(&given.permissions, catalog))
        details.choice open[given.role.is_none()] {
            summary { strong { "Permissions one by one" } ", for the role custom" }
            (permissions::matrix(&given.permissions))
        }
    }
}

fn choice(name: &str, explanation: &str, chosen: &str) -> Markup {
    html! {
        label.check {
            input type="radio" name=(FIELD) value=(name) checked[name == chosen] required;
            span { strong { (name) } ": " (explanation) }
        }
    }
}

#[cfg(test)]
mod tests {
    use spindrift_web::Query;

    use super::*;

    #[test]
    fn a_role_takes_only_the_lists() {
        let read = |text: &str| GivenRole::read(&Query::parse(text).unwrap().into());
        let given = read("role=on-call&apps.edit=1&apps=1&channels=2");
        assert_eq!(given.role.as_deref(), Some("on-call"));
        assert!(!given.permissions.apps.edit);
        assert_eq!((given.permissions.apps.allowed.len(), given.permissions.channels.allowed.len()), (1, 1));
        for custom in ["role=custom&apps.edit=1", "apps.edit=1"] {
            let given = read(custom);
            assert!(given.role.is_none() && given.permissions.apps.edit, "{custom}");
        }
        let shown = fields(&GivenRole::of("support", PermissionsBody::default()), &Catalog::default());
        let shown = shown.into_string();
        assert!(shown.contains("value=\"support\" checked"), "{shown}");
        assert!(!shown.contains("value=\"custom\" checked"), "{shown}");
    }
}
