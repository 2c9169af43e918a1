//! Compares files that exist on both sides, by length, because the old server reports no digests.

use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::fetch::{MissingFile, find};
use super::item::{ImportItem, ItemOutcome};
use super::server::FaynoSyncServer;
use super::work::{DecidedItem, FilePair, PlannedItem};
use crate::error::CliError;

/// Number of parallel comparisons. Each of them mostly waits.
const AT_ONCE: usize = 8;

/// Decides the items that are comparisons. Leaves the others unchanged.
pub(super) async fn compare(
    server: &FaynoSyncServer,
    planned: Vec<PlannedItem>,
) -> Result<Vec<DecidedItem>, CliError> {
    stream::iter(planned)
        .map(|planned| async move {
            let (item, pairs) = match planned {
                PlannedItem::Final(item) => return Ok(DecidedItem { item, work: None }),
                PlannedItem::ToDo(item, work) => return Ok(DecidedItem { item, work: Some(work) }),
                PlannedItem::ToCompare(item, pairs) => (item, pairs),
            };
            let mut differing = Vec::new();
            for pair in &pairs {
                differing.extend(difference(server, pair).await?);
            }
            let item = if differing.is_empty() {
                item
            } else {
                ImportItem { outcome: ItemOutcome::Conflict, ..item }.with_reason(differing.join("; "))
            };
            Ok(DecidedItem { item, work: None })
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
}

/// How two files differ. `None`: they do not.
async fn difference(server: &FaynoSyncServer, pair: &FilePair) -> Result<Option<String>, CliError> {
    let FilePair { name, old, size } = pair;
    match find(server, old).await {
        Ok(found) => {
            let other = found.length.filter(|length| length != size);
            Ok(other.map(|length| format!("{name} has {size} bytes here, and {length} there")))
        }
        // The old server has lost the file, and this service has it.
        Err(MissingFile::File(_)) => Ok(None),
        Err(MissingFile::All(error)) => Err(error),
    }
}
