//! Scopes as path segments: `{owner}/{app}/{channel}/{platform}/{arch}`.

use super::dimension::UNUSED;
use crate::{ArchName, ChannelName, InvalidName, PlatformName, Scope, encode_segments};

/// The query parameter that lists which dimensions of a path are used; see
/// [`Scope::used_dimensions`].
pub const DIMENSIONS_PARAMETER: &str = "dimensions";
/// The parameter's names for the dimensions, in the order of their segments.
const DIMENSION_NAMES: [&str; 3] = ["channel", "platform", "arch"];
/// The parameter's value if no dimension is used.
const NO_DIMENSIONS: &str = "none";

/// The name of a dimension in paths and in answers, or `default` if it is not used.
pub fn dimension_or_default(name: Option<&str>) -> &str {
    name.unwrap_or(UNUSED)
}

impl Scope {
    /// Channel, platform and architecture.
    pub fn dimensions(&self) -> [Option<&str>; 3] {
        let Self { channel, platform, arch, .. } = self;
        [
            channel.as_ref().map(ChannelName::as_str),
            platform.as_ref().map(PlatformName::as_str),
            arch.as_ref().map(ArchName::as_str),
        ]
    }

    /// Its segments, not encoded.
    pub fn segments(&self) -> [&str; 5] {
        let [channel, platform, arch] = self.dimensions().map(dimension_or_default);
        [self.owner.as_str(), self.app.as_str(), channel, platform, arch]
    }

    /// Its segments as an object key, which is plain text.
    pub fn folder(&self) -> String {
        self.segments().join("/")
    }

    /// Its segments as a URL path, percent-encoded.
    pub fn path(&self) -> String {
        encode_segments(self.segments())
    }

    /// The dimensions that it uses, comma-separated. In a path, `default` may be a name or an unused
    /// dimension.
    pub fn used_dimensions(&self) -> String {
        let used = DIMENSION_NAMES.into_iter().zip(self.dimensions()).filter(|(_, name)| name.is_some());
        let names: Vec<&str> = used.map(|(name, _)| name).collect();
        if names.is_empty() { NO_DIMENSIONS.to_owned() } else { names.join(",") }
    }
}

/// The decoded segments of a scope. [`Self::requested_scope`] and [`Self::scopes`] validate them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopePath {
    segments: [String; 5],
    /// A bit for each dimension: whether it is used. `None`: unknown.
    used: Option<u8>,
}

impl ScopePath {
    /// From decoded segments.
    pub const fn new(segments: [String; 5]) -> Self {
        Self { segments, used: None }
    }

    /// From a [`Scope::folder`]. `None`: the text has more or fewer segments.
    pub fn from_folder(folder: &str) -> Option<Self> {
        let segments: Vec<String> = folder.split('/').map(str::to_owned).collect();
        segments.try_into().ok().map(Self::new)
    }

    /// Adds the value of [`Scope::used_dimensions`], which makes the path unambiguous.
    #[must_use]
    pub fn with_dimensions(mut self, used: Option<&str>) -> Self {
        self.used = used.map(|names| {
            let bit = |name: &str| DIMENSION_NAMES.iter().position(|known| *known == name);
            names.split(',').filter_map(bit).fold(0, |bits, bit| bits | 1 << bit)
        });
        self
    }

    /// The scope as requested: `default` is an ordinary name, which a
    /// [`DimensionChoices`](crate::DimensionChoices) resolves. With [`Self::with_dimensions`], unused
    /// dimensions have no name. The error reports the first segment that is not a valid name.
    pub fn requested_scope(&self) -> Result<Scope, InvalidName> {
        self.scope(self.used.unwrap_or(u8::MAX))
    }

