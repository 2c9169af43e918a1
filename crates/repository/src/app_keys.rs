//! The service's keys for one application, from the setting `tuf_secret`.

use spindrift_core::Id;
use spindrift_service::Ports;
use spindrift_settings::TUF_SECRET;
use spindrift_trust::{
    Generation, Generations, KeyId, PublicKey, Purpose, RootRole, Secrets, ServiceKeyIds, ServiceKeys,
    SigningKey,
};

use crate::error::RepositoryError;

/// How far the generations of a root in the bucket may be ahead of those in a restored database.
const MAX_GENERATIONS_AHEAD: u32 = 32;

/// Derives the keys of one application.
#[derive(Debug)]
pub struct AppKeys {
    secrets: Secrets,
    app: Id,
}

impl AppKeys {
    /// Reads the setting. Fails if it is unusable.
    pub fn read(ports: &impl Ports, app: &Id) -> Result<Self, RepositoryError> {
        let secrets = TUF_SECRET.read(ports)?.parse()?;
        Ok(Self { secrets, app: app.clone() })
    }

    fn keys(&self) -> ServiceKeys<'_> {
        ServiceKeys::new(&self.secrets, &self.app)
    }

    /// The public key that a new root may name.
    pub fn public(&self, purpose: Purpose, generation: Generation) -> Result<PublicKey, RepositoryError> {
        Ok(self.keys().derive(purpose, generation)?.public().clone())
    }

    /// The ids of all keys up to the next generation.
    pub fn ids(&self, generations: Generations) -> Result<ServiceKeyIds, RepositoryError> {
        Ok(self.keys().ids(generations)?)
    }

    /// The key with this id, and its generation. `near` is the most likely generation. `None` if no secret
    /// derives it.
    pub(crate) fn find(
        &self,
        purpose: Purpose,
        near: Generation,
        id: &KeyId,
    ) -> Result<Option<(Generation, SigningKey)>, RepositoryError> {
        let others =
            (1..=near.number().saturating_add(MAX_GENERATIONS_AHEAD)).filter_map(Generation::from_number);
        for generation in [near, near.next()].into_iter().chain(others) {
            if let Some(key) = self.keys().find(purpose, generation, id)? {
                return Ok(Some((generation, key)));
            }
        }
        Ok(None)
    }

    /// The key for snapshot and timestamp that a root names. Fails, naming the setting, if no secret derives
    /// it.
    pub(crate) fn online(
        &self,
        root: &RootRole,
        near: Generation,
    ) -> Result<(Generation, SigningKey), RepositoryError> {
        let id = root.online().keyids().first();
        let found = id.map(|id| self.find(Purpose::Online, near, id)).transpose()?.flatten();
        found.ok_or_else(|| TUF_SECRET.unusable("does not give the key that root names").into())
    }

    /// The keys for targets that a root names, without those that are not the service's.
    pub(crate) fn targets(
        &self,
        root: &RootRole,
        near: Generation,
    ) -> Result<Option<(Generation, SigningKey)>, RepositoryError> {
        match root.targets().keyids() {
            [only] => self.find(Purpose::Targets, near, only),
            _ => Ok(None),
        }
    }
}
