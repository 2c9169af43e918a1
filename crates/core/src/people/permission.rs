//! Permissions within one owner's data.
//!
//! These rules assume that the item belongs to the owner. Items of other owners are reported as not
//! found before these rules are consulted.

use serde::{Deserialize, Serialize};

use crate::{Id, Target, TokenRight};

/// A kind of item with a list of allowed ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Applications, with their releases and artifacts.
    App,
    /// Channels.
    Channel,
    /// Platforms.
    Platform,
    /// Architectures.
    Arch,
}

/// An action that a caller wants to perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Create an item. Needs no id.
    Create(Resource),
    /// See an item in lists and searches.
    View(Resource),
    /// Change an item; for an application, also its releases.
    Edit(Resource),
    /// Delete an item; for an application, also its releases and artifacts.
    Delete(Resource),
    /// Upload a release of the application, or into the channel, platform or architecture.
    Upload(Resource),
    /// Download files of the private application.
    Download,
    /// See the application's signed metadata, and send lists of files that its publisher has
    /// signed.
    Sign,
    /// Publish a draft of the application, now or at a time.
    Publish,
    /// Cancel the schedule of a release of the application.
    Unschedule,
    /// Stop a release of the application, after which no client is offered more than before.
    Stop,
    /// Change how a release of the application is offered, in any other way.
    Roll,
    /// Change the status, the tags and the notes of the application's failures.
    Triage,
    /// Offer a release of the application in a further channel.
    Promote,
    /// Let the service check the health of the application's releases, and act on their guards.
    Guard,
    /// Reserved for the owner, such as managing users and tokens.
    Administer,
}

const RESOURCES: [Resource; 4] = [Resource::App, Resource::Channel, Resource::Platform, Resource::Arch];
/// The actions with a switch, for each kind.
const SWITCHES: [fn(Resource) -> Action; 4] = [Action::Create, Action::Edit, Action::Delete, Action::Upload];
/// The actions with a switch for applications only.
const APP_SWITCHES: [Action; 3] = [Action::Download, Action::Stop, Action::Triage];

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

impl Permissions {
    /// The allowed ids of a kind.
    pub fn allowed(&self, resource: Resource) -> &[Id] {
        match self.dimension(resource) {
            None => &self.apps.allowed,
            Some(dimension) => &dimension.allowed,
        }
    }

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
        let lists = |resource| other.allowed(resource).iter().all(|id| self.allows(resource, id));
        let everywhere = |action| self.is_unlimited(action) || !other.is_unlimited(action);
        switches().all(|action| self.grants(action) || !other.grants(action))
            && RESOURCES.into_iter().all(lists)
            && APP_SWITCHES.into_iter().all(everywhere)
    }

    /// Whether both have the same switches on, regardless of the lists.
    pub(crate) fn grants_same(&self, other: &Self) -> bool {
        switches().all(|action| self.grants(action) == other.grants(action))
    }

    fn allows(&self, resource: Resource, id: &Id) -> bool {
        self.allowed(resource).contains(id)
    }

    fn dimension(&self, resource: Resource) -> Option<&DimensionPermissions> {
        match resource {
            Resource::App => None,
            Resource::Channel => Some(&self.channels),
            Resource::Platform => Some(&self.platforms),
            Resource::Arch => Some(&self.archs),
        }
    }

    /// Whether the switch for the action is on, regardless of the lists.
    pub(crate) fn grants(&self, action: Action) -> bool {
        match action {
            Action::Create(r) => self.dimension(r).map_or(self.apps.create, |d| d.create),
            Action::Edit(r) => self.dimension(r).map_or(self.apps.edit, |d| d.edit),
            Action::Delete(r) => self.dimension(r).map_or(self.apps.delete, |d| d.delete),
            Action::View(_) => true,
            Action::Upload(_) => self.apps.upload,
            Action::Download => self.apps.download,
            Action::Stop | Action::Unschedule | Action::Triage => self.apps.edit || self.is_unlimited(action),
            Action::Sign | Action::Publish | Action::Roll => self.apps.edit,
            Action::Promote => self.apps.edit && self.apps.upload,
            Action::Guard | Action::Administer => false,
        }
    }

    /// Whether the action is allowed in every channel, platform and architecture of the allowed
    /// applications: people on call act wherever a bad release is.
    fn is_unlimited(&self, action: Action) -> bool {
        (self.apps.stop && is_of_stop(action)) || (self.apps.triage && action == Action::Triage)
    }
}

