//! The components as WebAssembly, built and compiled once for all worlds of a test run.

use std::fs::File;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use spin_host::{Host, HostOptions, Metering, Program};
use spindrift_http::Listener;
use spindrift_manifest::Manifest;
use spindrift_native::Use;

use crate::build::Build;
use crate::manifest::{EDGE, FAST, SERVICE, Variables, target_dir, workspace};
use crate::runtime::runtime;

/// `spin.toml` with its components built, once for each process.
pub(crate) fn built_manifest() -> &'static Path {
    static MANIFEST: OnceLock<PathBuf> = OnceLock::new();
    MANIFEST.get_or_init(|| {
        let manifest = manifest_for_target_dir(SERVICE);
        build_once("built", &manifest);
        manifest
    })
}

fn folder() -> PathBuf {
    let folder = target_dir().join("spindrift-tests");
    std::fs::create_dir_all(&folder).expect("a folder for the tests");
    folder
}

/// Builds a manifest's components, once for each test run. `mark`: the name of the file that
/// records this.
fn build_once(mark: &str, manifest: &Path) {
    let folder = folder();
    // Makes several test processes build one after the other.
    let lock = File::create(folder.join("build.lock")).expect("a lock file");
    lock.lock().expect("the lock");
    if !is_built_for_this_run(&folder.join(mark)) {
        build_components(manifest);
        mark_as_built(&folder.join(mark));
    }
}

/// The manifest of a build, with its components built.
pub(crate) fn built(build: Build) -> &'static Path {
    static PREVIEW3: OnceLock<PathBuf> = OnceLock::new();
    if build != Build::Preview3 {
        return built_manifest();
    }
    PREVIEW3.get_or_init(|| {
        built_manifest();
        let manifest = workspace().join(FAST);
        build_once("built-fast", &manifest);
        manifest
    })
}

/// Runs the build commands of a manifest, if the components are to be built.
pub(crate) fn build_components(manifest: &Path) {
    let manifest = Manifest::read(manifest).expect("a valid manifest");
    spin_host::build(&manifest).expect("components that build");
}

/// One of the workspace's manifests. If cargo builds into another folder, a copy that refers to that folder.
fn manifest_for_target_dir(path: &str) -> PathBuf {
    let original = workspace().join(path);
    if target_dir() == workspace().join("target") {
        return original;
    }
    let text = std::fs::read_to_string(&original).expect("a readable manifest");
    let text = ["source = \"target/", "source = \"../../target/"]
        .iter()
        .fold(text, |text, source| text.replace(source, &sources()));
    let workdir = format!("workdir = \"{}\"\ncommand = ", workspace().display());
    let text = text.replace("workdir = \"../..\"\n", "").replace("command = ", &workdir);
    copy(path.strip_suffix("/spin.toml").unwrap_or("service"), &text)
}

/// `deploy/edge/spin.toml`, with its components built.
pub(crate) fn built_edge_manifest() -> &'static Path {
    static MANIFEST: OnceLock<PathBuf> = OnceLock::new();
    MANIFEST.get_or_init(|| {
        let manifest = manifest_for_target_dir(EDGE);
        build_once("built-edge", &manifest);
        manifest
    })
}

/// `spin.toml`, with its components built, without one variable of a component.
pub(crate) fn manifest_without((component, variable): &Use) -> PathBuf {
    let text = std::fs::read_to_string(built_manifest()).expect("a built manifest");
    let section =
        text.find(&format!("[component.{component}.variables]")).expect("the component's variables");
    let begin = section + text[section..].find(&format!("\n{variable} = ")).expect("the variable");
    let end = begin + 1 + text[begin + 1..].find('\n').expect("a further line");
    let text = [&text[..begin], &text[end..]].concat();
    copy(&format!("without-{component}-{variable}"), &text.replace("source = \"target/", &sources()))
}

fn sources() -> String {
    format!("source = \"{}/", target_dir().display())
}

/// Writes a manifest for tests. It is renamed into place, because another test process may be reading it.
fn copy(name: &str, text: &str) -> PathBuf {
    let folder = target_dir().join("spindrift-tests").join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the manifest");
    let (copy, draft) = (folder.join("spin.toml"), folder.join(format!("{}.toml", std::process::id())));
    std::fs::write(&draft, text).expect("a copy");
    std::fs::rename(draft, &copy).expect("the copy's place");
    copy
}

/// cargo-nextest runs each test in its own process, and gives all processes of one run the same id.
fn run_id() -> Option<String> {
    std::env::var("NEXTEST_RUN_ID").ok()
}

fn is_built_for_this_run(mark: &Path) -> bool {
    let built = std::fs::read_to_string(mark).ok();
    built.is_some() && built == run_id()
}

fn mark_as_built(mark: &Path) {
    if let Some(id) = run_id() {
        std::fs::write(mark, id).expect("a mark");
    }
}

/// The folder that keeps compiled components between runs.
pub fn cache_dir() -> PathBuf {
    target_dir().join("spindrift-tests/cache")
}

fn load(manifest: &Path) -> Program {
    load_with(manifest, Metering::Off)
}

fn load_with(manifest: &Path, metering: Metering) -> Program {
    Program::load(manifest, &cache_dir(), metering).expect("components that load")
}

/// A host with its own databases; the world has the storage. `lost`: a grant that a component does not get,
/// in the build for preview 2.
pub(crate) fn start(
    build: Build,
    state_dir: &Path,
    runtime_config: PathBuf,
    variables: Variables,
    lost: Option<&Use>,
) -> Host {
    static PREVIEW2: OnceLock<Program> = OnceLock::new();
    static PREVIEW3: OnceLock<Program> = OnceLock::new();
    static COUNTED: OnceLock<Program> = OnceLock::new();
    let with_url = |url: &str| {
        let mut variables = variables;
        variables.entry("api_url".to_owned()).or_insert_with(|| url.to_owned());
        variables
    };
    if let Some(lost) = lost {
        return start_program(&load(&manifest_without(lost)), state_dir, Some(runtime_config), with_url);
    }
    let (program, metering) = match build {
        Build::Preview2 => (&PREVIEW2, Metering::Off),
        Build::Preview3 => (&PREVIEW3, Metering::Off),
        Build::Counted => (&COUNTED, Metering::Instructions),
    };
    let program = program.get_or_init(|| load_with(built(build), metering));
    start_program(program, state_dir, Some(runtime_config), with_url)
}

/// A host of the edge deployment.
pub(crate) fn start_edge(state_dir: &Path, variables: Variables) -> Host {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    start_program(PROGRAM.get_or_init(|| load(built_edge_manifest())), state_dir, None, |_| variables)
}

/// `variables` gets the URL that the host will have.
pub(crate) fn start_program(
    program: &Program,
    state_dir: &Path,
    runtime_config: Option<PathBuf>,
    variables: impl FnOnce(&str) -> Variables,
) -> Host {
    let host = async {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
        let variables = variables(listener.url());
        Host::start(
            program,
            listener,
            &HostOptions { variables, runtime_config, ..HostOptions::new(state_dir) },
        )
    };
    runtime().block_on(host).expect("a host that starts")
}
