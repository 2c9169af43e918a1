//! `spin.toml`, as far as the in-process driver needs it: a route or a variable that is missing there is missing here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Deserialize;

/// Values of application variables by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the tests are in the workspace").to_owned()
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

#[derive(Deserialize)]
struct File {
    variables: BTreeMap<String, Variable>,
    trigger: Triggers,
}

#[derive(Deserialize)]
struct Variable {
    default: Option<String>,
}

#[derive(Deserialize)]
struct Triggers {
    http: Vec<Trigger>,
}

#[derive(Deserialize)]
struct Trigger {
    route: String,
    component: String,
}

/// Routes and defaults.
pub(crate) struct Manifest(File);

/// The workspace's `spin.toml`.
pub(crate) fn manifest() -> &'static Manifest {
    static MANIFEST: OnceLock<Manifest> = OnceLock::new();
    MANIFEST.get_or_init(|| {
        let text = std::fs::read_to_string(workspace().join("spin.toml")).expect("spin.toml is readable");
        Manifest(toml::from_str(&text).expect("spin.toml is valid"))
    })
}

/// The component that `spin.toml` gives a path to.
pub fn component_of(path: &str) -> Option<&'static str> {
    manifest().component(path)
}

impl Manifest {
    /// The component that answers `path`: of the routes that match, the one with the most literal segments.
    pub(crate) fn component(&self, path: &str) -> Option<&str> {
        let routes = self.0.trigger.http.iter();
        let matching = routes.filter_map(|trigger| Some((literals(&trigger.route, path)?, trigger)));
        matching.max_by_key(|(literals, _)| *literals).map(|(_, trigger)| trigger.component.as_str())
    }

    /// The variables that have a default.
    pub(crate) fn defaults(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .variables
            .iter()
            .filter_map(|(name, variable)| Some((name.as_str(), variable.default.as_deref()?)))
    }
}

/// How many segments of `route` match literally, an exact end counting as one more; `None` when it does not match.
fn literals(route: &str, path: &str) -> Option<usize> {
    let (route, open) = match route.strip_suffix("/...") {
        Some(route) => (route, true),
        None => (route, false),
    };
    let mut segments = path.split('/');
    let mut count = 0;
    for part in route.split('/') {
        let segment = segments.next()?;
        if part == segment {
            count += 1;
        } else if !part.starts_with(':') || segment.is_empty() {
            return None;
        }
    }
    match (segments.next(), open) {
        (None, false) => Some(count + 1),
        (_, true) => Some(count),
        (Some(_), false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::literals;

    #[test]
    fn routes_are_exact_or_open() {
        for (route, path, expected) in [
            ("/health", "/health", Some(3)),
            ("/health", "/health/", None),
            ("/health", "/healthy", None),
            ("/...", "/health", Some(1)),
            ("/...", "/", Some(1)),
            ("/update/...", "/update/a/b", Some(2)),
            ("/update/...", "/updates", None),
            ("/:user/x", "/joe/x", Some(3)),
            ("/:user/x", "//x", None),
        ] {
            assert_eq!(literals(route, path), expected, "{route} {path}");
        }
    }
}
