//! Sign-up, login, team users and CI tokens. `docs/api/accounts.md` is their reference.

mod admin;
mod allowed;
mod attempts;
mod credentials;
#[cfg(target_family = "wasm")]
mod entry;
mod expiry;
mod session;
mod target;
mod tokens;
mod users;

use http::Method;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, Response, Routes};

/// The calls of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Makes an admin.
    Signup,
    /// A name and a password for a JWT.
    Login,
    /// Who the JWT belongs to.
    Whoami,
    /// Ends the logins of whoever calls.
    LogoutAll,
    /// An admin's own name and password.
    UpdateAdmin,
    /// Makes a team user.
    CreateUser,
    /// Changes a team user.
    UpdateUser,
    /// The team.
    ListUsers,
    /// Removes a team user.
    DeleteUser,
    /// Makes a CI token.
    CreateToken,
    /// The CI tokens.
    ListTokens,
    /// Revokes a CI token.
    DeleteToken,
}

/// What this component answers.
pub const ROUTES: Routes<Route> = Routes(&[
    (Method::POST, "/signup", Route::Signup),
    (Method::POST, "/login", Route::Login),
    (Method::GET, "/whoami", Route::Whoami),
    (Method::POST, "/logout/all", Route::LogoutAll),
    (Method::POST, "/admin/update", Route::UpdateAdmin),
    (Method::POST, "/user/create", Route::CreateUser),
    (Method::POST, "/user/update", Route::UpdateUser),
    (Method::GET, "/users/list", Route::ListUsers),
    (Method::DELETE, "/user/delete", Route::DeleteUser),
    (Method::POST, "/token/create", Route::CreateToken),
    (Method::GET, "/token/list", Route::ListTokens),
    (Method::DELETE, "/token/delete", Route::DeleteToken),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| answer(&ports, route, request).await).await
}

async fn answer<P: Ports>(ports: &P, route: Route, request: Request) -> Result<Response, Failure> {
    match route {
        Route::Signup => session::signup(ports, request).await,
        Route::Login => session::login(ports, request).await,
        Route::Whoami => session::whoami(ports, &request),
        Route::LogoutAll => session::logout_all(ports, &request),
        Route::UpdateAdmin => admin::update(ports, request).await,
        Route::CreateUser => users::create(ports, request).await,
        Route::UpdateUser => users::update(ports, request).await,
        Route::ListUsers => users::list(ports, &request),
        Route::DeleteUser => users::delete(ports, request).await,
        Route::CreateToken => tokens::create(ports, request).await,
        Route::ListTokens => tokens::list(ports, &request),
        Route::DeleteToken => tokens::delete(ports, request).await,
    }
}
