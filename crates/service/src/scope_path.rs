//! Scopes as path segments: `{owner}/{app}/{channel}/{platform}/{arch}`, percent-encoded.

use std::str::FromStr;

use percent_encoding::percent_decode_str;
use spindrift_core::{Scope, UserName};
use spindrift_web::ApiError;

use crate::Failure;
use crate::origin::UNUSED_DIMENSION;

/// In the order of their segments.
const DIMENSION_NAMES: [&str; 3] = ["channel", "platform", "arch"];
/// What [`dimensions_parameter`] is when no dimension is used: it names none.
const NO_DIMENSIONS: &str = "none";

/// The dimensions that a scope has, as a comma list. In its path, a dimension called `default` may be one that is not used.
pub(crate) fn dimensions_parameter(scope: &Scope) -> String {
    let used = [scope.channel.is_some(), scope.platform.is_some(), scope.arch.is_some()];
    let names: Vec<&str> =
        DIMENSION_NAMES.into_iter().zip(used).filter(|(_, used)| *used).map(|(name, _)| name).collect();
    if names.is_empty() { NO_DIMENSIONS.to_owned() } else { names.join(",") }
}

/// A path segment without its percent-encoding; `None`: it is not UTF-8.
pub fn decode(segment: &str) -> Option<String> {
    Some(percent_decode_str(segment).decode_utf8().ok()?.into_owned())
}

/// The five segments of a scope, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopePath {
    segments: [String; 5],
    /// A bit for each dimension: whether it is used. `None`: nobody says.
    used: Option<u8>,
}

impl ScopePath {
    /// Of segments that are decoded. They are checked when the scopes are made of them.
    pub const fn new(segments: [String; 5]) -> Self {
        Self { segments, used: None }
    }

    /// The same with what `dimensions_parameter` said, so that the path means one thing only.
    #[must_use]
    pub fn with_dimensions(mut self, parameter: Option<&str>) -> Self {
        self.used = parameter.map(|names| {
            let bit = |name: &str| DIMENSION_NAMES.iter().position(|known| *known == name);
            names.split(',').filter_map(bit).fold(0, |bits, bit| bits | 1 << bit)
        });
        self
    }

    /// What the path can mean: for each dimension called `default`, that it is not used, or that it has this name.
    /// Unused ones come first. 404 for a segment that is no name.
    pub fn scopes(&self) -> Result<Vec<Scope>, ApiError> {
        if let Some(used) = self.used {
            return Ok(vec![self.scope(used)?]);
        }
        let mut scopes = Vec::new();
        for literal in 0..1 << DIMENSION_NAMES.len() {
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
    fn a_path_with_its_dimensions_means_one_scope() {
        let names = ["acme", "app", "default", "default", "amd64"];
        for (parameter, channel, platform) in
            [("arch", false, false), ("channel,arch", true, false), ("channel,platform,arch", true, true)]
        {
            let scopes = path(names).with_dimensions(Some(parameter)).scopes().unwrap();
            let [scope] = scopes.as_slice() else { panic!("{scopes:?}") };
            assert_eq!((scope.channel.is_some(), scope.platform.is_some()), (channel, platform));
            assert_eq!(dimensions_parameter(scope), parameter);
        }
        let unused = path(["acme", "app", "default", "default", "default"]).with_dimensions(Some("none"));
        assert_eq!(dimensions_parameter(&unused.scopes().unwrap()[0]), "none");
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
