//! Comparing files that are on both sides. Neither says what its bytes are, so lengths are compared.

use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::fetch::{Missing, length};
use super::here;
use super::item::Outcome;
use super::link::Link;
use super::server::Server;
use super::work::{Pair, Planned, Work};
use crate::error::CliError;
use crate::service::Service;

/// Comparisons at a time: most of each is waiting.
const AT_ONCE: usize = 8;

/// Settles all items that are comparisons. Others stay as they are.
pub(super) async fn compare(
    server: &Server,
    service: &Service,
    planned: Vec<Planned>,
) -> Result<Vec<Planned>, CliError> {
    stream::iter(planned)
        .map(|planned| async move {
            let Planned { item, work: Some(Work::Compare(pairs)) } = planned else { return Ok(planned) };
            let mut differing = Vec::new();
            for pair in &pairs {
                differing.extend(difference(server, service, pair).await?);
            }
            Ok(Planned::settled(if differing.is_empty() {
                item
            } else {
                let item = super::item::Item { outcome: Outcome::Conflict, ..item };
                item.because(differing.join("; "))
            }))
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
}

/// How two files differ.
async fn difference(server: &Server, service: &Service, pair: &Pair) -> Result<Option<String>, CliError> {
    let old = match length(server, &pair.old).await {
        Ok(old) => old,
        // It cannot be read any more, and it is here.
        Err(Missing::File(_)) => return Ok(None),
        Err(Missing::All(error)) => return Err(error),
    };
    let address = here::address(service, &pair.here).await?;
    let stored = match Link::parse(&address) {
        Ok(Link::Public(url)) => length(server, &Link::Public(url)).await,
        _ => Err(Missing::File("no address".to_owned())),
    };
    match stored {
        Ok(stored) => Ok(match old.zip(stored) {
            Some((old, stored)) if old != stored => {
                Some(format!("{} has {stored} bytes here, and {old} there", pair.name))
            }
            _ => None,
        }),
        Err(Missing::File(why)) => Ok(Some(format!("{}: here {why}", pair.name))),
        Err(Missing::All(error)) => Err(error),
    }
}
