//! The application to run.

use std::path::{Path, PathBuf};

use clap::Args;
use embedded_host::{HostError, Manifest, Program, build};

use crate::bundle;
use crate::error::LocalError;

/// The manifest of a checkout.
const CHECKOUT: &str = "spin.toml";

/// The flags for the location of the application.
#[derive(Debug, Clone, Args)]
pub(crate) struct Source {
    /// Manifest of the application, or a bundle [default: the application in this program, or else spin.toml].
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// File that maps key-value and database labels to files; by default `runtime-config.toml` next to the manifest.
    #[arg(long, value_name = "FILE")]
    runtime_config_file: Option<PathBuf>,
    /// Use the components as they are, without building them first.
    #[arg(long)]
    no_build: bool,
    /// Folder for compiled components [default: `cache` in the state folder].
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

/// A loaded application.
pub(crate) struct Application {
    pub(crate) program: Program,
    /// The places of its stores. `None`: in the state folder.
    pub(crate) runtime_config: Option<PathBuf>,
}

impl Source {
    /// Loads the application. Its compiled code is kept in the state folder, unless a flag names another one.
    pub(crate) fn load(&self, state: &Path) -> Result<Application, LocalError> {
        let cache = self.cache_dir.clone().unwrap_or_else(|| state.join("cache"));
        let (manifest, cache) = match (&self.from, bundle::INSIDE) {
            (Some(file), _) if !is_manifest(file) => unpacked(&bundle::read(file)?, &cache)?,
            (None, Some(inside)) => unpacked(inside, &cache)?,
            (None, None) if !Path::new(CHECKOUT).exists() => {
                return Err(LocalError::NoApplication { manifest: CHECKOUT.into() });
            }
            (from, _) => (self.built(from.as_deref().unwrap_or(Path::new(CHECKOUT)))?, cache),
        };
        let beside = manifest.with_file_name("runtime-config.toml");
        let runtime_config = self.runtime_config_file.clone().or_else(|| beside.exists().then_some(beside));
        Ok(Application { program: Program::load(&manifest, &cache)?, runtime_config })
    }

    /// The manifest, with its components built, unless told not to.
    fn built(&self, manifest: &Path) -> Result<PathBuf, HostError> {
        if !self.no_build {
            build(&Manifest::read(manifest)?)?;
        }
        Ok(manifest.to_owned())
    }
}

/// Whether the file is a manifest, and not a bundle.
fn is_manifest(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// The manifest of an unpacked bundle, and the folder with its compiled code.
fn unpacked(bundle: &[u8], cache: &Path) -> Result<(PathBuf, PathBuf), LocalError> {
    let folder = bundle::unpack(bundle, cache)?;
    Ok((folder.join(bundle::MANIFEST), folder))
}