/// The actions that the right `stop` allows, to people and to CI tokens.
const fn is_of_stop(action: Action) -> bool {
    matches!(action, Action::Stop | Action::Unschedule)
}

/// All actions with a switch.
fn switches() -> impl Iterator<Item = Action> {
    let of_kinds = RESOURCES.into_iter().flat_map(|resource| SWITCHES.map(|action| action(resource)));
    of_kinds.chain(APP_SWITCHES)
}

/// The caller who performs an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// The owner of the data.
    Admin,
    /// A user created by the owner.
    TeamUser(Permissions),
    /// An automation token. It works in any channel, platform and architecture.
    CiToken {
        /// Ids of its applications. Empty: none.
        allowed_apps: Vec<Id>,
        /// Its rights for these applications.
        may: Vec<TokenRight>,
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
            Self::TeamUser(permissions) => {
                permissions.grants(action)
                    && match target(action) {
                        None => true,
                        Some(resource) => id.is_some_and(|id| permissions.allows(resource, id)),
                    }
            }
            Self::CiToken { allowed_apps, may } => match action {
                Action::Upload(Resource::Channel | Resource::Platform | Resource::Arch) => id.is_some(),
                _ => is_right(action, may) && id.is_some_and(|id| allowed_apps.contains(id)),
            },
        }
    }
}

impl Actor {
    /// The ids of the applications that the actor may see in lists. `None`: all.
    pub fn visible_apps(&self) -> Option<Vec<Id>> {
        match self {
            Self::Admin => None,
            Self::TeamUser(permissions) => Some(permissions.allowed(Resource::App).to_vec()),
            Self::CiToken { allowed_apps, .. } => Some(allowed_apps.clone()),
        }
    }

    /// Whether the actor may perform the action in this channel, platform and architecture: a team
    /// user needs all three in the lists, unless the action has none. `None`: the owner does not use
    /// the dimension.
    pub fn works_in(&self, action: Action, target: &Target) -> bool {
        let Self::TeamUser(permissions) = self else { return true };
        if permissions.is_unlimited(action) {
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
            Self::TeamUser(permissions) => permissions.apps.upload && !permissions.apps.allowed.is_empty(),
            Self::CiToken { allowed_apps, may } => {
                may.contains(&TokenRight::Upload) && !allowed_apps.is_empty()
            }
        }
    }
}

/// Whether a token with these rights may perform the action on its applications.
fn is_right(action: Action, may: &[TokenRight]) -> bool {
    let any = |rights: &[TokenRight]| rights.iter().any(|right| may.contains(right));
    if is_of_stop(action) && any(&[TokenRight::Stop]) {
        return true;
    }
    match action {
        Action::View(Resource::App) => true,
        Action::Upload(Resource::App) | Action::Sign => any(&[TokenRight::Upload]),
        Action::Publish | Action::Unschedule => any(&[TokenRight::Publish, TokenRight::Roll]),
        Action::Stop | Action::Roll | Action::Promote => any(&[TokenRight::Roll]),
        Action::Guard => any(&[TokenRight::Guard]),
        _ => false,
    }
}

