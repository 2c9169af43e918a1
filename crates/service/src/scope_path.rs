//! Resolving the path of a scope, which can mean several scopes.

use spindrift_core::{AppName, InvalidName, Scope, ScopePath};
use spindrift_web::ApiError;

use crate::Failure;

/// Runs `load` for each scope that the path can mean, until one gives an answer. If none does, returns the first
/// failure.
pub async fn resolve<T>(
    path: &ScopePath,
    load: impl AsyncFn(Scope) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut first = None;
    for scope in path.scopes().map_err(nobodys)? {
        match load(scope).await {
            Err(failure @ Failure::Api(ApiError::BadRequest(_) | ApiError::NotFound(_))) => {
                first.get_or_insert(failure);
            }
            result => return result,
        }
    }
    Err(first.unwrap_or_else(|| ApiError::NotFound("not found".into()).into()))
}

/// An invalid name cannot exist: 404.
fn nobodys(InvalidName { kind }: InvalidName) -> ApiError {
    ApiError::not_found(if kind == AppName::KIND { "application" } else { kind })
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    /// The result for a path of which only the last meaning exists.
    fn answer(segments: [&str; 5]) -> Result<Scope, String> {
        let path = ScopePath::new(segments.map(str::to_owned));
        let load = async |scope: Scope| match scope.arch {
            Some(_) => Ok(scope),
            None => Err(ApiError::not_found("arch").into()),
        };
        block_on(resolve(&path, load)).map_err(|failure| failure.into_api().to_string())
    }

    #[test]
    fn the_first_meaning_that_is_there() {
        let found = answer(["acme", "app", "stable", "default", "default"]).unwrap();
        assert_eq!(found.dimensions(), [Some("stable"), None, Some("default")]);
        for (segments, text) in [
            (["a b", "app", "c", "d", "e"], "owner not found"),
            (["a", "b/c", "c", "d", "e"], "application not found"),
            (["a", "b", "c d", "d", "e"], "channel not found"),
        ] {
            assert_eq!(answer(segments), Err(text.to_owned()));
        }
    }
}
