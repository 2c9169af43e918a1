//! The visitor's permissions, so that pages hide buttons that the service would refuse.

use spindrift_api::WhoamiBody;
use spindrift_core::Actor;

/// The visitor as an [`Actor`], whose permissions can be checked.
pub(crate) fn actor(me: &WhoamiBody) -> Actor {
    if me.is_admin {
        return Actor::Admin;
    }
    Actor::TeamUser(me.permissions.clone().unwrap_or_default().into())
}

#[cfg(test)]
mod tests {
    use spindrift_core::{Action, Id, Resource};

    use super::*;

    #[test]
    fn only_admins_need_no_permissions() {
        let mut me = WhoamiBody {
            id: Id::from_text("1"),
            username: "bob".to_owned(),
            is_admin: false,
            owner: Some("acme".to_owned()),
            role: None,
            permissions: None,
            has_sso: false,
            has_passkey: false,
            needs_passkey: false,
        };
        assert!(!actor(&me).may(Action::Create(Resource::App), None));
        me.is_admin = true;
        assert!(actor(&me).may(Action::Administer, None));
    }
}
