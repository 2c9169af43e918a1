//! Sign-up, login, team users and CI tokens. The reference is `docs/api/accounts.md`.

mod admin;
mod allowed;
mod attempts;
mod credentials;
#[cfg(feature = "describe")]
mod describe;
mod expiry;
mod session;
mod target;
mod tokens;
mod users;

use http::Method;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, Response, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountCall {
    /// Tells whether there is an admin.
    AskSignup,
    /// Creates an admin.
    Signup,
    /// Exchanges a name and a password for a JWT.
    Login,
    /// Returns the user of the JWT.
    Whoami,
    /// Ends all logins of the caller.
    LogoutAll,
    /// Changes an admin's own name and password.
    UpdateAdmin,
    /// Creates a team user.
    CreateUser,
    /// Changes a team user.
    UpdateUser,
    /// Lists the team.
    ListUsers,
    /// Removes a team user.
    DeleteUser,
    /// Creates a CI token.
    CreateToken,
    /// Lists the CI tokens.
    ListTokens,
    /// Revokes a CI token.
    DeleteToken,
}

/// The routes of this component.
pub const ROUTES: Routes<AccountCall> = Routes(&[
    (Method::GET, "/signup", AccountCall::AskSignup),
    (Method::POST, "/signup", AccountCall::Signup),
    (Method::POST, "/login", AccountCall::Login),
    (Method::GET, "/whoami", AccountCall::Whoami),
    (Method::POST, "/logout/all", AccountCall::LogoutAll),
    (Method::POST, "/admin/update", AccountCall::UpdateAdmin),
    (Method::POST, "/user/create", AccountCall::CreateUser),
    (Method::POST, "/user/update", AccountCall::UpdateUser),
    (Method::GET, "/users/list", AccountCall::ListUsers),
    (Method::DELETE, "/user/delete", AccountCall::DeleteUser),
    (Method::POST, "/token/create", AccountCall::CreateToken),
    (Method::GET, "/token/list", AccountCall::ListTokens),
    (Method::DELETE, "/token/delete", AccountCall::DeleteToken),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| answer(&ports, route, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);

async fn answer<P: Ports>(ports: &P, route: AccountCall, request: Request) -> Result<Response, Failure> {
    match route {
        AccountCall::AskSignup => session::ask_signup(ports),
        AccountCall::Signup => session::signup(ports, request).await,
        AccountCall::Login => session::login(ports, request).await,
        AccountCall::Whoami => session::whoami(ports, &request),
        AccountCall::LogoutAll => session::logout_all(ports, &request),
        AccountCall::UpdateAdmin => admin::update(ports, request).await,
        AccountCall::CreateUser => users::create(ports, request).await,
        AccountCall::UpdateUser => users::update(ports, request).await,
        AccountCall::ListUsers => users::list(ports, &request),
        AccountCall::DeleteUser => users::delete(ports, request).await,
        AccountCall::CreateToken => tokens::create(ports, request).await,
        AccountCall::ListTokens => tokens::list(ports, &request),
        AccountCall::DeleteToken => tokens::delete(ports, request).await,
    }
}
