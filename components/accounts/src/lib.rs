//! Sign-up, login, team users and CI tokens. The reference is `docs/api/accounts.md`.

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

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
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