/// The kind whose allowed list must contain the id. `None`: the action needs no id.
fn target(action: Action) -> Option<Resource> {
    match action {
        Action::Create(_) | Action::Administer => None,
        Action::View(r) | Action::Edit(r) | Action::Delete(r) | Action::Upload(r) => Some(r),
        Action::Download
        | Action::Sign
        | Action::Publish
        | Action::Unschedule
        | Action::Stop
        | Action::Roll
        | Action::Triage
        | Action::Promote
        | Action::Guard => Some(Resource::App),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions() -> Vec<Action> {
        let mut all = vec![
            Action::Download,
            Action::Sign,
            Action::Publish,
            Action::Unschedule,
            Action::Stop,
            Action::Roll,
            Action::Triage,
            Action::Promote,
            Action::Guard,
            Action::Administer,
        ];
        for r in RESOURCES {
            all.extend([
                Action::Create(r),
                Action::View(r),
                Action::Edit(r),
                Action::Delete(r),
                Action::Upload(r),
            ]);
        }
        all
    }

    fn team(json: &str) -> Actor {
        Actor::TeamUser(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn an_admin_may_do_everything() {
        for action in actions() {
            assert!(Actor::Admin.may(action, None), "{action:?}");
        }
    }

    #[test]
    fn nobody_else_may_do_anything_by_default() {
        let id = Id::from_text("1");
        for action in actions() {
            for who in [team("{}"), token(&[], &TokenRight::ALL)] {
                let into_dimension = matches!((&who, action), (Actor::CiToken { .. }, Action::Upload(r)) if r != Resource::App);
                assert_eq!(who.may(action, Some(&id)), into_dimension, "{who:?} {action:?}");
            }
        }
    }

    fn token(apps: &[&str], may: &[TokenRight]) -> Actor {
        Actor::CiToken { allowed_apps: apps.iter().copied().map(Id::from_text).collect(), may: may.to_vec() }
    }

    #[test]
    fn a_ci_token_does_what_it_was_made_for() {
        use TokenRight::{Publish, Roll, Stop, Upload};
        let (mine, other) = (Id::from_text("mine"), Id::from_text("other"));
        for may in [vec![], vec![Upload], vec![Publish], vec![Stop], vec![Roll], vec![Upload, Stop]] {
            let token = token(&["mine"], &may);
            for action in actions() {
                let needed: &[TokenRight] = match action {
                    Action::View(Resource::App) => &TokenRight::ALL,
                    Action::Upload(Resource::App) | Action::Sign => &[Upload],
                    Action::Publish => &[Publish, Roll],
                    Action::Unschedule => &[Publish, Stop, Roll],
                    Action::Stop => &[Stop, Roll],
                    Action::Roll | Action::Promote => &[Roll],
                    _ => &[],
                };
                let is_free = matches!(action, Action::View(Resource::App))
                    || matches!(action, Action::Upload(kind) if kind != Resource::App);
                let expected = is_free || may.iter().any(|right| needed.contains(right));
                assert_eq!(token.may(action, Some(&mine)), expected, "{may:?} {action:?}");
                assert!(!token.may(action, None), "{action:?}");
                let into_dimension = matches!(action, Action::Upload(kind) if kind != Resource::App);
                assert_eq!(token.may(action, Some(&other)), into_dimension, "{action:?}");
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
            (Action::Upload(Resource::App), Some("a"), true),
            (Action::Upload(Resource::App), Some("b"), false),
            (Action::Upload(Resource::App), None, false),
            (Action::Upload(Resource::Channel), Some("c"), true),
            (Action::Upload(Resource::Channel), Some("a"), false),
            (Action::Upload(Resource::Platform), Some("p"), false),
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
            let upload = Action::Upload(Resource::App);
            assert_eq!(user.works_in(upload, &place), expected, "{place:?}");
            assert_eq!(user.works_in(Action::Stop, &place), expected, "{place:?}");
            assert!(Actor::Admin.works_in(upload, &place), "{place:?}");
            assert!(token(&[], &TokenRight::ALL).works_in(upload, &place), "{place:?}");
        }
    }

    #[test]
    fn whoever_may_stop_stops_everywhere_and_does_nothing_else() {
        let on_call = team(r#"{"apps":{"stop":true,"allowed":["a"]}}"#);
        let stop_token = token(&["a"], &[TokenRight::Stop]);
        let (mine, other) = (Id::from_text("a"), Id::from_text("b"));
        for action in actions() {
            let is_stop = matches!(action, Action::Stop | Action::Unschedule);
            let expected = is_stop || action == Action::View(Resource::App);
            assert_eq!(on_call.may(action, Some(&mine)), expected, "{action:?}");
            assert!(!on_call.may(action, Some(&other)), "{action:?}");
            if !matches!(action, Action::Upload(_)) {
                assert_eq!(stop_token.may(action, Some(&mine)), expected, "the same calls: {action:?}");
            }
        }
        let beta = Target { channel_id: Some(Id::from_text("beta")), platform_id: None, arch_id: None };
        assert!(on_call.works_in(Action::Stop, &beta) && on_call.works_in(Action::Unschedule, &beta));
        assert!(!on_call.works_in(Action::Triage, &beta));
        let triager = team(r#"{"apps":{"triage":true,"allowed":["a"]}}"#);
        assert!(triager.may(Action::Triage, Some(&mine)) && triager.works_in(Action::Triage, &beta));
        assert!(!triager.may(Action::Stop, Some(&mine)) && !triager.works_in(Action::Stop, &beta));
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

    #[test]
    fn created_things_join_the_list_once() {
        let mut permissions = Permissions::default();
        for resource in RESOURCES {
            permissions.allow(resource, Id::from_text("new"));
            permissions.allow(resource, Id::from_text("new"));
            assert_eq!(permissions.allowed(resource), [Id::from_text("new")]);
        }
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
    fn stored_permissions_are_read_again() {
        let json = serde_json::to_string(&Permissions::default()).unwrap();
        assert_eq!(serde_json::from_str::<Permissions>(&json).unwrap(), Permissions::default());
    }
}
