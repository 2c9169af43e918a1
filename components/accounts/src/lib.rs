//! Sign-up, login, team users and CI tokens. The reference is `docs/api/accounts.md`.

mod admin;
mod allowed;
mod attempts;
mod audited;
mod credentials;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod expiry;
mod logins;
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
    LogoutAll: POST "/logout/all" => logins::logout_all(ports, &request), describe::logout_all();
    UpdateAdmin: POST "/admin/update" => admin::update(ports, request).await, describe::update_admin();
    CreateUser: POST "/user/create" => users::create(ports, request).await, describe::create_user();
    UpdateUser: POST "/user/update" => users::update(ports, request).await, describe::update_user();
    ListUsers: GET "/users/list" => users::list(ports, &request), describe::list_users();
    DeleteUser: DELETE "/user/delete" => users::delete(ports, request).await, describe::delete_user();
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
