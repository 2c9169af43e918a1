//! Lists the hosts that files come from. The old server chooses them, so the user should see them
//! before anything is read.

use std::collections::BTreeMap;

use url::Url;

use super::fetch::MissingFile;
use super::inventory::Inventory;
use super::item::{ImportItem, ItemKind, ItemOutcome};
use super::link::FileLink;
use super::server::FaynoSyncServer;
use super::work::PlannedItem;
use crate::error::CliError;

/// Hosts, each with an address on it and its number of files.
type Hosts = BTreeMap<String, (Url, usize)>;

/// All hosts in links, and the private storage. Redirects may lead to further hosts, under the same
/// rules.
pub(super) async fn plan(
    server: &FaynoSyncServer,
    inventory: &Inventory,
) -> Result<Vec<PlannedItem>, CliError> {
    let (mut hosts, mut private) = (Hosts::new(), Vec::new());
    for link in links(inventory) {
        match link {
            FileLink::Public(url) => add(&mut hosts, url, 1),
            FileLink::Private(_) => private.push(link),
        }
    }
    if let Some(link) = private.first()
        && let Some(url) = storage(server, link).await?
    {
        add(&mut hosts, url, private.len());
    }
    let mut all = Vec::new();
    for (name, (url, files)) in hosts {
        all.push(PlannedItem::without_work(match server.reach().check(&url).await {
            Ok(()) => ImportItem::new(ItemKind::Host, name, ItemOutcome::Note)
                .with_reason(format!("{files} files are read from there")),
            Err(refused) => {
                ImportItem::new(ItemKind::Host, name, ItemOutcome::Refused).with_reason(refused.to_string())
            }
        }));
    }
    Ok(all)
}

fn links(inventory: &Inventory) -> impl Iterator<Item = FileLink> {
    let of_app = |(app, releases): &(super::wire::FaynoSyncApp, Vec<super::wire::FaynoSyncRelease>)| {
        let files =
            releases.iter().flat_map(|release| &release.artifacts).map(|artifact| artifact.link.clone());
        std::iter::once(app.logo.clone()).chain(files).collect::<Vec<_>>()
    };
    // Invalid links are reported with their items.
    inventory.apps.iter().flat_map(of_app).filter_map(|text| FileLink::parse(&text).ok())
}

fn add(hosts: &mut Hosts, url: Url, files: usize) {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let name = format!("{}{port}", url.host_str().unwrap_or_default());
    hosts.entry(name).or_insert((url, 0)).1 += files;
}

/// The URL of a private file. `None`: the server does not return it.
async fn storage(server: &FaynoSyncServer, link: &FileLink) -> Result<Option<Url>, CliError> {
    if let Some(url) = server.open_storage().await? {
        return Ok(Some(url.clone()));
    }
    match server.address(link).await.map_err(MissingFile::from) {
        Ok(address) => Ok(Url::parse(&address).ok()),
        Err(MissingFile::File(_)) => Ok(None),
        Err(MissingFile::All(error)) => Err(error),
    }
}
