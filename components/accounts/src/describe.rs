//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    AdminUpdateBody, ErrorCode, IdBody, LoginAnswer, LoginBody, MessageBody, SignupAnswer, SignupBody,
    SignupState, TokenCreateBody, TokenCreatedBody, TokensBody, UserBody, UsersBody, WhoamiBody,
};
use spindrift_web::describe::schema::{flag, word};
use spindrift_web::describe::{Call, Who};

const ACCOUNTS: &str = "Accounts";
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

pub(crate) fn list_users() -> Call {
    Call::new(TEAM, Who::Admin, "Lists the team").answers::<UsersBody>(200, "The users of the team, by name.")
}

pub(crate) fn delete_user() -> Call {
    delete(TEAM, "Deletes a team user").answers::<MessageBody>(200, "The user is gone, its logins too.")
}

pub(crate) fn list_tokens() -> Call {
    Call::new(TOKENS, Who::Admin, "Lists the CI tokens")
        .answers::<TokensBody>(200, "The tokens, oldest first, expired ones too.")
}

pub(crate) fn delete_token() -> Call {
    delete(TOKENS, "Revokes a CI token").answers::<MessageBody>(200, "The token is not accepted any more.")
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
        .refuses(401, &[ErrorCode::WrongCredentials])
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
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::InUse, ErrorCode::WouldCutOff])
}

pub(crate) fn create_user() -> Call {
    Call::new(TEAM, Who::Admin, "Creates a team user")
        .json::<UserBody>(json!({
            "username": "joe",
            "password": "correct horse",
            "permissions": { "Apps": { "Create": true } },
        }))
        .answers::<MessageBody>(200, "The user was created.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists])
}

pub(crate) fn update_user() -> Call {
    Call::new(TEAM, Who::Admin, "Changes a team user")
        .details("Fields that are left out keep their values. Changing the password or removing a permission ends the user's logins.")
        .json::<UserBody>(json!({ "id": "018f0000-0000-7000-8000-000000000002", "username": "joe" }))
        .answers::<MessageBody>(200, "The user was changed.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists])
}

pub(crate) fn create_token() -> Call {
    Call::new(TOKENS, Who::Admin, "Creates a CI token")
        .json::<TokenCreateBody>(json!({ "name": "ci", "allowed_apps": [] }))
        .answers::<TokenCreatedBody>(201, "The token, which is shown only here.")
        .refuses(404, &[ErrorCode::NotFound])
}

/// A deletion. The id is in the query or in the body.
fn delete(noun: &'static str, summary: &'static str) -> Call {
    Call::new(noun, Who::Admin, summary)
        .query("id", "Its id. May be in the body instead.", word())
        .maybe_json::<IdBody>(json!({ "id": "018f0000-0000-7000-8000-000000000002" }))
        .refuses(404, &[ErrorCode::NotFound])
}
