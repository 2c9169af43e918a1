//! The fields of accounts, invitations and tokens that the audit log compares. A password is never one of them.

use serde_json::{Value, json};
use spindrift_core::{Invitation, Permissions, Timestamp, Token, UserName};

pub(crate) fn user(name: &UserName, permissions: Option<&Permissions>) -> Value {
    json!({ "name": name.as_str(), "permissions": permissions })
}

/// The fields after a change. A new password and the end of logins leave no other trace.
pub(crate) fn changed_user(
    name: &UserName,
    permissions: Option<&Permissions>,
    has_new_password: bool,
    are_logins_ended: bool,
) -> Value {
    let mut fields = user(name, permissions);
    if has_new_password {
        fields["password"] = "changed".into();
    }
    if are_logins_ended {
        fields["logins"] = "ended".into();
    }
    fields
}

/// The secret of the link is not one of them.
pub(crate) fn invitation(invitation: &Invitation) -> Value {
    json!({
        "name": invitation.name.as_ref().map(UserName::as_str),
        "permissions": invitation.permissions,
        "expires_at": invitation.expires_at.to_rfc3339(),
    })
}

pub(crate) fn token(token: &Token) -> Value {
    json!({
        "prefix": token.prefix,
        "allowed_apps": token.allowed_apps,
        "may": token.may,
        "expires_at": token.expires_at.map(Timestamp::to_rfc3339),
    })
}
