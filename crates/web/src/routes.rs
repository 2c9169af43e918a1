//! A component's routes.

use http::Method;

use crate::ApiError;

/// The routes of a component: method, path and handler. A path segment `{x}` matches any one segment, and
/// `{x...}` at the end one or more.
pub struct Routes<R: 'static>(pub &'static [(Method, &'static str, R)]);

impl<R: Copy> Routes<R> {
    /// The handler of a request. 404 for an unknown path, 405 for another method. `GET` handlers also answer `HEAD`.
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
