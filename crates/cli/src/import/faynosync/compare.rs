//! Compares files that exist on both sides, by length, because the old server reports no digests.

use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::fetch::{Missing, find};
use super::item::{Item, Outcome};
use super::server::Server;
use super::work::{Decided, Pair, Planned};
use crate::error::CliError;

/// Number of parallel comparisons. Each of them mostly waits.
const AT_ONCE: usize = 8;

/// Decides the items that are comparisons. Leaves the others unchanged.
pub(super) async fn compare(server: &Server, planned: Vec<Planned>) -> Result<Vec<Decided>, CliError> {
    stream::iter(planned)
        .map(|planned| async move {
            let (item, pairs) = match planned {
                Planned::Settled(item) => return Ok(Decided { item, work: None }),
                Planned::ToDo(item, work) => return Ok(Decided { item, work: Some(work) }),
                Planned::ToCompare(item, pairs) => (item, pairs),
            };
            let mut differing = Vec::new();
            for pair in &pairs {
                differing.extend(difference(server, pair).await?);
            }
            let item = if differing.is_empty() {
                item
            } else {
                Item { outcome: Outcome::Conflict, ..item }.because(differing.join("; "))
            };
            Ok(Decided { item, work: None })
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
}

/// How two files differ. `None`: they do not.
async fn difference(server: &Server, pair: &Pair) -> Result<Option<String>, CliError> {
    let Pair { name, old, size } = pair;
    match find(server, old).await {
        Ok(found) => {
            let other = found.length.filter(|length| length != size);
            Ok(other.map(|length| format!("{name} has {size} bytes here, and {length} there")))
        }
        // The old server has lost the file, and this service has it.
        Err(Missing::File(_)) => Ok(None),
        Err(Missing::All(error)) => Err(error),
    }
}
