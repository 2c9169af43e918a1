//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    DeviceAnswerBody, DeviceBody, DeviceCodeAnswer, DeviceCodeBody, DeviceTokenBody, ErrorCode, ExchangeBody,
    ExchangedBody, LoginAnswer, MessageBody, PasskeyAnswerBody, PasskeyCreateBody, PasskeyCreatedBody,
    PasskeyNewBody, PasskeyQuestionBody, PasskeyRequirementBody, PasskeysBody, PublisherCreateBody,
    PublisherEntry, PublishersBody, RecoveryBody, RecoveryCodesBody, SsoBeginBody, SsoBody, SsoFinishBody,
    SsoLoginAnswer, SsoQuestionBody, SsoRequirementBody,
};
use spindrift_web::describe::schema::word;
use spindrift_web::describe::{Call, Who};

const PUBLISHERS: &str = "Trusted publishing";
const PASSKEYS: &str = "Passkeys";
const SSO: &str = "Single sign-on";
const DEVICES: &str = "Logins of programs";

/// A challenge, and the JSON of a browser's answer.
fn answer() -> serde_json::Value {
    json!({ "challenge": "eyJwdXJwb3NlIjoi...", "credential": { "id": "...", "response": {}, "type": "public-key" } })
}

pub(crate) fn create_publisher() -> Call {
    Call::new(PUBLISHERS, Who::User, "Registers a publisher of an application")
        .details(
            "A CI job with these properties gets a token of the application for its identity token. Needs the permission to \
             edit the application, and each right that the publisher gets.",
        )
        .json::<PublisherCreateBody>(json!({
            "app": "notes", "provider": "github", "repository": "acme/notes", "workflow": "release.yml",
        }))
        .answers::<PublisherEntry>(201, "The publisher.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::Conflict])
}

pub(crate) fn list_publishers() -> Call {
    Call::new(PUBLISHERS, Who::User, "Lists publishers")
        .query("app", "The name of an application. Without it: of all that the caller may edit.", word())
        .answers::<PublishersBody>(200, "The publishers, oldest first.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn delete_publisher() -> Call {
    Call::new(PUBLISHERS, Who::User, "Removes a publisher, and ends the tokens of its jobs")
        .query("id", "Its id.", word())
        .answers::<MessageBody>(200, "The publisher is removed.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn exchange() -> Call {
    Call::new(PUBLISHERS, Who::Anyone, "Exchanges the identity token of a CI job for a CI token")
        .details("The identity token names this service as its only audience. Each is good once.")
        .json::<ExchangeBody>(json!({ "token": "eyJhbGciOi...", "owner": "acme", "app": "notes" }))
        .answers::<ExchangedBody>(200, "The token, which is shown only here.")
        .refuses(401, &[ErrorCode::InvalidIdentity])
        .refuses(403, &[ErrorCode::PublisherMismatch, ErrorCode::PublisherChanged])
        .refuses(429, &[ErrorCode::RateLimited])
        .refuses(503, &[ErrorCode::IdentityProviderUnavailable])
}

pub(crate) fn list_passkeys() -> Call {
    Call::new(PASSKEYS, Who::User, "Lists the caller's passkeys")
        .details(
            "People who lack a passkey that their owner demands may make this call and those that add one.",
        )
        .answers::<PasskeysBody>(200, "The passkeys, oldest first.")
}

pub(crate) fn ask_for_passkey() -> Call {
    Call::new(PASSKEYS, Who::User, "Asks for a new passkey")
        .details(
            "The first one needs the password, further ones a fresh login. Browsers have passkeys only for an `api_url` \
             with a host name, and with https except for `localhost`: for others, the call is a 409.",
        )
        .json::<PasskeyNewBody>(json!({ "password": "correct horse" }))
        .answers::<PasskeyQuestionBody>(200, "The options of `navigator.credentials.create`.")
        .refuses(403, &[ErrorCode::Forbidden, ErrorCode::FreshLoginRequired])
        .refuses(409, &[ErrorCode::Conflict])
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn create_passkey() -> Call {
    let mut body = answer();
    body["name"] = "Laptop".into();
    Call::new(PASSKEYS, Who::User, "Adds a passkey")
        .details("From then on, the password alone does not log in.")
        .json::<PasskeyCreateBody>(body)
        .answers::<PasskeyCreatedBody>(201, "The passkey, and with the first one the recovery codes.")
        .refuses(403, &[ErrorCode::InvalidPasskey])
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::Conflict])
}

pub(crate) fn delete_passkey() -> Call {
    Call::new(PASSKEYS, Who::User, "Removes a passkey")
        .query("id", "Its id.", word())
        .answers::<MessageBody>(200, "The passkey is removed.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::InUse])
}

pub(crate) fn new_codes() -> Call {
    Call::new(PASSKEYS, Who::User, "Makes new recovery codes, and ends all earlier ones")
        .answers::<RecoveryCodesBody>(200, "The codes, which are shown only here.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(409, &[ErrorCode::Conflict])
}

pub(crate) fn require_passkeys() -> Call {
    Call::new(PASSKEYS, Who::Admin, "Sets whether the team needs passkeys")
        .details("A team user without one may then do nothing but add one. The admin needs one too.")
        .json::<PasskeyRequirementBody>(json!({ "required": true }))
        .answers::<MessageBody>(200, "It is set.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(409, &[ErrorCode::Conflict])
}

pub(crate) fn ask_for_login() -> Call {
    Call::new(PASSKEYS, Who::Anyone, "Asks for a passkey to log in with")
        .answers::<PasskeyQuestionBody>(200, "The options of `navigator.credentials.get`.")
        .refuses(409, &[ErrorCode::Conflict])
}

pub(crate) fn passkey_login() -> Call {
    Call::new(PASSKEYS, Who::Anyone, "Logs in with a passkey")
        .details("Alone, or after `POST /login` has answered `second_factor_required`.")
        .json::<PasskeyAnswerBody>(answer())
        .answers::<LoginAnswer>(200, "The login.")
        .refuses(401, &[ErrorCode::InvalidPasskey])
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn ask_for_proof() -> Call {
    Call::new(PASSKEYS, Who::User, "Asks for a fresh proof with a passkey of the caller")
        .answers::<PasskeyQuestionBody>(200, "The options of `navigator.credentials.get`.")
        .refuses(409, &[ErrorCode::Conflict])
}

pub(crate) fn prove() -> Call {
    Call::new(PASSKEYS, Who::User, "Makes the caller's login fresh")
        .details("For changes that answer `fresh_login_required`.")
        .json::<PasskeyAnswerBody>(answer())
        .answers::<MessageBody>(200, "The login is fresh for the time in `fresh_login_ttl`.")
        .refuses(403, &[ErrorCode::InvalidPasskey])
        .refuses(409, &[ErrorCode::Conflict])
}

pub(crate) fn recover() -> Call {
    Call::new(PASSKEYS, Who::Anyone, "Logs in with the password and a recovery code")
        .json::<RecoveryBody>(
            json!({ "username": "ada", "password": "correct horse", "code": "k3vm-91ta-0h7r-xq5d" }),
        )
        .answers::<LoginAnswer>(200, "The login. The code has ended.")
        .refuses(401, &[ErrorCode::WrongCredentials])
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn begin_device_login() -> Call {
    Call::new(DEVICES, Who::Anyone, "Begins a login that a person allows in a browser")
        .details("For programs without a browser, as in RFC 8628. The person has ten minutes.")
        .json::<DeviceCodeBody>(json!({ "machine": "spindrift on build-3" }))
        .answers::<DeviceCodeAnswer>(200, "The codes, and the page on which the person answers.")
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn device_token() -> Call {
    Call::new(DEVICES, Who::Anyone, "Gets the login that a person has allowed")
        .json::<DeviceTokenBody>(json!({ "device_code": "9f86d081884c7d65..." }))
        .answers::<LoginAnswer>(200, "The login, once.")
        .refuses(
            400,
            &[
                ErrorCode::AuthorizationPending,
                ErrorCode::SlowDown,
                ErrorCode::ExpiredToken,
                ErrorCode::AccessDenied,
            ],
        )
}

pub(crate) fn show_device() -> Call {
    Call::new(DEVICES, Who::User, "Shows the program that waits with a code")
        .query("user_code", "The code that the program shows.", word())
        .answers::<DeviceBody>(200, "The program.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn answer_device() -> Call {
    Call::new(DEVICES, Who::User, "Lets a program log in as the caller, or refuses it")
        .json::<DeviceAnswerBody>(json!({ "user_code": "WDJB-MJHT", "allow": true }))
        .answers::<MessageBody>(200, "The program has its answer.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(429, &[ErrorCode::RateLimited])
}

pub(crate) fn show_sso() -> Call {
    Call::new(SSO, Who::Anyone, "Says whether the service has a provider for single sign-on")
        .answers::<SsoBody>(200, "The provider's name.")
}

pub(crate) fn begin_sso() -> Call {
    Call::new(SSO, Who::Anyone, "Begins a sign-in")
        .json::<SsoBeginBody>(json!({ "then": "/console/" }))
        .answers::<SsoQuestionBody>(200, "The page of the provider, and a challenge for the end.")
        .refuses(409, &[ErrorCode::Conflict])
        .refuses(503, &[ErrorCode::IdentityProviderUnavailable])
}

/// The parameters with which the provider leads back.
fn provider_answer() -> serde_json::Value {
    json!({ "challenge": "eyJwdXJwb3NlIjoi...", "code": "SplxlOBeZQQYbYS6WxSbIA", "state": "af0ifjsldkj" })
}

pub(crate) fn finish_sso() -> Call {
    Call::new(SSO, Who::Anyone, "Ends a sign-in with a login")
        .details(
            "The first sign-in with the e-mail address of an invited user, verified by the provider, links the two accounts. \
             Later only the account at the provider counts.",
        )
        .json::<SsoFinishBody>(provider_answer())
        .answers::<SsoLoginAnswer>(200, "The login.")
        .refuses(401, &[ErrorCode::SsoFailed])
        .refuses(403, &[ErrorCode::NotInvited])
        .refuses(409, &[ErrorCode::Conflict])
        .refuses(429, &[ErrorCode::RateLimited])
        .refuses(503, &[ErrorCode::IdentityProviderUnavailable])
}

pub(crate) fn bind_sso() -> Call {
    Call::new(SSO, Who::User, "Begins to link the caller's account to one at the provider")
        .json::<SsoBeginBody>(json!({}))
        .answers::<SsoQuestionBody>(200, "The page of the provider, and a challenge for the end.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(409, &[ErrorCode::Conflict])
        .refuses(503, &[ErrorCode::IdentityProviderUnavailable])
}

pub(crate) fn finish_bind_sso() -> Call {
    Call::new(SSO, Who::User, "Links the caller's account to one at the provider")
        .json::<SsoFinishBody>(provider_answer())
        .answers::<MessageBody>(200, "The account can sign in there.")
        .refuses(403, &[ErrorCode::SsoFailed])
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::Conflict])
        .refuses(503, &[ErrorCode::IdentityProviderUnavailable])
}

pub(crate) fn require_sso() -> Call {
    Call::new(SSO, Who::Admin, "Sets whether the team may log in with passwords")
        .details("Passkeys go on, and the admin keeps the password.")
        .json::<SsoRequirementBody>(json!({ "password_login": false }))
        .answers::<MessageBody>(200, "It is set.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(409, &[ErrorCode::Conflict])
}
