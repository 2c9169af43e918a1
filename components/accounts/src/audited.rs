//! The fields of accounts and tokens that the audit log compares. A password is never one of them.

use serde_json::{Value, json};
use spindrift_core::{Permissions, Timestamp, Token, UserName};

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

pub(crate) fn token(token: &Token) -> Value {
    json!({
        "prefix": token.prefix,
        "allowed_apps": token.allowed_apps,
        "may": token.may,
        "expires_at": token.expires_at.map(Timestamp::to_rfc3339),
    })
}
