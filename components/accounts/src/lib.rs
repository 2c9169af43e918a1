//! Sign-up, logins, team users, invitations and CI tokens. The reference is `docs/api/accounts.md`.

mod admin;
mod allowed;
mod audited;
mod credentials;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod expiry;
mod invitations;
mod logins;
mod new_permissions;
mod own_logins;
mod own_password;
mod target;
mod tokens;
mod users;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    AskSignup: GET "/signup" => logins::ask_signup(ports), describe::ask_signup();
    Signup: POST "/signup" => logins::signup(ports, request).await, describe::signup();
    Login: POST "/login" => logins::login(ports, request).await, describe::login();
    Whoami: GET "/whoami" => logins::whoami(ports, &request), describe::whoami();
    ListLogins: GET "/logins" => own_logins::list(ports, &request), describe::list_logins();
    EndLogin: DELETE "/logins" => own_logins::end(ports, request).await, describe::end_login();
    Logout: POST "/logout" => own_logins::log_out(ports, &request), describe::logout();
    LogoutOthers: POST "/logout/others" => own_logins::end_others(ports, &request), describe::logout_others();
    ChangePassword: POST "/password" => own_password::change(ports, request).await, describe::change_password();
    LogoutAll: POST "/logout/all" => logins::logout_all(ports, &request), describe::logout_all();
    UpdateAdmin: POST "/admin/update" => admin::update(ports, request).await, describe::update_admin();
    CreateUser: POST "/user/create" => users::create(ports, request).await, describe::create_user();
    UpdateUser: POST "/user/update" => users::update(ports, request).await, describe::update_user();
    ListUsers: GET "/users/list" => users::list(ports, &request), describe::list_users();
    DeleteUser: DELETE "/user/delete" => users::delete(ports, request).await, describe::delete_user();
    CreateInvitation: POST "/invitations" => invitations::create(ports, request).await, describe::create_invitation();
    ListInvitations: GET "/invitations" => invitations::list(ports, &request), describe::list_invitations();
    RevokeInvitation: DELETE "/invitations" => invitations::revoke(ports, request).await, describe::revoke_invitation();
    OwnInvitation: GET "/invitations/mine" => invitations::show(ports, &request), describe::own_invitation();
    AcceptInvitation: POST "/invitations/accept" => invitations::accept(ports, request).await, describe::accept_invitation();
    CreateToken: POST "/token/create" => tokens::create(ports, request).await, describe::create_token();
    ListTokens: GET "/token/list" => tokens::list(ports, &request), describe::list_tokens();
    DeleteToken: DELETE "/token/delete" => tokens::delete(ports, request).await, describe::delete_token();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
