//! `spin.toml`, manifest version 2: the parts that the host supports.
//!
//! Keys that Spin does not know are errors. So are keys that change what a component may do, if this host does not
//! support them. Keys that matter only to other tools are ignored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::HostError;

/// A parsed and checked manifest.
#[derive(Debug, Clone)]
pub struct Manifest {
    pub(crate) path: PathBuf,
    variables: BTreeMap<String, Variable>,
    pub(crate) routes: Vec<(String, String)>,
    pub(crate) components: BTreeMap<String, Component>,
}

/// `[variables]`: one declared application variable.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The value if none is given. Absent exactly if the variable is required.
    pub default: Option<String>,
    /// Whether a value must be given.
    #[serde(default)]
    pub required: bool,
    /// Whether the value is secret.
    #[serde(default)]
    pub secret: bool,
    #[serde(rename = "description")]
    _description: Option<IgnoredAny>,
}

/// `[component.<id>]`: a component and its grants.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Component {
    pub(crate) source: PathBuf,
    #[serde(default)]
    pub(crate) key_value_stores: Vec<String>,
    #[serde(default)]
    pub(crate) sqlite_databases: Vec<String>,
    #[serde(default)]
    pub(crate) allowed_outbound_hosts: Vec<String>,
    #[serde(default)]
    pub(crate) variables: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) build: Option<Build>,
    #[serde(default)]
    files: Vec<toml::Value>,
    #[serde(default)]
    ai_models: Vec<String>,
    #[serde(default)]
    dependencies: BTreeMap<String, toml::Value>,
    #[serde(rename = "description")]
    _description: Option<IgnoredAny>,
    #[serde(rename = "tool")]
    _tool: Option<IgnoredAny>,
    #[serde(rename = "targets")]
    _targets: Option<IgnoredAny>,
    #[serde(rename = "exclude_files")]
    _exclude_files: Option<IgnoredAny>,
    #[serde(rename = "profile")]
    _profile: Option<IgnoredAny>,
    #[serde(rename = "dependencies_inherit_configuration")]
    _dependencies_inherit_configuration: Option<IgnoredAny>,
}

/// `[component.<id>.build]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Build {
    pub(crate) command: Commands,
    pub(crate) workdir: Option<PathBuf>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    #[serde(rename = "watch")]
    _watch: Option<IgnoredAny>,
}

/// One shell command, or several to run in order.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Commands {
    One(String),
    Many(Vec<String>),
}

