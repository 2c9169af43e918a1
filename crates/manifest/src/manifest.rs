//! The parts of a version 2 manifest that are supported here.
//!
//! Keys that Spin does not know are errors. So are keys that change what a component may do, if this host
//! does not support them. Keys that matter only to other tools are ignored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::ManifestError;

/// A parsed and checked manifest.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The file. Relative paths in it start from its folder.
    pub path: PathBuf,
    /// The declared variables, by name.
    pub variables: BTreeMap<String, Variable>,
    /// Pairs of a route and the component that answers it.
    pub routes: Vec<(String, String)>,
    /// The components, by id.
    pub components: BTreeMap<String, Component>,
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
pub struct Component {
    /// The `.wasm` file.
    pub source: PathBuf,
    #[serde(default)]
    /// Labels of key-value stores.
    pub key_value_stores: Vec<String>,
    #[serde(default)]
    /// Labels of databases.
    pub sqlite_databases: Vec<String>,
    #[serde(default)]
    /// Rules for outgoing requests; may name variables.
    pub allowed_outbound_hosts: Vec<String>,
    #[serde(default)]
    /// Its variables: texts that may name variables of the application.
    pub variables: BTreeMap<String, String>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// How it is built.
    pub build: Option<Build>,
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
pub struct Build {
    command: Commands,
    /// The folder to build in, relative to the manifest.
    pub workdir: Option<PathBuf>,
    #[serde(default)]
    /// Environment variables of the commands.
    pub environment: BTreeMap<String, String>,
    #[serde(rename = "watch")]
    _watch: Option<IgnoredAny>,
}

/// One shell command, or several to run in order.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Commands {
    One(String),
    Many(Vec<String>),
}

impl Commands {
    fn as_slice(&self) -> &[String] {
        match self {
            Self::One(command) => std::slice::from_ref(command),
            Self::Many(commands) => commands,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestDocument {
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
    route: TriggerRoute,
    component: String,
    #[serde(rename = "id")]
    _id: Option<String>,
    executor: Option<Executor>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TriggerRoute {
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
    /// The file cannot be read, or the manifest is not valid or not supported.
    pub fn read(path: &Path) -> Result<Self, ManifestError> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|source| ManifestError::File { path: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    /// Checks a manifest that was read from `path`.
    ///
    /// # Errors
    /// The manifest is not valid or not supported.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ManifestError> {
        Self::check_parsed(path, text)
            .map_err(|reason| ManifestError::Invalid { path: path.to_owned(), reason })
    }

    fn check_parsed(path: &Path, text: &str) -> Result<Self, String> {
        let document: ManifestDocument = toml::from_str(text).map_err(|error| error.to_string())?;
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
                TriggerRoute::Path(route) => routes.push((route, trigger.component)),
                TriggerRoute::Private { private: true } => {}
                TriggerRoute::Private { private: false } => {
                    return Err("a route is a path or `{ private = true }`".into());
                }
            }
        }
        let path = path.to_owned();
        Ok(Self { path, variables: document.variables, routes, components: document.component })
    }

    /// The folder from which relative paths in the manifest start.
    pub fn folder(&self) -> &Path {
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

/// Whether Spin takes this name: words of lower-case letters and digits that begin with a letter, with an underscore
/// between two words.
pub fn is_variable_name(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    name.split('_').all(is_word)
}

impl Build {
    /// The commands, in order.
    pub fn commands(&self) -> &[String] {
        self.command.as_slice()
    }
}

impl Component {
    /// The keys of the section that grant something: stores, databases, outgoing requests.
    pub fn granted_keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        let keys = [
            ("key_value_stores", self.key_value_stores.is_empty()),
            ("sqlite_databases", self.sqlite_databases.is_empty()),
            ("allowed_outbound_hosts", self.allowed_outbound_hosts.is_empty()),
        ];
        keys.into_iter().filter(|(_, is_empty)| !is_empty).map(|(key, _)| key)
    }

    fn check(&self) -> Result<(), String> {
        let unsupported = [
            ("files", !self.files.is_empty()),
            ("ai_models", !self.ai_models.is_empty()),
            ("dependencies", !self.dependencies.is_empty()),
        ];
        match unsupported.iter().find(|(_, used)| *used) {
            Some((key, _)) => Err(format!("`{key}` is not supported here")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "spin_manifest_version = 2\n[application]\nname = \"a\"\n";

    fn parse(rest: &str) -> Result<Manifest, String> {
        Manifest::check_parsed(Path::new("spin.toml"), &format!("{HEAD}{rest}"))
    }

    #[test]
    fn reads_triggers_and_components() {
        let manifest = parse(
            "[variables]\na = { default = \"\" }\n[[trigger.http]]\nroute = \"/x\"\ncomponent = \"c\"\n\
             [component.c]\nsource = \"c.wasm\"\n[component.c.build]\ncommand = \"make\"\nwatch = \
             [\"src\"]\n",
        )
        .unwrap();
        assert_eq!(manifest.routes, [("/x".to_owned(), "c".to_owned())]);
        assert_eq!(manifest.components["c"].build.as_ref().unwrap().commands(), ["make"]);
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
            ("[trigger]\nhttp = []\n[variables]\na__b = { default = \"\" }\n", "`a__b`"),
            // Spin refuses this too.
            ("[trigger]\nhttp = []\n[variables]\na_2 = { default = \"\" }\n", "`a_2`"),
        ] {
            let error = parse(rest).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
