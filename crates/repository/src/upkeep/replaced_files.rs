//! Deleting files that newer files of their role have replaced.

use spindrift_core::{StoredObject, metadata_prefix};
use spindrift_db::repository_upkeep::{self, FormerFile};
use spindrift_service::Ports;
use spindrift_service::objects::first_failure::FirstFailure;
use spindrift_service::objects::location;
use spindrift_storage::Storage;
use spindrift_trust::{MetadataFile, MetadataVersion, RoleName};

use super::batch::{DAY_SECONDS, Upkeep, UpkeepRun};
use crate::error::RepositoryError;

/// Maximum number of files that one run deletes.
const BATCH: u32 = 500;
/// How long a file stays after it was replaced, in seconds: for clients in the middle of a refresh, and for
/// caches that still have an older timestamp.
const FORMER_SECONDS: i64 = 30 * DAY_SECONDS;

impl<P: Ports> UpkeepRun<'_, P> {
    pub(super) async fn remove_replaced_files(
        &self,
        storage: &Storage<'_, P>,
        done: &mut Upkeep,
    ) -> Result<(), RepositoryError> {
        let before = self.ports.now().plus_seconds(-FORMER_SECONDS);
        let mut first = FirstFailure::default();
        for file in repository_upkeep::replaced_files(self.conn, before, BATCH)? {
            if let Some(object) = object(&file)? {
                let result = storage.delete(&location(&object)?).await;
                if first.note(result)?.is_none() {
                    continue;
                }
                done.objects_deleted += 1;
            }
            repository_upkeep::delete_replaced(self.conn, &file)?;
        }
        Ok(first.end()?)
    }
}

/// The object of the file. `None` if all versions share one object.
fn object(file: &FormerFile) -> Result<Option<StoredObject>, RepositoryError> {
    let role: RoleName = file.role.parse().map_err(|_| RepositoryError::corrupt("role"))?;
    let version =
        MetadataVersion::from_number(file.version).ok_or_else(|| RepositoryError::corrupt("version"))?;
    let name = MetadataFile::new(role, version);
    let key = format!("{}{name}", metadata_prefix(&file.repository));
    Ok(name.version().map(|_| StoredObject { bucket: file.visibility, key }))
}
