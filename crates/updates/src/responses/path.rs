//! `/responses/{owner}/{app}/{channel}/{platform}/{arch}[/{updater}]/{file}`.

use spindrift_core::{DIMENSIONS_PARAMETER, ScopePath, Version, decode_segment};
use spindrift_service::records::origin::RECORD_FILE;
use spindrift_web::{ApiError, Query};

/// The last segment of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EdgeFile {
    /// `{version}.json`: the answer to a client with that version.
    Answer(Version),
    /// `scope.json`: the record behind all answers of the scope, or of one updater in it.
    Record,
}

/// A parsed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerPath {
    pub(crate) scope: ScopePath,
    pub(crate) updater: Option<String>,
    pub(crate) file: EdgeFile,
}

impl AnswerPath {
    /// Parses a path. An invalid path is a 404, as with static files.
    pub(crate) fn parse(path: &str, query: &Query) -> Result<Self, ApiError> {
        let mut segments = Vec::new();
        for segment in path.split('/').skip(2) {
            segments.push(decode_segment(segment).ok_or_else(nothing)?);
        }
        let file = segments.pop().ok_or_else(nothing)?;
        let file = match file.strip_suffix(".json").ok_or_else(nothing)? {
            _ if file == RECORD_FILE => EdgeFile::Record,
            version => EdgeFile::Answer(version.parse().map_err(|_| nothing())?),
        };
        let updater = if segments.len() == 6 { segments.pop() } else { None };
        let scope = ScopePath::new(segments.try_into().map_err(|_| nothing())?);
        Ok(Self { scope: scope.with_dimensions(query.get(DIMENSIONS_PARAMETER)), updater, file })
    }
}

/// The 404 for everything that a check would not answer with 200.
pub(crate) fn nothing() -> ApiError {
    ApiError::NotFound("not found".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &str) -> Result<AnswerPath, ApiError> {
        AnswerPath::parse(path, &Query::default())
    }

    #[test]
    fn paths() {
        let path = parse("/responses/acme/My%20App/stable/linux/default/1.2.0.json").unwrap();
        assert_eq!(path.scope.scopes().unwrap()[0].app.as_str(), "My App");
        assert_eq!(path.file, EdgeFile::Answer("1.2.0".parse().unwrap()));
        let path = parse("/responses/acme/app/stable/linux/amd64/tauri/1.0.json").unwrap();
        assert_eq!(path.updater.as_deref(), Some("tauri"));
        let path = parse("/responses/acme/app/stable/linux/amd64/scope.json").unwrap();
        assert_eq!((path.file, path.updater), (EdgeFile::Record, None));
        let path = parse("/responses/acme/app/stable/linux/amd64/sparkle/scope.json").unwrap();
        assert_eq!((path.file, path.updater.as_deref()), (EdgeFile::Record, Some("sparkle")));
        for bad in [
            "/responses/a/b/c/d/1.0.json",
            "/responses/a/b/c/d/e/x.json",
            "/responses/a/b/c/d/e/1.0",
            "/responses/%ff/b/c/d/e/1.json",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
