//! The available signing keys.

use std::path::{Path, PathBuf};

use spindrift_trust::{KeyId, PublicKey, Role, Signed, Signers};

use super::key::{KeySource, PUBLIC_EXTENSION, Passphrase, Signer, read_public, write_beside};
use crate::config::create_private_folder;
use crate::error::CliError;
use crate::secret::Secret;

/// The environment variable with the text of the publisher's key.
pub(crate) const TARGETS_KEY: &str = "SPINDRIFT_TARGETS_KEY";
/// Name of the key that should be moved to another place.
pub(crate) const RECOVERY: &str = "recovery";
/// Extension of files with private keys.
const PRIVATE: &str = "pem";

/// The keys that the user gave, and those in the user's folder, which are opened when needed.
#[derive(Debug)]
pub(crate) struct KeyRing {
    folder: PathBuf,
    open: Vec<Signer>,
    passphrase: Passphrase,
}

/// A key that [`KeyRing::create`] made or found.
#[derive(Debug, Clone)]
pub(crate) struct OwnKey {
    pub(crate) path: PathBuf,
    pub(crate) public: PublicKey,
}

impl KeyRing {
    /// The keys in `sources`, and those in `folder`. Without sources, the publisher's key from the
    /// environment.
    pub(crate) fn open(folder: PathBuf, sources: &[KeySource]) -> Result<Self, CliError> {
        let mut key_ring = Self { folder, open: Vec::new(), passphrase: Passphrase::default() };
        let variable = std::env::var(TARGETS_KEY).is_ok_and(|value| !value.trim().is_empty());
        let standard = (sources.is_empty() && variable).then(|| KeySource::Variable(TARGETS_KEY.to_owned()));
        for source in sources.iter().chain(&standard) {
            let signer = source.open(&mut key_ring.passphrase)?;
            key_ring.add(signer);
        }
        Ok(key_ring)
    }

    fn add(&mut self, signer: Signer) {
        if !self.has_open(signer.public().id()) {
            self.open.push(signer);
        }
    }

    fn has_open(&self, id: &KeyId) -> bool {
        self.open.iter().any(|signer| signer.public().id() == id)
    }

    /// The folder of the user's keys.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a key of these signers is available.
    pub(crate) fn has_one_of(&self, signers: Signers<'_>) -> Result<bool, CliError> {
        Ok(self.open.iter().any(|signer| signers.key(signer.public().id()).is_some())
            || self.own()?.iter().any(|key| signers.key(key.public.id()).is_some()))
    }

    /// The keys in the user's folder. Their public parts are stored beside them, so that a key can
    /// be selected without its passphrase.
    pub(crate) fn own(&self) -> Result<Vec<OwnKey>, CliError> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(CliError::file(&self.folder)(error)),
        };
        let paths =
            entries.map(|entry| entry.map(|entry| entry.path()).map_err(CliError::file(&self.folder)));
        let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
        // The recovery key is the last resort.
        paths.sort_by_key(|path| (path.file_stem().is_some_and(|stem| stem == RECOVERY), path.clone()));
        let public =
            paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == PUBLIC_EXTENSION));
        let key = |path: PathBuf| {
            let public = read_public(&path.display().to_string())?;
            Ok(OwnKey { path: path.with_extension(PRIVATE), public })
        };
        let keys = public.map(key).collect::<Result<Vec<_>, CliError>>()?;
        // The public part stays behind when a private key is moved away.
        Ok(keys.into_iter().filter(|key| key.path.exists()).collect())
    }

    /// Makes a key in the user's folder, or finds it there, so that a crashed command can be
    /// repeated. `passphrase` is called only for a new key; if it returns `None`, the key is not
    /// encrypted.
    pub(crate) fn create(
        &mut self,
        name: &str,
        passphrase: &mut impl FnMut() -> Result<Option<Secret>, CliError>,
    ) -> Result<OwnKey, CliError> {
        create_private_folder(&self.folder).map_err(CliError::file(&self.folder))?;
        let path = self.folder.join(format!("{name}.{PRIVATE}"));
        let is_new = !path.exists();
        let signer = if is_new {
            let passphrase = passphrase()?;
            let signer = KeySource::create(&path, passphrase.as_ref())?;
            if let Some(passphrase) = passphrase {
                self.passphrase = Passphrase::known(passphrase);
            }
            signer
        } else {
            KeySource::File(path.clone()).open(&mut self.passphrase)?
        };
        let public = signer.public().clone();
        write_beside(&path, &public)?;
        self.add(signer);
        Ok(OwnKey { path, public })
    }

    /// Opens as many keys in the user's folder as the threshold of `signers` needs.
    fn open_for(&mut self, signers: Signers<'_>, unwanted: &[KeyId]) -> Result<(), CliError> {
        let is_theirs = |id: &KeyId| signers.key(id).is_some() && !unwanted.contains(id);
        let open = self.open.iter().filter(|signer| is_theirs(signer.public().id())).count();
        let missing = signers.threshold().saturating_sub(open);
        let own = self.own()?.into_iter();
        let own = own.filter(|key| is_theirs(key.public.id()) && !self.has_open(key.public.id()));
        for key in own.take(missing).collect::<Vec<_>>() {
            let signer = KeySource::File(key.path.clone()).open(&mut self.passphrase)?;
            if signer.public() != &key.public {
                let path = key.path.display();
                return Err(CliError::usage(format!("{path} does not match the public key beside it")));
            }
            self.add(signer);
        }
        Ok(())
    }

    /// Signs with as many available keys as `all` signers need, except for those in `unwanted`.
    /// Returns the ids of the keys.
    pub(crate) fn sign<R: Role>(
        &mut self,
        signed: &mut Signed<R>,
        all: &[Signers<'_>],
        unwanted: &[KeyId],
    ) -> Result<Vec<KeyId>, CliError> {
        for signers in all {
            self.open_for(*signers, unwanted)?;
        }
        let message = signed.canonical().map_err(|error| super::calls::unwritable(&error))?;
        let is_theirs = |id: &KeyId| all.iter().any(|signers| signers.key(id).is_some());
        let mut used = Vec::new();
        for signer in &self.open {
            let id = signer.public().id();
            if is_theirs(id) && !unwanted.contains(id) {
                signed.add(signer.sign(&message)?);
                used.push(id.clone());
            }
        }
        Ok(used)
    }
}

