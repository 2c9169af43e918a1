//! Manifests for the in-process driver: it applies their routes and grants, so a test fails if one is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use spindrift_native::{Grants, KEY_VALUE_STORES, OUTBOUND_HOSTS, SQLITE_DATABASES, Use};

/// Values of application variables by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// The folder of the workspace.
pub fn workspace() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the tests are in the workspace").to_owned()
}

/// The folder into which cargo builds.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

#[derive(Clone, Deserialize)]
struct File {
    variables: BTreeMap<String, Variable>,
    trigger: Triggers,
    component: BTreeMap<String, Component>,
}

#[derive(Clone, Deserialize)]
struct Variable {
    default: Option<String>,
}

#[derive(Clone, Deserialize)]
struct Triggers {
    http: Vec<Trigger>,
}

#[derive(Clone, Deserialize)]
struct Trigger {
    route: String,
    component: String,
}

#[derive(Clone, Deserialize)]
struct Component {
    variables: BTreeMap<String, String>,
    #[serde(flatten)]
    other: toml::Table,
}

/// A manifest with its routes, defaults and grants.
#[derive(Clone)]
pub(crate) struct Manifest(File);

/// The manifest of the service.
pub(crate) const SERVICE: &str = "spin.toml";
/// The fast build of the service.
pub(crate) const FAST: &str = "deploy/fast/spin.toml";
/// The edge deployment.
pub(crate) const EDGE: &str = "deploy/edge/spin.toml";

/// The component for a path in `spin.toml`.
pub fn component_of(path: &str) -> Option<String> {
    Manifest::read(SERVICE).component(path).map(str::to_owned)
}

/// The grants of the service's components: pairs of a component, and a variable or a key of its section.
pub fn granted_by_service() -> BTreeSet<Use> {
    Manifest::read(SERVICE).granted()
}

/// The same as [`granted_by_service`], for an edge.
pub fn granted_by_edge() -> BTreeSet<Use> {
    Manifest::read(EDGE).granted()
}

impl Manifest {
    /// Reads one of the workspace's manifests.
    pub(crate) fn read(path: &str) -> Self {
        let text = std::fs::read_to_string(workspace().join(path)).expect("a readable manifest");
        Self(toml::from_str(&text).expect("a valid manifest"))
    }

    /// Removes one variable of a component.
    pub(crate) fn without((component, variable): &Use) -> Self {
        let mut manifest = Self::read(SERVICE);
        let of_component = manifest.0.component.get_mut(component).expect("the component");
        of_component.variables.remove(variable).expect("the variable");
        manifest
    }

    /// The component that answers `path`: the one whose matching route has the most literal segments.
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

    /// The grants of each component.
    pub(crate) fn grants(&self) -> BTreeMap<String, Arc<Grants>> {
        let grants = |(name, component): (&String, &Component)| {
            let parts = [KEY_VALUE_STORES, SQLITE_DATABASES, OUTBOUND_HOSTS].into_iter();
            let parts = parts.filter(|part| component.other.contains_key(*part)).map(str::to_owned).collect();
            let variables = component.variables.clone();
            (name.clone(), Arc::new(Grants { component: name.clone(), variables, parts }))
        };
        self.0.component.iter().map(grants).collect()
    }

    /// Pairs of a component, and a variable or a key of its section.
    pub(crate) fn granted(&self) -> BTreeSet<Use> {
        let all = |grants: Arc<Grants>| {
            let names = grants.variables.keys().chain(&grants.parts).cloned().collect::<Vec<_>>();
            names.into_iter().map(move |name| (grants.component.clone(), name))
        };
        self.grants().into_values().flat_map(all).collect()
    }
}

/// Number of segments of `route` that match literally; an exact end counts as one more. `None`: the route does not
/// match.
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