impl Commands {
    pub(crate) fn as_slice(&self) -> &[String] {
        match self {
            Self::One(command) => std::slice::from_ref(command),
            Self::Many(commands) => commands,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    spin_manifest_version: u32,
    #[serde(rename = "application")]
    _application: Application,
    #[serde(default)]
    variables: BTreeMap<String, Variable>,
    trigger: Triggers,
    #[serde(default)]
    component: BTreeMap<String, Component>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Application {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "version")]
    _version: Option<String>,
    #[serde(rename = "description")]
    _description: Option<String>,
    #[serde(rename = "authors")]
    _authors: Option<IgnoredAny>,
    #[serde(rename = "targets")]
    _targets: Option<IgnoredAny>,
    #[serde(rename = "tool")]
    _tool: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Triggers {
    http: Vec<HttpTrigger>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpTrigger {
    route: Route,
    component: String,
    #[serde(rename = "id")]
    _id: Option<String>,
    executor: Option<Executor>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Route {
    Path(String),
    Private { private: bool },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Executor {
    r#type: String,
}

impl Manifest {
    /// Reads and checks the file at `path`.
    ///
    /// # Errors
    /// `HostError::File` if the file cannot be read. `HostError::Manifest` if this host cannot serve the manifest.
    pub fn read(path: &Path) -> Result<Self, HostError> {
        let text = std::fs::read_to_string(path).map_err(HostError::file(path))?;
        Self::parse(path, &text).map_err(|reason| HostError::Manifest { path: path.to_owned(), reason })
    }

    fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let document: Document = toml::from_str(text).map_err(|error| error.to_string())?;
        if document.spin_manifest_version != 2 {
            return Err(format!("spin_manifest_version is {}, not 2", document.spin_manifest_version));
        }
        check_variables(&document.variables)?;
        for (id, component) in &document.component {
            component.check().map_err(|reason| format!("component `{id}`: {reason}"))?;
        }
        let mut routes = Vec::new();
        for trigger in document.trigger.http {
            if !document.component.contains_key(&trigger.component) {
                return Err(format!("a trigger names the missing component `{}`", trigger.component));
            }
            if let Some(executor) = trigger.executor.filter(|executor| executor.r#type != "http") {
                return Err(format!("the executor `{}` is not supported", executor.r#type));
            }
            match trigger.route {
                Route::Path(route) => routes.push((route, trigger.component)),
                Route::Private { private: true } => {}
                Route::Private { private: false } => {
                    return Err("a route is a path or `{ private = true }`".into());
                }
            }
        }
        let path = path.to_owned();
        Ok(Self { path, variables: document.variables, routes, components: document.component })
    }

    /// The declared variables by name.
    pub fn variables(&self) -> &BTreeMap<String, Variable> {
        &self.variables
    }

    /// The base folder of relative paths in the manifest.
    /// Copies the manifest, with the components' files next to it and without build commands.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn copy_with_components(&self, to: &Path) -> Result<(), HostError> {
        let text = std::fs::read_to_string(&self.path).map_err(HostError::file(&self.path))?;
        let refuse = |reason: String| HostError::Manifest { path: self.path.clone(), reason };
        let mut document: toml::Table = toml::from_str(&text).map_err(|error| refuse(error.to_string()))?;
        for (id, component) in &self.components {
            let name = format!("{id}.wasm");
            let source = self.folder().join(&component.source);
            std::fs::copy(&source, to.with_file_name(&name)).map_err(HostError::file(&source))?;
            let table = document.get_mut("component").and_then(|all| all.get_mut(id)?.as_table_mut());
            let table = table.ok_or_else(|| refuse(format!("component `{id}` is not a table")))?;
            table.insert("source".to_owned(), name.into());
            table.remove("build");
        }
        std::fs::write(to, document.to_string()).map_err(HostError::file(to))
    }

    /// The folder that paths in the manifest are relative to.
    pub(crate) fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }
}

fn check_variables(variables: &BTreeMap<String, Variable>) -> Result<(), String> {
    for (name, variable) in variables {
        if !is_variable_name(name) {
            return Err(format!(
                "`{name}` is not a variable name: use lower-case letters, digits and single `_`"
            ));
        }
        if variable.required && variable.default.is_some() {
            return Err(format!("variable `{name}` cannot be required and have a default"));
        }
        if !variable.required && variable.default.is_none() {
            return Err(format!("variable `{name}` needs `default` or `required = true`"));
        }
    }
    Ok(())
}

/// Whether `name` is a lower-case letter followed by lower-case letters, digits and single underscores.
pub(crate) fn is_variable_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('_')
        && !name.contains("__")
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

impl Component {
    fn check(&self) -> Result<(), String> {
        let unsupported = [
            ("files", !self.files.is_empty()),
            ("ai_models", !self.ai_models.is_empty()),
            ("dependencies", !self.dependencies.is_empty()),
        ];
        match unsupported.iter().find(|(_, used)| *used) {
            Some((key, _)) => Err(format!("`{key}` is not supported by the embedded host")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "spin_manifest_version = 2\n[application]\nname = \"a\"\n";

    fn parse(rest: &str) -> Result<Manifest, String> {
        Manifest::parse(Path::new("spin.toml"), &format!("{HEAD}{rest}"))
    }

    #[test]
    fn reads_triggers_and_components() {
        let manifest = parse(
            "[variables]\na = { default = \"\" }\n[[trigger.http]]\nroute = \"/x\"\ncomponent = \"c\"\n\
             [component.c]\nsource = \"c.wasm\"\n[component.c.build]\ncommand = \"make\"\nwatch = [\"src\"]\n",
        )
        .unwrap();
        assert_eq!(manifest.routes, [("/x".to_owned(), "c".to_owned())]);
        assert_eq!(manifest.components["c"].build.as_ref().unwrap().command.as_slice(), ["make"]);
    }

    #[test]
    fn names_what_is_wrong() {
        for (rest, expected) in [
            ("[[trigger.http]]\nroute = \"/x\"\ncomponent = \"c\"\n", "`c`"),
            ("[[trigger.redis]]\nchannel = \"x\"\n", "redis"),
            ("[trigger]\nhttp = []\n[component.c]\nsource = \"c\"\ncolour = 1\n", "colour"),
            ("[trigger]\nhttp = []\n[component.c]\nsource = \"c\"\nfiles = [\"x\"]\n", "files"),
            ("[trigger]\nhttp = []\n[variables]\na = {}\n", "`a`"),
            ("[trigger]\nhttp = []\n[variables]\nA = { default = \"\" }\n", "`A`"),
        ] {
            let error = parse(rest).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