    /// The scopes that requests with this path may mean: each dimension called `default` is either
    /// omitted or has this name. Errors are those of [`Self::requested_scope`].
    pub fn scopes(&self) -> Result<Vec<Scope>, InvalidName> {
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

    /// `literal` has a bit for each dimension: whether `default` is a name there.
    fn scope(&self, literal: u8) -> Result<Scope, InvalidName> {
        let [owner, app, channel, platform, arch] = &self.segments;
        let used = |text: &str, bit: u8| text != UNUSED || literal & (1 << bit) != 0;
        Ok(Scope {
            owner: owner.parse()?,
            app: app.parse()?,
            channel: used(channel, 0).then(|| channel.parse()).transpose()?,
            platform: used(platform, 1).then(|| platform.parse()).transpose()?,
            arch: used(arch, 2).then(|| arch.parse()).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode_segment;

    fn path(segments: [&str; 5]) -> ScopePath {
        ScopePath::new(segments.map(str::to_owned))
    }

    fn scope(channel: Option<&str>, platform: Option<&str>, arch: Option<&str>) -> Scope {
        Scope {
            owner: "ada@x.example".parse().unwrap(),
            app: "My App".parse().unwrap(),
            channel: channel.map(|name| name.parse().unwrap()),
            platform: platform.map(|name| name.parse().unwrap()),
            arch: arch.map(|name| name.parse().unwrap()),
        }
    }

    #[test]
    fn paths_round_trip() {
        let default = Some("default");
        for (scope, path, used) in [
            (scope(Some("beta"), Some("linux"), Some("amd64")), "beta/linux/amd64", "channel,platform,arch"),
            (scope(None, Some("linux"), default), "default/linux/default", "platform,arch"),
            (scope(default, None, None), "default/default/default", "channel"),
            (scope(None, None, None), "default/default/default", "none"),
        ] {
            assert_eq!(scope.path(), format!("ada%40x.example/My%20App/{path}"));
            assert_eq!(scope.folder(), format!("ada@x.example/My App/{path}"));
            assert_eq!(scope.used_dimensions(), used);
            let read = ScopePath::from_folder(&scope.folder()).unwrap();
            let segments: Vec<_> = scope.path().split('/').filter_map(decode_segment).collect();
            assert_eq!(ScopePath::new(segments.try_into().unwrap()), read);
            assert!(read.scopes().unwrap().contains(&scope), "{scope:?}");
            let exact = read.with_dimensions(Some(used));
            assert_eq!(exact.scopes(), Ok(vec![scope.clone()]));
            assert_eq!(exact.requested_scope(), Ok(scope));
        }
    }

    #[test]
    fn default_can_mean_several_scopes() {
        let scopes = path(["acme", "My App", "stable", "linux", "default"]).scopes().unwrap();
        assert_eq!((scopes[0].app.as_str(), &scopes[0].arch), ("My App", &None));
        assert_eq!(scopes[1].arch, Some("default".parse().unwrap()));
        assert_eq!(scopes.len(), 2);
        assert_eq!(
            path(["acme", "My App", "stable", "linux", "default"]).requested_scope().as_ref(),
            Ok(&scopes[1])
        );
        assert_eq!(path(["a", "b", "default", "default", "default"]).scopes().unwrap().len(), 8);
        assert_eq!(path(["a", "b", "c", "d", "e"]).scopes().unwrap().len(), 1);
    }

    #[test]
    fn invalid_scopes_are_errors() {
        for (segments, kind) in [
            (["a b", "b/c", "c", "d", "e"], "owner"),
            (["a", "b/c", "c d", "d", "e"], "app_name"),
            (["a", "b", "c d", "d", "e"], "channel"),
            (["a", "b", "default", "", "e"], "platform"),
            (["a", "b", "c", "d", ".."], "arch"),
        ] {
            assert_eq!(path(segments).scopes(), Err(InvalidName { kind }));
            assert_eq!(path(segments).requested_scope(), Err(InvalidName { kind }));
        }
        for text in ["", "a/b/c/d", "a/b/c/d/e/f"] {
            assert_eq!(ScopePath::from_folder(text), None, "{text}");
        }
    }
}
