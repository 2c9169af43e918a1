//! Reading the path of a scope.

use spindrift_core::{AppName, InvalidName, Scope, ScopePath};
use spindrift_web::Request;

use crate::ServiceError;

/// The scope that the path of a request asks about. A name that is not valid cannot exist.
pub fn requested_scope(request: &Request, path: &ScopePath) -> Result<Scope, ServiceError> {
    let scope = scope(path)?;
    request.context().set_owner(&scope.owner);
    Ok(scope)
}

fn scope(path: &ScopePath) -> Result<Scope, ServiceError> {
    path.requested_scope().map_err(|InvalidName { kind }| {
        ServiceError::UnknownName(if kind == AppName::KIND { "application" } else { kind })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_names_are_not_found() {
        for (segments, text) in [
            (["a b", "app", "c", "d", "e"], "owner not found"),
            (["a", "b/c", "c", "d", "e"], "application not found"),
            (["a", "b", "c d", "d", "e"], "channel not found"),
        ] {
            let error = scope(&ScopePath::new(segments.map(str::to_owned))).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
    }
}
