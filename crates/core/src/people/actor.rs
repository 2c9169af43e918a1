//! Callers, and the actions that they may perform.

use crate::{Action, Id, Permissions, Resource, Target, TokenGrant, TokenRight};

/// The caller who performs an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// The owner of the data.
    Admin,
    /// A user created by the owner.
    TeamUser(Permissions),
    /// An automation token. It works in any platform and architecture.
    CiToken {
        /// Ids of its applications. Empty: none.
        allowed_apps: Vec<Id>,
        /// Its rights for these applications.
        grants: Vec<TokenGrant>,
    },
}

impl Actor {
    /// Whether the actor may perform the action on the item with this id.
    ///
    /// Only [`Action::Create`] and [`Action::Administer`] need no id. For every other action `None` is
    /// refused to everyone but the admin.
    pub fn may(&self, action: Action, id: Option<&Id>) -> bool {
        match self {
            Self::Admin => true,
            Self::TeamUser(permissions) if !action.needs_id() => permissions.grants(action),
            Self::TeamUser(permissions) => id.is_some_and(|id| permissions.grants_with(action, id)),
            Self::CiToken { allowed_apps, grants } => {
                grants.iter().any(|grant| is_right(action, &grant.may))
                    && id.is_some_and(|id| allowed_apps.contains(id))
            }
        }
    }

    /// The ids of the applications that the actor may see in lists. `None`: all.
    pub fn visible_apps(&self) -> Option<Vec<Id>> {
        match self {
            Self::Admin => None,
            Self::TeamUser(permissions) => Some(permissions.apps.visible().cloned().collect()),
            Self::CiToken { allowed_apps, .. } => Some(allowed_apps.clone()),
        }
    }

    /// Whether the actor may perform the action on the application in this channel, platform and
    /// architecture: a team user needs all three in the lists, and a token a grant for the channel, unless the
    /// action has none. `None`: the owner does not use the dimension.
    pub fn works_in(&self, action: Action, app: &Id, target: &Target) -> bool {
        let permissions = match self {
            Self::Admin => return true,
            Self::CiToken { grants, .. } => return grants.iter().any(|grant| works(grant, action, target)),
            Self::TeamUser(permissions) => permissions,
        };
        if permissions.apps.of_app(app).is_unlimited(action) {
            return true;
        }
        [
            (Resource::Channel, &target.channel_id),
            (Resource::Platform, &target.platform_id),
            (Resource::Arch, &target.arch_id),
        ]
        .into_iter()
        .all(|(resource, id)| id.as_ref().is_none_or(|id| permissions.allows(resource, id)))
    }

    /// Whether the actor may upload to any application at all.
    pub fn may_upload_something(&self) -> bool {
        match self {
            Self::Admin => true,
            Self::TeamUser(permissions) => permissions.apps.may_upload_something(),
            Self::CiToken { allowed_apps, grants } => {
                let is_upload = |grant: &TokenGrant| grant.may.contains(&TokenRight::Upload);
                grants.iter().any(is_upload) && !allowed_apps.is_empty()
            }
        }
    }
}

/// Whether a grant includes the action in the target's channel. Stops have no place.
fn works(grant: &TokenGrant, action: Action, target: &Target) -> bool {
    let has_channel = |channel: &Id| grant.channels.as_ref().is_none_or(|all| all.contains(channel));
    is_right(action, &grant.may)
        && (action.is_of_stop() || target.channel_id.as_ref().is_none_or(has_channel))
}

