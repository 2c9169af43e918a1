//! `/tuf/repository/{owner}/{app}/metadata/{file}` and `.../targets/{name}`.

use spindrift_core::decode_segment;
use spindrift_trust::RepositoryName;

/// The segments before the file or the target: an empty one, `tuf`, `repository`, owner, application and
/// kind.
const SEGMENTS_BEFORE: usize = 6;

/// A path below a repository.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RepositoryPath<'a> {
    pub(crate) name: RepositoryName,
    /// The file or the name of the target, as it was sent.
    pub(crate) rest: &'a str,
}

impl<'a> RepositoryPath<'a> {
    /// Parses a path that matches a route. `None` if no repository can have this name.
    pub(crate) fn parse(path: &'a str) -> Option<Self> {
        let mut segments = path.splitn(SEGMENTS_BEFORE + 1, '/').skip(3);
        let (owner, app) = (decode_segment(segments.next()?)?, decode_segment(segments.next()?)?);
        let rest = segments.nth(1)?;
        let name = RepositoryName { owner: owner.parse().ok()?, app: app.parse().ok()? };
        Some(Self { name, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("/tuf/repository/acme/notes/metadata/1.root.json", Some(("acme/notes", "1.root.json"))),
            ("/tuf/repository/a%40x.example/My%20App/targets/a/%2Eb", Some(("a@x.example/My App", "a/%2Eb"))),
            ("/tuf/repository/a%2Fb/c/metadata/x", None),
            ("/tuf/repository/a/b%2Fc/metadata/x", None),
            ("/tuf/repository/%ff/b/metadata/x", None),
            ("/tuf/repository/../b/metadata/x", None),
            ("/tuf/repository/a/%2e%2e/metadata/x", None),
        ] {
            let parsed = RepositoryPath::parse(path);
            let parsed = parsed.as_ref().map(|path| (path.name.to_string(), path.rest));
            assert_eq!(parsed, expected.map(|(name, rest)| (name.to_owned(), rest)), "{path}");
        }
    }
}
