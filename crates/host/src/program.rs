//! A manifest with compiled components, which any number of hosts can run.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use crate::bindings::ServicesWorld;
use crate::engine::{INSTANCE_SLOTS, engine};
use crate::error::HostError;
use crate::guest::Guest;
use crate::log::log_line;
use crate::manifest::Manifest;
use crate::routes::Routes;
use base16ct::lower::encode_string as hex;

/// The parts of an application that do not depend on the host and its options. Cheap to clone.
#[derive(Clone)]
pub struct Program(Arc<Inner>);

struct Inner {
    manifest: Manifest,
    routes: Routes,
    components: BTreeMap<String, ProxyPre<Guest>>,
    slots: Arc<Semaphore>,
}

impl Program {
    /// Reads the manifest and compiles every component that a route names. Compiled code is kept in `cache` under a
    /// name derived from its content, so a second load takes milliseconds.
    ///
    /// # Errors
    /// The manifest is invalid, or a component is missing, invalid, or needs an interface that the host lacks.
    pub fn load(manifest: &Path, cache: &Path) -> Result<Self, HostError> {
        let manifest = Manifest::read(manifest)?;
        let refuse = |reason| HostError::Manifest { path: manifest.path.clone(), reason };
        let routes = Routes::new(&manifest.routes).map_err(refuse)?;
        std::fs::create_dir_all(cache).map_err(HostError::file(cache))?;

        let engine = engine()?;
        let linker = linker(&engine).map_err(|error| HostError::Engine(format!("{error:#}")))?;
        let mut compiled: BTreeMap<PathBuf, ProxyPre<Guest>> = BTreeMap::new();
        let mut components = BTreeMap::new();
        let routed: BTreeSet<&String> = manifest.routes.iter().map(|(_, component)| component).collect();
        for id in routed {
            let Some(declared) = manifest.components.get(id) else { continue };
            let path = manifest.folder().join(&declared.source);
            let ready = match compiled.get(&path) {
                Some(ready) => ready.clone(),
                None => prepare(&engine, &linker, &path, &Cache { folder: cache, component: id })
                    .map_err(|reason| HostError::component(id, reason))?,
            };
            compiled.insert(path, ready.clone());
            components.insert(id.clone(), ready);
        }
        let slots = Arc::new(Semaphore::new(INSTANCE_SLOTS as usize));
        Ok(Self(Arc::new(Inner { manifest, routes, components, slots })))
    }

    /// The application's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    pub(crate) fn routes(&self) -> &Routes {
        &self.0.routes
    }

    pub(crate) fn components(&self) -> &BTreeMap<String, ProxyPre<Guest>> {
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

fn linker(engine: &Engine) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    ServicesWorld::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?;
    Ok(linker)
}

fn prepare(
    engine: &Engine,
    linker: &Linker<Guest>,
    path: &Path,
    cache: &Cache<'_>,
) -> Result<ProxyPre<Guest>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let component =
        compile(engine, &bytes, cache).map_err(|error| format!("{}: {error:#}", path.display()))?;
    let ready = linker.instantiate_pre(&component).and_then(ProxyPre::new);
    ready.map_err(|error| format!("{}: {error:#}", path.display()))
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
    // SAFETY: `compile` wrote the file and renamed it into place, so it is complete. Its name contains the hash of the
    // engine's settings. Anyone who can change it can also change this program's binary.
    unsafe { Component::deserialize_file(engine, path) }.ok()
}
