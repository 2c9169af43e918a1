//! Secrets that are generated once and stored.
//!
//! A manifest must not have usable secrets as defaults, because they would be the same everywhere. So a
//! variable that is declared `secret = true` with an empty default, and that is not set, gets a random value,
//! which is kept in the state folder. A given value is never replaced, not even an empty one: that is how to
//! turn off a feature that depends on a secret.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use base16ct::lower::encode_string as hex;

use crate::error::LocalError;

/// Bytes of randomness in a generated secret. It is written as twice as many hexadecimal digits.
const SECRET_BYTES: usize = 32;

/// The file `secrets.json` of a state folder. `Debug` shows only the names.
pub(crate) struct Secrets {
    path: PathBuf,
    values: BTreeMap<String, String>,
}

impl Secrets {
    /// The file's path in a state folder.
    pub(crate) fn path(state: &Path) -> PathBuf {
        state.join("secrets.json")
    }

    /// Reads the file. A missing file counts as empty.
    pub(crate) fn read(state: &Path) -> Result<Self, LocalError> {
        let path = Self::path(state);
        let values = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|source| LocalError::Secrets { path: path.clone(), source })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(LocalError::file(&path)(error)),
        };
        Ok(Self { path, values })
    }

    /// Copies the file from one folder to another, synced and readable only by its owner. Returns whether
    /// there is one.
    pub(crate) fn copy(from: &Path, to: &Path) -> Result<bool, LocalError> {
        let (source, target) = (Self::path(from), Self::path(to));
        match std::fs::read(&source) {
            Ok(bytes) => write_private(&target, &bytes).map(|()| true).map_err(LocalError::file(&target)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(LocalError::file(&source)(error)),
        }
    }

    /// The secrets with these names. Generates and saves any that do not exist yet.
    pub(crate) fn get<'a>(
        &mut self,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, String>, LocalError> {
        let mut wanted = BTreeMap::new();
        let mut changed = false;
        for name in names {
            if !self.values.contains_key(name) {
                self.values.insert(name.to_owned(), generate()?);
                changed = true;
            }
            wanted.extend(self.values.get(name).map(|value| (name.to_owned(), value.clone())));
        }
        if changed {
            self.save()?;
        }
        Ok(wanted)
    }

    /// Replaces the file in one step, readable only by its owner. Creates its folder if missing.
    fn save(&self) -> Result<(), LocalError> {
        let temporary = self.path.with_extension("json.new");
        let write = || {
            self.path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            write_private(&temporary, &serde_json::to_vec_pretty(&self.values)?)?;
            std::fs::rename(&temporary, &self.path)
        };
        write().map_err(LocalError::file(&self.path))
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secrets").field("names", &self.values.keys()).finish_non_exhaustive()
    }
}

/// Writes a file that only its owner may read, and syncs its bytes.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

pub(crate) fn generate() -> Result<String, LocalError> {
    let mut bytes = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}
