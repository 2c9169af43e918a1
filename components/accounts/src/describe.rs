//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    AdminUpdateBody, ErrorCode, IdBody, InvitationAcceptBody, InvitationAcceptedBody, InvitationCreateBody,
    InvitationCreatedBody, InvitationsBody, LoginAnswer, LoginBody, LoginsBody, MessageBody,
    OwnInvitationBody, PasswordBody, SignupAnswer, SignupBody, SignupState, TokenCreateBody,
    TokenCreatedBody, TokensBody, UserBody, UsersBody, WhoamiBody,
};
use spindrift_web::describe::schema::{flag, word};
use spindrift_web::describe::{Call, Who};

const ACCOUNTS: &str = "Accounts";
const INVITATIONS: &str = "Invitations";
const TEAM: &str = "Team users";
const TOKENS: &str = "CI tokens";

pub(crate) fn ask_signup() -> Call {
    Call::new(ACCOUNTS, Who::Anyone, "Whether there is an admin")
        .details("A new service has none until somebody has signed up.")
        .answers::<SignupState>(200, "Whether there is one.")
}

pub(crate) fn whoami() -> Call {
    Call::new(ACCOUNTS, Who::User, "Returns the account of the login")
        .answers::<WhoamiBody>(200, "The user. For team users also the owner and the permissions.")
}

pub(crate) fn logout_all() -> Call {
    Call::new(ACCOUNTS, Who::User, "Ends all logins of the caller")
        .answers::<MessageBody>(200, "No login of the caller is valid any more.")
}

pub(crate) fn logout() -> Call {
    Call::new(ACCOUNTS, Who::User, "Ends the login of this call")
        .answers::<MessageBody>(200, "The login is not valid any more.")
}

pub(crate) fn logout_others() -> Call {
    Call::new(ACCOUNTS, Who::User, "Ends all logins of the caller but the one of this call")
        .answers::<MessageBody>(200, "Only the login of this call is valid.")
}

pub(crate) fn list_logins() -> Call {
    Call::new(ACCOUNTS, Who::User, "Lists the caller's logins")
        .answers::<LoginsBody>(200, "The logins, the latest first, at most 100.")
}

pub(crate) fn end_login() -> Call {
    let call = delete_as(ACCOUNTS, Who::User, "Ends a login of the caller");
    call.answers::<MessageBody>(200, "The login is not valid any more.")
}

