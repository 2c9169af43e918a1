//! Once a day, makes sure that the bucket holds what it should hold of a repository.

use std::collections::BTreeSet;

use spindrift_core::metadata_prefix;
use spindrift_db::repository_upkeep;
use spindrift_service::Ports;
use spindrift_service::objects::first_failure::FirstFailure;
use spindrift_service::objects::location;
use spindrift_storage::ListedObject;
use spindrift_trust::{MetadataFile, MetadataVersion, RoleName};

use super::batch::{BATCH, DAY_SECONDS, Upkeep, UpkeepRun};
use crate::app_repository::AppRepository;
use crate::bucket::object;
use crate::commit::{reconcile, write_missing_of};
use crate::error::RepositoryError;
use crate::lease::RepositoryLease;
use crate::repository::Repository;

/// Seconds after which a repository is compared again. This limits how long changes made by others last, and
/// differences after a restore from a backup.
const CHECK_SECONDS: i64 = DAY_SECONDS;
/// Seconds after which a failed comparison is repeated. Until then, other repositories have their turn.
const RETRY_SECONDS: i64 = 60 * 60;
/// Age of an object, in seconds, from which no call can still be about to refer to it.
const UNREFERENCED_SECONDS: i64 = 30 * DAY_SECONDS;

impl<P: Ports> UpkeepRun<'_, P> {
    pub(super) async fn compare(&self, done: &mut Upkeep) -> Result<(), RepositoryError> {
        let before = self.ports.now().plus_seconds(-CHECK_SECONDS);
        let apps = repository_upkeep::unchecked(self.conn, before, BATCH)?;
        let (deleted, result) = self.each(&apps, async |repository| compare(repository).await).await;
        done.objects_deleted += deleted.into_iter().sum::<u64>();
        result
    }
}

/// Rewrites what is missing or differs, and deletes what nothing refers to. Returns how many objects were
/// deleted.
async fn compare<P: Ports>(repository: &AppRepository<'_, P>) -> Result<u64, RepositoryError> {
    let AppRepository { ports, conn, app } = *repository;
    let compared = repository.with_lease(async |lease| {
        let repository = reconcile(lease).await?;
        let objects = lease.objects(&repository.row).await?;
        write_missing_of(lease, &repository, &objects).await?;
        delete_unreferenced(lease, &repository, objects).await
    });
    let result = compared.await;
    let at = match &result {
        // Another call is working on the repository, and compares as much as it needs. The next run does the
        // rest.
        Err(error) if error.is_left_to_another_call() => return Ok(0),
        Ok(_) => ports.now(),
        Err(_) => ports.now().plus_seconds(RETRY_SECONDS - CHECK_SECONDS),
    };
    repository_upkeep::set_checked(conn, app, at)?;
    result
}

/// Deletes old objects of commits that did not record them. Roots stay, whoever wrote them, and so do objects
/// with names that no commit writes.
async fn delete_unreferenced<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    objects: Vec<ListedObject>,
) -> Result<u64, RepositoryError> {
    let prefix = metadata_prefix(&repository.name);
    let before = lease.ports.now().plus_seconds(-UNREFERENCED_SECONDS);
    let known: BTreeSet<_> = repository_upkeep::versions(lease.conn, lease.app)?.into_iter().collect();
    let (mut first, mut deleted) = (FirstFailure::default(), 0);
    for listed in objects {
        let file =
            listed.key.as_str().strip_prefix(&prefix).and_then(|name| name.parse::<MetadataFile>().ok());
        let Some(file) = file.filter(|_| listed.modified.is_some_and(|modified| modified <= before)) else {
            continue;
        };
        let Some(version) = file.version().map(MetadataVersion::number) else { continue };
        if *file.role() != RoleName::Root && !known.contains(&(file.role().to_string(), version)) {
            lease.require_time()?;
            let result = lease.storage.delete(&location(&object(&repository.row, &file))?).await;
            deleted += u64::from(first.note(result)?.is_some());
        }
    }
    first.end()?;
    Ok(deleted)
}
