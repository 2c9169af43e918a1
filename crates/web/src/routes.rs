//! A component's routes.

use http::Method;

use crate::ApiError;

/// Makes the calls of a component from one list: the enum `Call`, the table `ROUTES`, the function `answer`,
/// which calls the handlers, and in native builds the function `describe`.
///
/// The first line declares `answer`, and so the arguments that handlers can take. Each further line is a
/// call: its name, the method, the path or several paths, the handler, and the description, which is compiled
/// only in native builds. A handler returns a `Response` or a `Reply`.
///
/// ```
/// # trait Ports {}
/// # type Failure = spindrift_web::ApiError;
/// # mod notes {
/// #     use http::StatusCode;
/// #     use spindrift_web::{Request, Response, response};
/// #     pub fn list<P>(_: &P) -> Result<Response, spindrift_web::ApiError> { Ok(response::empty(StatusCode::OK)) }
/// #     pub async fn delete<P>(ports: &P, _: Request) -> Result<Response, spindrift_web::ApiError> { list(ports) }
/// # }
/// # mod describe {
/// #     use spindrift_web::describe::{Call, Who};
/// #     pub fn list() -> Call { Call::new("Notes", Who::User, "Lists notes") }
/// #     pub fn delete() -> Call { Call::new("Notes", Who::User, "Deletes a note") }
/// # }
/// use spindrift_web::{Reply, Request, routes};
///
/// routes! {
///     async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;
///
///     List: GET "/notes" => notes::list(ports), describe::list();
///     Delete: DELETE "/notes/{id}" | "/note/{id}" => notes::delete(ports, request).await, describe::delete();
/// }
///
/// assert_eq!(ROUTES.find(&http::Method::DELETE, "/note/1"), Ok(Call::Delete));
/// ```
#[macro_export]
macro_rules! routes {
    (
        async fn answer<P: $bound:path>($ports:ident: &P, $request:ident: $request_type:ty) -> $result:ty;
        $($call:ident: $method:ident $($path:tt)|+ => $handler:expr, $description:expr;)+
    ) => {
        /// The endpoints of this component.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Call {
            $(#[doc = concat!("`", stringify!($method $($path)|+), "`")] $call,)+
        }

        /// The routes of this component.
        pub const ROUTES: $crate::Routes<Call> = $crate::Routes(&[
            $($(($crate::Method::$method, $path, Call::$call),)+)+
        ]);

        async fn answer<P: $bound>($ports: &P, call: Call, $request: $request_type) -> $result {
            match call {
                $(Call::$call => $handler.map(Into::into),)+
            }
        }

        /// Describes a call.
        #[cfg(not(target_family = "wasm"))]
        pub fn describe(call: Call) -> $crate::describe::Call {
            match call {
                $(Call::$call => $description,)+
            }
        }
    };
}

/// The routes of a component: method, path and handler. A path segment `{x}` matches any one segment, and
/// `{x...}` at the end one or more.
pub struct Routes<R: 'static>(pub &'static [(Method, &'static str, R)]);

impl<R: Copy> Routes<R> {
    /// The handler of a request. 404 for an unknown path, 405 for another method. `GET` handlers also answer
    /// `HEAD`.
    pub fn find(&self, method: &Method, path: &str) -> Result<R, ApiError> {
        let asked = if *method == Method::HEAD { &Method::GET } else { method };
        let mut allowed = Vec::new();
        for (method, pattern, route) in self.0 {
            if matches(pattern, path) {
                if method == asked {
                    return Ok(*route);
                }
                allowed.push(method.clone());
            }
        }
        if allowed.is_empty() {
            return Err(ApiError::NotFound("not found".into()));
        }
        if allowed.contains(&Method::GET) {
            allowed.push(Method::HEAD);
        }
        Err(ApiError::MethodNotAllowed(allowed))
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    if pattern == path {
        return true;
    }
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) => return true,
            (Some(p), Some(segment)) if p.ends_with("...}") => return !segment.is_empty(),
            (Some(p), Some(segment)) if p == segment || (p.starts_with('{') && !segment.is_empty()) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTES: Routes<u8> = Routes(&[
        (Method::GET, "/a", 1),
        (Method::POST, "/a", 2),
        (Method::DELETE, "/a/{id}", 3),
        (Method::GET, "/f/{x}/y/{name...}", 4),
    ]);

    #[test]
    fn finds_by_method_and_path() {
        assert_eq!(ROUTES.find(&Method::GET, "/a"), Ok(1));
        assert_eq!(ROUTES.find(&Method::HEAD, "/a"), Ok(1));
        assert_eq!(ROUTES.find(&Method::POST, "/a"), Ok(2));
        assert_eq!(ROUTES.find(&Method::DELETE, "/a/x"), Ok(3));
        for path in ["/f/x/y/z", "/f/x/y/z/..", "/f/x/y/a/b//"] {
            assert_eq!(ROUTES.find(&Method::GET, path), Ok(4), "{path}");
        }
        for path in ["/b", "/a/", "/a/x/y", "/", "/f/x/y", "/f/x/y/", "/f/x/y//z", "/f/x/z/y"] {
            assert_eq!(
                ROUTES.find(&Method::GET, path),
                Err(ApiError::NotFound("not found".into())),
                "{path}"
            );
        }
        assert_eq!(
            ROUTES.find(&Method::PUT, "/a"),
            Err(ApiError::MethodNotAllowed(vec![Method::GET, Method::POST, Method::HEAD]))
        );
    }
}
