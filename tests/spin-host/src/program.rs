//! A manifest with compiled components, which any number of hosts can run.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime_wasi_http::p2::bindings::ProxyPre;
use wasmtime_wasi_http::p3::bindings::ServicePre;

use crate::bindings::ServicesWorld;
use crate::engine::{INSTANCE_SLOTS, Metering, engine};
use crate::error::HostError;
use crate::guest::Guest;
use base16ct::lower::encode_string as hex;
use spindrift_http::log_line;
use spindrift_manifest::{Manifest, ManifestError, Routes};

/// The parts of an application that do not depend on the host and its options. Cheap to clone.
#[derive(Clone)]
pub struct Program(Arc<Inner>);

struct Inner {
    manifest: Manifest,
    routes: Routes,
    components: BTreeMap<String, Ready>,
    slots: Arc<Semaphore>,
}

/// A component that can be instantiated.
#[derive(Clone)]
pub(crate) enum Ready {
    /// A component of preview 2: an instance answers one request.
    Single(ProxyPre<Guest>),
    /// A component of WASI 0.3: an instance answers many requests.
    Reused(ServicePre<Guest>),
}

/// How the names of the interface begin that a component of WASI 0.3 exports to answer requests.
const HANDLER_OF_0_3: &str = "wasi:http/handler@0.3.";

impl Program {
    /// Reads the manifest and compiles every component that a route names. Compiled code is kept in `cache`
    /// under a name derived from its content, so a second load takes milliseconds.
    ///
    /// # Errors
    /// The manifest is invalid, or a component is missing, invalid, or needs an interface that the
    /// host lacks.
    pub fn load(manifest: &Path, cache: &Path, metering: Metering) -> Result<Self, HostError> {
        let manifest = Manifest::read(manifest)?;
        let refuse = |reason| ManifestError::Invalid { path: manifest.path.clone(), reason };
        let routes = Routes::new(&manifest.routes).map_err(refuse)?;
        std::fs::create_dir_all(cache).map_err(HostError::file(cache))?;

        let sources = Sources::read(&manifest)?;
        let has_reused = sources.files.values().any(|bytes| mentions_0_3(bytes));
        let engine = engine(has_reused, metering)?;
        let linker = linker(&engine, has_reused).map_err(|error| HostError::Engine(format!("{error:#}")))?;
        let mut compiled: BTreeMap<&Path, Ready> = BTreeMap::new();
        let mut components = BTreeMap::new();
        for (id, path) in &sources.by_component {
            let ready = match compiled.get(path.as_path()) {
                Some(ready) => ready.clone(),
                None => prepare(&linker, &sources.files[path], &Cache { folder: cache, component: id })
                    .map_err(|error| HostError::component(id, format!("{}: {error:#}", path.display())))?,
            };
            compiled.insert(path, ready.clone());
            components.insert(id.clone(), ready);
        }
        let slots = Arc::new(Semaphore::new(INSTANCE_SLOTS as usize));
        Ok(Self(Arc::new(Inner { manifest, routes, components, slots })))
    }

    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    pub(crate) fn routes(&self) -> &Routes {
        &self.0.routes
    }

    pub(crate) fn components(&self) -> &BTreeMap<String, Ready> {
        &self.0.components
    }

    /// Permits for the instances that may exist at the same time.
    pub(crate) fn slots(&self) -> &Arc<Semaphore> {
        &self.0.slots
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("manifest", &self.0.manifest.path).finish_non_exhaustive()
    }
}

/// The files of the components that a route names.
struct Sources {
    by_component: BTreeMap<String, PathBuf>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Sources {
    fn read(manifest: &Manifest) -> Result<Self, HostError> {
        let (mut by_component, mut files) = (BTreeMap::new(), BTreeMap::new());
        for (_, id) in &manifest.routes {
            let Some(declared) = manifest.components.get(id) else { continue };
            let path = manifest.folder().join(&declared.source);
            if !files.contains_key(&path) {
                let bytes = std::fs::read(&path)
                    .map_err(|error| HostError::component(id, format!("{}: {error}", path.display())))?;
                files.insert(path.clone(), bytes);
            }
            by_component.insert(id.clone(), path);
        }
        Ok(Self { by_component, files })
    }
}

/// Whether a component may be one of WASI 0.3. An engine that can run those takes longer for each call of the
/// others, so this is known before there is an engine.
fn mentions_0_3(component: &[u8]) -> bool {
    component.windows(HANDLER_OF_0_3.len()).any(|bytes| bytes == HANDLER_OF_0_3.as_bytes())
}

/// `has_reused`: there are components of WASI 0.3.
fn linker(engine: &Engine, has_reused: bool) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    if has_reused {
        wasmtime_wasi::p3::add_to_linker(&mut linker)?;
        wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
    }
    ServicesWorld::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?;
    Ok(linker)
}

fn prepare(linker: &Linker<Guest>, bytes: &[u8], cache: &Cache<'_>) -> wasmtime::Result<Ready> {
    let component = compile(linker.engine(), bytes, cache)?;
    let pre = linker.instantiate_pre(&component)?;
    if is_reusable(linker.engine(), &component) {
        ServicePre::new(pre).map(Ready::Reused)
    } else {
        ProxyPre::new(pre).map(Ready::Single)
    }
}

fn is_reusable(engine: &Engine, component: &Component) -> bool {
    component.component_type().exports(engine).any(|(name, _)| name.starts_with(HANDLER_OF_0_3))
}

/// The location of one component's compiled code.
struct Cache<'a> {
    folder: &'a Path,
    component: &'a str,
}

/// Compiles `bytes`, or loads the code compiled earlier. Compiling takes seconds, so it prints a message.
fn compile(engine: &Engine, bytes: &[u8], cache: &Cache<'_>) -> wasmtime::Result<Component> {
    let mut compatibility = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut compatibility);
    let name = format!("{}-{:016x}.cwasm", hex(&Sha256::digest(bytes)), compatibility.finish());
    let path = cache.folder.join(name);
    if let Some(component) = load_compiled(engine, &path) {
        return Ok(component);
    }
    log_line(&format!("Compiling {} for this machine", cache.component));
    let component = Component::new(engine, bytes)?;
    // The program also runs without a cache, so a full disk is not a failure.
    if let Ok(code) = component.serialize() {
        let temporary =
            cache.folder.join(format!("{}.{}.new", hex(&Sha256::digest(&code)), std::process::id()));
        let saved = std::fs::write(&temporary, code).and_then(|()| std::fs::rename(&temporary, &path));
        if let Err(error) = saved {
            log_line(&format!("The compiled component could not be kept in {}: {error}", path.display()));
        }
    }
    Ok(component)
}

#[expect(unsafe_code, reason = "loading compiled code is only as safe as the file it comes from")]
fn load_compiled(engine: &Engine, path: &Path) -> Option<Component> {
    if !path.exists() {
        return None;
    }
    // SAFETY: `compile` wrote the file and renamed it into place, so it is complete. Its name contains the
    // hash of the engine's settings. Anyone who can change it can also change this program's binary.
    unsafe { Component::deserialize_file(engine, path) }.ok()
}