/// Whether a token with these rights may perform the action on its applications.
fn is_right(action: Action, may: &[TokenRight]) -> bool {
    let any = |rights: &[TokenRight]| rights.iter().any(|right| may.contains(right));
    if action.is_of_stop() && any(&[TokenRight::Stop]) {
        return true;
    }
    match action {
        Action::View(Resource::App) => true,
        Action::Upload | Action::Sign => any(&[TokenRight::Upload]),
        Action::Publish | Action::Unschedule => any(&[TokenRight::Publish, TokenRight::Roll]),
        Action::Stop | Action::Roll | Action::Promote => any(&[TokenRight::Roll]),
        Action::Guard => any(&[TokenRight::Guard]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(json: &str) -> Actor {
        Actor::TeamUser(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn an_admin_may_do_everything() {
        for action in Action::all() {
            assert!(Actor::Admin.may(action, None), "{action:?}");
        }
    }

    #[test]
    fn nobody_else_may_do_anything_by_default() {
        let id = Id::from_text("1");
        for action in Action::all() {
            for who in [team("{}"), token(&[], &TokenRight::ALL)] {
                assert!(!who.may(action, Some(&id)), "{who:?} {action:?}");
            }
        }
    }

    fn token(apps: &[&str], may: &[TokenRight]) -> Actor {
        Actor::CiToken {
            allowed_apps: apps.iter().copied().map(Id::from_text).collect(),
            grants: vec![TokenGrant::everywhere(may.to_vec())],
        }
    }

    #[test]
    fn a_ci_token_does_what_it_was_made_for() {
        use TokenRight::{Publish, Roll, Stop, Upload};
        let (mine, other) = (Id::from_text("mine"), Id::from_text("other"));
        for may in [vec![], vec![Upload], vec![Publish], vec![Stop], vec![Roll], vec![Upload, Stop]] {
            let token = token(&["mine"], &may);
            for action in Action::all() {
                let needed: &[TokenRight] = match action {
                    Action::View(Resource::App) => &TokenRight::ALL,
                    Action::Upload | Action::Sign => &[Upload],
                    Action::Publish => &[Publish, Roll],
                    Action::Unschedule => &[Publish, Stop, Roll],
                    Action::Stop => &[Stop, Roll],
                    Action::Roll | Action::Promote => &[Roll],
                    _ => &[],
                };
                let is_free = action == Action::View(Resource::App);
                let expected = is_free || may.iter().any(|right| needed.contains(right));
                assert_eq!(token.may(action, Some(&mine)), expected, "{may:?} {action:?}");
                assert!(!token.may(action, None), "{action:?}");
                assert!(!token.may(action, Some(&other)), "{action:?}");
            }
        }
    }

    #[test]
    fn editors_of_an_application_may_send_its_lists() {
        let editor = team(r#"{"apps":{"edit":true,"allowed":["a"]}}"#);
        let uploader = team(r#"{"apps":{"upload":true,"delete":true,"allowed":["a"]}}"#);
        for (who, id, expected) in [(&editor, "a", true), (&editor, "b", false), (&uploader, "a", false)] {
            assert_eq!(who.may(Action::Sign, Some(&Id::from_text(id))), expected, "{who:?} {id}");
        }
    }

    #[test]
    fn promoters_edit_and_upload() {
        let app = Id::from_text("a");
        for (switches, expected) in
            [(r#""edit":true"#, false), (r#""upload":true"#, false), (r#""edit":true,"upload":true"#, true)]
        {
            let user = team(&format!(r#"{{"apps":{{{switches},"allowed":["a"]}}}}"#));
            assert_eq!(user.may(Action::Promote, Some(&app)), expected, "{switches}");
            assert!(!user.may(Action::Promote, Some(&Id::from_text("b"))), "{switches}");
        }
    }

    #[test]
    fn a_team_user_needs_the_switch_and_the_id() {
        let user = team(
            r#"{"apps":{"upload":true,"download":false,"create":true,"allowed":["a"]},
                "channels":{"edit":true,"allowed":["c"]},"platforms":{"delete":true}}"#,
        );
        for (action, id, expected) in [
            (Action::Upload, Some("a"), true),
            (Action::Upload, Some("b"), false),
            (Action::Upload, None, false),
            (Action::Create(Resource::App), None, true),
            (Action::Create(Resource::Channel), None, false),
            (Action::Edit(Resource::App), Some("a"), false),
            (Action::Edit(Resource::Channel), Some("c"), true),
            (Action::Edit(Resource::Channel), Some("x"), false),
            (Action::Delete(Resource::Platform), Some("p"), false),
            (Action::View(Resource::App), Some("a"), true),
            (Action::View(Resource::App), Some("b"), false),
            (Action::Download, Some("a"), false),
            (Action::Administer, Some("a"), false),
        ] {
            assert_eq!(user.may(action, id.map(Id::from_text).as_ref()), expected, "{action:?} {id:?}");
        }
    }

    #[test]
    fn a_team_user_works_where_its_lists_allow() {
        let user = team(
            r#"{"apps":{"edit":true},"channels":{"allowed":["beta"]},"platforms":{"allowed":["linux"]},
                "archs":{"allowed":["amd64"]}}"#,
        );
        let target = |channel: Option<&str>, platform: Option<&str>, arch: Option<&str>| Target {
            channel_id: channel.map(Id::from_text),
            platform_id: platform.map(Id::from_text),
            arch_id: arch.map(Id::from_text),
        };
        for (place, expected) in [
            (target(Some("beta"), Some("linux"), Some("amd64")), true),
            (target(Some("beta"), None, None), true),
            (target(None, None, None), true),
            (target(Some("stable"), Some("linux"), Some("amd64")), false),
            (target(Some("beta"), Some("windows"), Some("amd64")), false),
            (target(Some("beta"), Some("linux"), Some("arm64")), false),
        ] {
            let (upload, app) = (Action::Upload, &Id::from_text("a"));
            assert_eq!(user.works_in(upload, app, &place), expected, "{place:?}");
            assert_eq!(user.works_in(Action::Stop, app, &place), expected, "{place:?}");
            assert!(Actor::Admin.works_in(upload, app, &place), "{place:?}");
            assert!(token(&[], &TokenRight::ALL).works_in(upload, app, &place), "{place:?}");
        }
    }

    #[test]
    fn whoever_may_stop_stops_everywhere_and_does_nothing_else() {
        let on_call = team(r#"{"apps":{"stop":true,"allowed":["a"]}}"#);
        let stop_token = token(&["a"], &[TokenRight::Stop]);
        let (mine, other) = (Id::from_text("a"), Id::from_text("b"));
        for action in Action::all() {
            let is_stop = matches!(action, Action::Stop | Action::Unschedule);
            let expected = is_stop || action == Action::View(Resource::App);
            assert_eq!(on_call.may(action, Some(&mine)), expected, "{action:?}");
            assert!(!on_call.may(action, Some(&other)), "{action:?}");
            assert_eq!(stop_token.may(action, Some(&mine)), expected, "the same calls: {action:?}");
        }
        let app = &mine;
        let beta = Target { channel_id: Some(Id::from_text("beta")), platform_id: None, arch_id: None };
        assert!(
            on_call.works_in(Action::Stop, app, &beta) && on_call.works_in(Action::Unschedule, app, &beta)
        );
        assert!(!on_call.works_in(Action::Triage, app, &beta));
        let triager = team(r#"{"apps":{"triage":true,"allowed":["a"]}}"#);
        assert!(triager.may(Action::Triage, Some(&mine)) && triager.works_in(Action::Triage, app, &beta));
        assert!(!triager.may(Action::Stop, Some(&mine)) && !triager.works_in(Action::Stop, app, &beta));
    }

    #[test]
    fn a_role_in_an_application_replaces_the_switches() {
        let user = team(
            r#"{"apps":{"edit":true,"create":true,"allowed":["a","c"],"roles":{"b":"on-call","c":"support"}},
                "channels":{"allowed":["stable"]}}"#,
        );
        let [a, b, c, other] = ["a", "b", "c", "d"].map(Id::from_text);
        for (action, expected) in [
            (Action::View(Resource::App), [true, true, true, false]),
            (Action::Edit(Resource::App), [true, false, false, false]),
            (Action::Stop, [true, true, false, false]),
            (Action::Triage, [true, true, false, false]),
        ] {
            let may = [&a, &b, &c, &other].map(|app| user.may(action, Some(app)));
            assert_eq!(may, expected, "{action:?}");
        }
        assert!(user.may(Action::Create(Resource::App), None));
        let beta = Target { channel_id: Some(Id::from_text("beta")), platform_id: None, arch_id: None };
        assert!(user.works_in(Action::Stop, &b, &beta) && !user.works_in(Action::Stop, &a, &beta));
        assert_eq!(user.visible_apps(), Some(vec![a, b, c]));
        let uploader = team(r#"{"apps":{"roles":{"a":"release-manager"}}}"#);
        assert!(uploader.may_upload_something() && !user.may_upload_something());
    }

    #[test]
    fn some_may_upload_nothing_at_all() {
        for (who, expected) in [
            (Actor::Admin, true),
            (team("{}"), false),
            (team(r#"{"apps":{"upload":true}}"#), false),
            (team(r#"{"apps":{"allowed":["a"]}}"#), false),
            (team(r#"{"apps":{"upload":true,"allowed":["a"]}}"#), true),
            (token(&["a"], &[TokenRight::Upload]), true),
            (token(&[], &TokenRight::ALL), false),
            (token(&["a"], &[TokenRight::Publish, TokenRight::Stop, TokenRight::Roll]), false),
        ] {
            assert_eq!(who.may_upload_something(), expected, "{who:?}");
        }
    }
}
