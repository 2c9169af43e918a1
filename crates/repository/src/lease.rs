//! The lease on a repository: while a call holds it, no other call changes the repository.

use spindrift_core::{Id, Timestamp};
use spindrift_db::{leases, repositories};
use spindrift_service::Ports;
use spindrift_service::objects::storage;
use spindrift_storage::{LONGEST_WRITE, Storage};

use crate::app_keys::AppKeys;
use crate::app_repository::AppRepository;
use crate::error::RepositoryError;
use crate::repository::Repository;

/// Seconds after which a call counts as dead, so that another one may begin.
const LEASE_SECONDS: i64 = 5 * 60;

/// Seconds before the end of the lease from which nothing new is begun: a write to the storage, including the
/// time-outs of all its phases, must have ended before another call may begin its own.
const LAST_SECONDS: i64 = LONGEST_WRITE.as_secs().cast_signed();

const _: () = assert!(LAST_SECONDS < LEASE_SECONDS, "there is no time for any work");

/// A lease on a repository, with what the work under it needs.
pub(crate) struct RepositoryLease<'a, P: Ports> {
    pub(crate) ports: &'a P,
    pub(crate) conn: &'a P::Conn,
    pub(crate) storage: &'a Storage<'a, P>,
    pub(crate) app: &'a Id,
    until: Timestamp,
}

impl<P: Ports> RepositoryLease<'_, P> {
    /// Fails if the lease is about to end.
    pub(crate) fn require_time(&self) -> Result<(), RepositoryError> {
        if self.ports.now() < self.until.plus_seconds(-LAST_SECONDS) {
            Ok(())
        } else {
            Err(RepositoryError::InUse)
        }
    }

    pub(crate) const fn app_repository(&self) -> AppRepository<'_, P> {
        AppRepository::new(self.ports, self.conn, self.app)
    }

    /// The service's keys. Fails if the setting is unusable.
    pub(crate) fn keys(&self) -> Result<AppKeys, RepositoryError> {
        AppKeys::read(self.ports, self.app)
    }

    /// Reads the repository as it is now. Fails if there is none.
    pub(crate) fn load(&self) -> Result<Repository, RepositoryError> {
        Repository::load(self.conn, self.app)?.ok_or(RepositoryError::NoRepository)
    }
}

impl<P: Ports> AppRepository<'_, P> {
    /// Runs `work` while no other call works on the repository or begins to. Fails while another call does.
    pub(crate) async fn with_lease<T, E: From<RepositoryError>>(
        &self,
        work: impl AsyncFnOnce(&RepositoryLease<'_, P>) -> Result<T, E>,
    ) -> Result<T, E> {
        let Self { ports, conn, app } = *self;
        let storage = storage(ports).map_err(RepositoryError::from)?;
        let (name, holder, now) = (format!("{}{app}", repositories::LEASE), ports.new_id(), ports.now());
        let until = now.plus_seconds(LEASE_SECONDS);
        if !leases::take(conn, &name, holder.as_str(), now, until).map_err(RepositoryError::from)? {
            return Err(RepositoryError::InUse.into());
        }
        let result = work(&RepositoryLease { ports, conn, storage: &storage, app, until }).await;
        // The work is done. A lease that is not released expires by itself.
        let _ = leases::release(conn, &name, holder.as_str());
        result
    }
}
