//! Lists the hosts that files come from. The old server chooses them, so the user should see them
//! before anything is read.

use std::collections::BTreeMap;

use url::Url;

use super::fetch::Missing;
use super::inventory::Inventory;
use super::item::{Item, Kind, Outcome};
use super::link::Link;
use super::server::Server;
use super::work::Planned;
use crate::error::CliError;

/// Hosts, each with an address on it and its number of files.
type Hosts = BTreeMap<String, (Url, usize)>;

/// All hosts in links, and the private storage. Redirects may lead to further hosts, under the same
/// rules.
pub(super) async fn plan(server: &Server, inventory: &Inventory) -> Result<Vec<Planned>, CliError> {
    let (mut hosts, mut private) = (Hosts::new(), Vec::new());
    for link in links(inventory) {
        match link {
            Link::Public(url) => add(&mut hosts, url, 1),
            Link::Private(_) => private.push(link),
        }
    }
    if let Some(link) = private.first()
        && let Some(url) = storage(server, link).await?
    {
        add(&mut hosts, url, private.len());
    }
    let mut all = Vec::new();
    for (name, (url, files)) in hosts {
        all.push(Planned::settled(match server.reach().check(&url).await {
            Ok(()) => Item::new(Kind::Host, name, Outcome::Note)
                .because(format!("{files} files are read from there")),
            Err(refused) => Item::new(Kind::Host, name, Outcome::Refused).because(refused.to_string()),
        }));
    }
    Ok(all)
}

fn links(inventory: &Inventory) -> impl Iterator<Item = Link> {
    let of_app = |(app, releases): &(super::wire::App, Vec<super::wire::Release>)| {
        let files =
            releases.iter().flat_map(|release| &release.artifacts).map(|artifact| artifact.link.clone());
        std::iter::once(app.logo.clone()).chain(files).collect::<Vec<_>>()
    };
    // Invalid links are reported with their items.
    inventory.apps.iter().flat_map(of_app).filter_map(|text| Link::parse(&text).ok())
}

fn add(hosts: &mut Hosts, url: Url, files: usize) {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let name = format!("{}{port}", url.host_str().unwrap_or_default());
    hosts.entry(name).or_insert((url, 0)).1 += files;
}

/// The URL of a private file. `None`: the server does not return it.
async fn storage(server: &Server, link: &Link) -> Result<Option<Url>, CliError> {
    if let Some(url) = server.open_storage().await? {
        return Ok(Some(url.clone()));
    }
    match server.address(link).await.map_err(Missing::from) {
        Ok(address) => Ok(Url::parse(&address).ok()),
        Err(Missing::File(_)) => Ok(None),
        Err(Missing::All(error)) => Err(error),
    }
}