#[cfg(test)]
mod tests {
    use spindrift_trust::{NewSigners, RootRole};

    use super::*;
    use crate::trust::test_world::{online, public, root_of};

    #[expect(clippy::unnecessary_wraps, reason = "asking for a passphrase can fail")]
    fn none() -> Result<Option<Secret>, CliError> {
        Ok(None)
    }

    fn key_ring(folder: &Path) -> KeyRing {
        KeyRing { folder: folder.join("keys"), open: Vec::new(), passphrase: Passphrase::default() }
    }

    #[test]
    fn keys_of_the_folder_are_found_by_their_public_parts() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = key_ring(folder.path());
        assert!(first.own().unwrap().is_empty());
        let made = first.create("targets", &mut none).unwrap();
        let found = key_ring(folder.path()).own().unwrap();
        assert_eq!((found.len(), &found[0].public, &found[0].path), (1, &made.public, &made.path));
        let again = key_ring(folder.path()).create("targets", &mut none).unwrap();
        assert_eq!(again.public, made.public);
        std::fs::rename(&made.path, folder.path().join("elsewhere")).unwrap();
        assert!(key_ring(folder.path()).own().unwrap().is_empty());
    }

    #[test]
    fn no_more_keys_sign_than_are_needed() {
        let folder = tempfile::tempdir().unwrap();
        let mut maker = key_ring(folder.path());
        let keys = ["root", RECOVERY].map(|name| maker.create(name, &mut none).unwrap().public);
        let root = root_of(1, (&[1], 1), &[3]);
        let head = *root.head();
        for (threshold, unwanted, used) in
            [(1, vec![], vec![0]), (2, vec![], vec![0, 1]), (1, vec![keys[0].id().clone()], vec![1])]
        {
            let root = RootRole::new(
                head,
                NewSigners::new(keys.to_vec(), threshold),
                NewSigners::new(vec![public(3)], 1),
                online(1),
            )
            .unwrap();
            let mut signed = Signed::unsigned(root.clone());
            let ids = key_ring(folder.path()).sign(&mut signed, &[root.root()], &unwanted).unwrap();
            let expected: Vec<KeyId> = used.iter().map(|at: &usize| keys[*at].id().clone()).collect();
            assert_eq!(ids, expected, "{threshold}");
            assert!(signed.is_signed_by(root.root()).unwrap());
        }
    }

    #[test]
    fn strangers_do_not_sign() {
        let folder = tempfile::tempdir().unwrap();
        let mut key_ring = key_ring(folder.path());
        key_ring.create("root", &mut none).unwrap();
        let root = root_of(1, (&[1, 2], 1), &[3]);
        let mut signed = Signed::unsigned(root.clone());
        assert_eq!(key_ring.sign(&mut signed, &[root.root()], &[]).unwrap(), []);
        assert_eq!(signed.signatures(), []);
        assert!(!key_ring.has_one_of(root.root()).unwrap());
    }
}
