//! Names the rights and permissions that a refused caller lacks, for the error.

use crate::{Action, Actor, Id, Resource, TokenGrant, TokenRight};

/// The right or permission that the actor lacks for an action that [`Actor::may`] refuses.
///
/// ```
/// # use spindrift_core::{Action, Actor, Id, TokenGrant, TokenRight, lacks};
/// let grants = vec![TokenGrant::everywhere(vec![TokenRight::Upload])];
/// let token = Actor::CiToken { allowed_apps: vec![Id::from_text("1")], grants };
/// assert_eq!(lacks(&token, Action::Publish), "the token lacks the right publish or roll, and has upload");
/// ```
pub fn lacks(actor: &Actor, action: Action) -> String {
    match actor {
        Actor::Admin => "nobody may do this".to_owned(),
        Actor::TeamUser(_) if matches!(action, Action::Administer | Action::Guard) => {
            "only the owner may do this".to_owned()
        }
        Actor::TeamUser(permissions) if permissions.grants(action) => {
            format!("your permissions do not include this {}", noun(action.resource()))
        }
        Actor::TeamUser(_) => {
            format!("you lack the permission to {} {}s", verb(action), noun(action.resource()))
        }
        Actor::CiToken { grants, .. } => lacks_right(action, &TokenGrant::rights(grants)),
    }
}

fn lacks_right(action: Action, may: &[TokenRight]) -> String {
    let sufficient: Vec<&str> = TokenRight::ALL
        .into_iter()
        .filter(|right| suffices(action, *right))
        .map(TokenRight::as_str)
        .collect();
    if may.iter().any(|right| suffices(action, *right)) {
        return "the token may not work on this application".to_owned();
    }
    let has: Vec<&str> = may.iter().map(|right| right.as_str()).collect();
    let has = if has.is_empty() { "none".to_owned() } else { has.join(", ") };
    match sufficient.split_first() {
        None => "no CI token may do this".to_owned(),
        Some((first, [])) => format!("the token lacks the right {first}, and has {has}"),
        Some(_) => format!("the token lacks the right {}, and has {has}", sufficient.join(" or ")),
    }
}

/// Whether a token with only this right may perform the action on its applications.
fn suffices(action: Action, right: TokenRight) -> bool {
    let app = Id::from_text("1");
    let grants = vec![TokenGrant::everywhere(vec![right])];
    Actor::CiToken { allowed_apps: vec![app.clone()], grants }.may(action, Some(&app))
}

const fn noun(resource: Resource) -> &'static str {
    match resource {
        Resource::App => "application",
        Resource::Channel => "channel",
        Resource::Platform => "platform",
        Resource::Arch => "architecture",
    }
}

/// The permission of a team user for the action.
const fn verb(action: Action) -> &'static str {
    match action {
        Action::Create(_) => "create",
        Action::View(_) => "see",
        Action::Delete(_) => "delete",
        Action::Upload => "upload to",
        Action::Download => "download files of",
        Action::Stop | Action::Unschedule => "stop releases of",
        Action::Triage => "triage failures of",
        _ => "edit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Permissions;

    #[test]
    fn tokens_lack_rights() {
        let token = |may: &[TokenRight]| Actor::CiToken {
            allowed_apps: Vec::new(),
            grants: vec![TokenGrant::everywhere(may.to_vec())],
        };
        for (may, action, message) in [
            (&[][..], Action::Guard, "the token lacks the right guard, and has none"),
            (&[TokenRight::Upload], Action::Stop, "the token lacks the right stop or roll, and has upload"),
            (&[TokenRight::Upload], Action::Administer, "no CI token may do this"),
            (&[TokenRight::Roll], Action::Roll, "the token may not work on this application"),
        ] {
            assert_eq!(lacks(&token(may), action), message);
        }
    }

    #[test]
    fn people_lack_permissions() {
        let nobody = Actor::TeamUser(Permissions::default());
        for (action, message) in [
            (Action::Administer, "only the owner may do this"),
            (Action::Edit(Resource::App), "you lack the permission to edit applications"),
            (Action::Create(Resource::Channel), "you lack the permission to create channels"),
            (Action::Upload, "you lack the permission to upload to applications"),
            (Action::Stop, "you lack the permission to stop releases of applications"),
            (Action::Triage, "you lack the permission to triage failures of applications"),
        ] {
            assert_eq!(lacks(&nobody, action), message);
        }
    }
}
