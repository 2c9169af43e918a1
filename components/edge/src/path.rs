//! `/responses/{owner}/{app}/{channel}/{platform}/{arch}[/{updater}]/{file}`.

use std::str::FromStr;

use percent_encoding::percent_decode_str;
use spindrift_core::{Scope, Version};
use spindrift_service::origin::{RECORD_FILE, UNUSED_DIMENSION};
use spindrift_web::ApiError;

/// Channel, platform, architecture.
const DIMENSIONS: u32 = 3;

/// What the last segment asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum File {
    /// `{version}.json`: the answer to a client of that version.
    Answer(Version),
    /// `scope.json`: what all answers of the scope are made from.
    Record,
}

/// A path, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerPath {
    segments: Vec<String>,
    pub(crate) updater: Option<String>,
    pub(crate) file: File,
}

impl AnswerPath {
    /// Whatever is not such a path is not there: 404, as static files would answer.
    pub(crate) fn parse(path: &str) -> Result<Self, ApiError> {
        let mut segments = Vec::new();
        for segment in path.split('/').skip(2) {
            segments.push(percent_decode_str(segment).decode_utf8().map_err(|_| nothing())?.into_owned());
        }
        let file = segments.pop().ok_or_else(nothing)?;
        let file = match file.strip_suffix(".json").ok_or_else(nothing)? {
            _ if file == RECORD_FILE => File::Record,
            version => File::Answer(version.parse().map_err(|_| nothing())?),
        };
        let updater = if segments.len() == 6 { segments.pop() } else { None };
        if segments.len() == 5 { Ok(Self { segments, updater, file }) } else { Err(nothing()) }
    }

    /// What the path can mean: for each dimension called `default`, that it is not used, or that it has this name.
    /// Unused ones come first.
    pub(crate) fn scopes(&self) -> Result<Vec<Scope>, ApiError> {
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
        let [owner, app, channel, platform, arch] = self.segments.as_slice() else { return Err(nothing()) };
        Ok(Scope {
            owner: name(owner)?,
            app: name(app)?,
            channel: dimension(channel, literal & 1 != 0)?,
            platform: dimension(platform, literal & 2 != 0)?,
            arch: dimension(arch, literal & 4 != 0)?,
        })
    }
}

fn name<T: FromStr>(text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| nothing())
}

fn dimension<T: FromStr>(text: &str, literal: bool) -> Result<Option<T>, ApiError> {
    if text == UNUSED_DIMENSION && !literal { Ok(None) } else { name(text).map(Some) }
}

/// The 404 of everything that a check would not answer with 200.
pub(crate) fn nothing() -> ApiError {
    ApiError::NotFound("not found".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let path = AnswerPath::parse("/responses/acme/My%20App/stable/linux/default/1.2.0.json").unwrap();
        let scopes = path.scopes().unwrap();
        assert_eq!((scopes[0].app.as_str(), &scopes[0].arch), ("My App", &None));
        assert_eq!(scopes[1].arch, Some("default".parse().unwrap()));
        assert_eq!(scopes.len(), 2);
        assert_eq!(path.file, File::Answer("1.2.0".parse().unwrap()));
        let path = AnswerPath::parse("/responses/acme/app/stable/linux/amd64/tauri/1.0.json").unwrap();
        assert_eq!(path.updater.as_deref(), Some("tauri"));
        assert_eq!(path.scopes().unwrap().len(), 1);
        let path = AnswerPath::parse("/responses/acme/app/stable/linux/amd64/scope.json").unwrap();
        assert_eq!(path.file, File::Record);
        for bad in [
            "/responses/a/b/c/d/1.0.json",
            "/responses/a/b/c/d/e/x.json",
            "/responses/a/b/c/d/e/1.0",
            "/responses/%ff/b/c/d/e/1.json",
        ] {
            assert!(AnswerPath::parse(bad).is_err(), "{bad}");
        }
    }
}
