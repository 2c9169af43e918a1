//! Scopes as path segments: `{owner}/{app}/{channel}/{platform}/{arch}`, percent-encoded.

use std::str::FromStr;

use percent_encoding::percent_decode_str;
use spindrift_core::{Scope, UserName};
use spindrift_web::ApiError;

use crate::Failure;
use crate::origin::UNUSED_DIMENSION;

/// Channel, platform, architecture.
const DIMENSIONS: u32 = 3;

/// A path segment without its percent-encoding; `None`: it is not UTF-8.
pub fn decode(segment: &str) -> Option<String> {
    Some(percent_decode_str(segment).decode_utf8().ok()?.into_owned())
}

/// The five segments of a scope, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopePath {
    segments: [String; 5],
}

impl ScopePath {
    /// Of segments that are decoded. They are checked when the scopes are made of them.
    pub const fn new(segments: [String; 5]) -> Self {
        Self { segments }
    }

    /// What the path can mean: for each dimension called `default`, that it is not used, or that it has this name.
    /// Unused ones come first. 404 for a segment that is no name.
    pub fn scopes(&self) -> Result<Vec<Scope>, ApiError> {
        let mut scopes = Vec::new();
        for literal in 0..1 << DIMENSIONS {
            let scope = self.scope(literal)?;
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        Ok(scopes)
    }

    /// `literal` has a bit for each dimension: whether `default` is its name.
    fn scope(&self, literal: u8) -> Result<Scope, ApiError> {
        let [owner, app, channel, platform, arch] = &self.segments;
        Ok(Scope {
            owner: name(owner, UserName::KIND)?,
            app: name(app, "application")?,
            channel: dimension(channel, literal & 1 != 0, "channel")?,
            platform: dimension(platform, literal & 2 != 0, "platform")?,
            arch: dimension(arch, literal & 4 != 0, "arch")?,
        })
    }

    /// Runs `load` for what the path can mean, until there is an answer. The first failure stands for all.
    pub async fn resolve<T>(&self, load: impl AsyncFn(Scope) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut first = None;
        for scope in self.scopes()? {
            match load(scope).await {
                Err(failure @ Failure::Api(ApiError::BadRequest(_) | ApiError::NotFound(_))) => {
                    first.get_or_insert(failure);
                }
                result => return result,
            }
        }
        Err(first.unwrap_or_else(|| ApiError::NotFound("not found".into()).into()))
    }
}

/// What cannot be a name is nobody's.
fn name<T: FromStr>(text: &str, thing: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| ApiError::not_found(thing))
}

fn dimension<T: FromStr>(text: &str, literal: bool, thing: &str) -> Result<Option<T>, ApiError> {
    if text == UNUSED_DIMENSION && !literal { Ok(None) } else { name(text, thing).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(segments: [&str; 5]) -> ScopePath {
        ScopePath::new(segments.map(str::to_owned))
    }

    #[test]
    fn what_default_can_mean() {
        let scopes = path(["acme", "My App", "stable", "linux", "default"]).scopes().unwrap();
        assert_eq!((scopes[0].app.as_str(), &scopes[0].arch), ("My App", &None));
        assert_eq!(scopes[1].arch, Some("default".parse().unwrap()));
        assert_eq!(scopes.len(), 2);
        assert_eq!(path(["a", "b", "default", "default", "default"]).scopes().unwrap().len(), 8);
        assert_eq!(path(["a", "b", "c", "d", "e"]).scopes().unwrap().len(), 1);
        assert_eq!(
            path(["a", "b/c", "c", "d", "e"]).scopes().unwrap_err().to_string(),
            "application not found"
        );
    }
}