pub(crate) fn change_password() -> Call {
    Call::new(ACCOUNTS, Who::User, "Changes the caller's password")
        .details(
            "Needs the current password; a wrong one counts like a failed login. Ends all logins of the caller, also the one \
             of this call.",
        )
        .json::<PasswordBody>(json!({ "current_password": "correct horse", "password": "battery staple" }))
        .answers::<MessageBody>(200, "The password was changed. Log in again.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn create_invitation() -> Call {
    Call::new(INVITATIONS, Who::Admin, "Invites a person to the team")
        .details(
            "The link is good once, for 7 days. The person chooses a password, and a name unless the invitation sets one. \
             `role` and `permissions` are those of `POST /user/create`.",
        )
        .json::<InvitationCreateBody>(json!({ "username": "joe", "role": "support" }))
        .answers::<InvitationCreatedBody>(201, "The invitation, with its link, which is shown only here.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists])
}

pub(crate) fn list_invitations() -> Call {
    Call::new(INVITATIONS, Who::Admin, "Lists the open invitations")
        .answers::<InvitationsBody>(200, "The invitations that can still be accepted, oldest first.")
}

pub(crate) fn revoke_invitation() -> Call {
    delete(INVITATIONS, "Revokes an invitation")
        .answers::<MessageBody>(200, "The link is not good any more.")
        .refuses(410, &[ErrorCode::InvitationOver])
}

pub(crate) fn own_invitation() -> Call {
    Call::new(INVITATIONS, Who::Invited, "Shows an invitation to the person who has its link")
        .answers::<OwnInvitationBody>(200, "The invitation.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(410, &[ErrorCode::InvitationOver])
}

pub(crate) fn accept_invitation() -> Call {
    Call::new(INVITATIONS, Who::Invited, "Accepts an invitation")
        .details("Creates the team user. If the name is taken, the invitation stays open.")
        .json::<InvitationAcceptBody>(json!({ "username": "joe", "password": "correct horse" }))
        .answers::<InvitationAcceptedBody>(200, "The user was created, and can log in.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists])
        .refuses(410, &[ErrorCode::InvitationOver])
}

pub(crate) fn list_users() -> Call {
    Call::new(TEAM, Who::Admin, "Lists the team").answers::<UsersBody>(200, "The users of the team, by name.")
}

pub(crate) fn delete_user() -> Call {
    delete(TEAM, "Deletes a team user")
        .answers::<MessageBody>(200, "The user is gone, its logins too.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
}

pub(crate) fn list_tokens() -> Call {
    Call::new(TOKENS, Who::Admin, "Lists the CI tokens")
        .answers::<TokensBody>(200, "The tokens, oldest first, expired ones too.")
}

pub(crate) fn delete_token() -> Call {
    delete(TOKENS, "Revokes a CI token")
        .answers::<MessageBody>(200, "The token is not accepted any more.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
}

pub(crate) fn signup() -> Call {
    Call::new(ACCOUNTS, Who::Anyone, "Creates an admin")
        .details(
            "Needs the value of the setting `api_key`; while that is empty nobody can sign up. Failures are counted by user \
             name and by address.",
        )
        .json::<SignupBody>(json!({ "username": "ada", "password": "correct horse", "api_key": "secret" }))
        .answers::<SignupAnswer>(200, "The admin was created.")
        .refuses(401, &[ErrorCode::WrongApiKey])
        .refuses(409, &[ErrorCode::AlreadyExists])
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn login() -> Call {
    Call::new(ACCOUNTS, Who::Anyone, "Exchanges a name and a password for a login")
        .details("Failures are counted by user name, whether or not it exists, and by address.")
        .json::<LoginBody>(json!({ "username": "ada", "password": "correct horse" }))
        .answers::<LoginAnswer>(200, "A JWT, valid for 24 hours.")
        .refuses(
            401,
            &[ErrorCode::WrongCredentials, ErrorCode::PasswordLoginOff, ErrorCode::SecondFactorRequired],
        )
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn update_admin() -> Call {
    Call::new(ACCOUNTS, Who::Admin, "Changes the caller's own name or password")
        .details(
            "Omitted fields and an empty password keep the present values. The URLs built into clients contain the name. So \
             once something is published, or while installed copies ask for the name, a change needs `force`.",
        )
        .query("force", "Whether to make the change even if it cuts off installed copies.", flag())
        .json::<AdminUpdateBody>(json!({ "id": "018f0000-0000-7000-8000-000000000001", "username": "ada" }))
        .answers::<MessageBody>(200, "The account was changed. With a new name or password, log in again.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::InUse, ErrorCode::WouldCutOff])
}

pub(crate) fn create_user() -> Call {
    Call::new(TEAM, Who::Admin, "Creates a team user")
        .details(
            "`role` sets all permissions but the lists of `allowed`. With a role, and without any list of channels, platforms \
             and architectures, those lists hold everything that the owner has.",
        )
        .json::<UserBody>(json!({
            "username": "joe",
            "password": "correct horse",
            "permissions": { "Apps": { "Create": true } },
        }))
        .answers::<MessageBody>(200, "The user was created.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists])
}

pub(crate) fn update_user() -> Call {
    Call::new(TEAM, Who::Admin, "Changes a team user")
        .details("Fields that are left out keep their values. A role without `permissions` keeps the lists. Changing the password or removing a permission ends the user's logins.")
        .json::<UserBody>(json!({ "id": "018f0000-0000-7000-8000-000000000002", "username": "joe" }))
        .answers::<MessageBody>(200, "The user was changed.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists])
}

pub(crate) fn create_token() -> Call {
    Call::new(TOKENS, Who::Admin, "Creates a CI token")
        .json::<TokenCreateBody>(
            json!({ "name": "ci", "allowed_apps": ["018f0000-0000-7000-8000-000000000003"] }),
        )
        .answers::<TokenCreatedBody>(201, "The token, which is shown only here.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists])
}

/// A deletion. The id is in the query or in the body.
fn delete(noun: &'static str, summary: &'static str) -> Call {
    delete_as(noun, Who::Admin, summary)
}

fn delete_as(noun: &'static str, who: Who, summary: &'static str) -> Call {
    Call::new(noun, who, summary)
        .query("id", "Its id. May be in the body instead.", word())
        .maybe_json::<IdBody>(json!({ "id": "018f0000-0000-7000-8000-000000000002" }))
        .refuses(404, &[ErrorCode::NotFound])
}
