//! Intermediate releases, which clients of older versions must not skip.

use std::collections::BTreeMap;

use crate::Id;

/// The clients of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelClients {
    /// The channel. `None`: the owner uses no channels.
    pub channel: Option<Id>,
    /// The channels whose releases they see, starting with their own.
    pub sees: Vec<Option<Id>>,
}

/// The clients that no longer see an intermediate release without the offers in `hidden`. `left`:
/// the channels that still offer it. `includes`: the channels that each channel includes.
pub fn skipping_clients(
    includes: &BTreeMap<Id, Vec<Id>>,
    hidden: &[Option<Id>],
    left: &[Option<Id>],
) -> Vec<ChannelClients> {
    let including = includes.keys().cloned().map(Some);
    let mut channels: Vec<Option<Id>> = hidden.iter().cloned().chain(including).collect();
    channels.sort();
    channels.dedup();
    let clients = channels.into_iter().map(|channel| {
        let included = channel.as_ref().and_then(|id| includes.get(id)).into_iter().flatten();
        let sees = std::iter::once(channel.clone()).chain(included.cloned().map(Some)).collect();
        ChannelClients { channel, sees }
    });
    let sees_one =
        |clients: &ChannelClients, of: &[Option<Id>]| clients.sees.iter().any(|id| of.contains(id));
    clients.filter(|clients| sees_one(clients, hidden) && !sees_one(clients, left)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_let_past_where_nothing_else_offers_the_intermediate() {
        let id = |name: &str| Id::from_text(name);
        let includes = BTreeMap::from([(id("beta"), vec![id("stable")]), (id("nightly"), vec![id("beta")])]);
        let channels = |hidden: &[&str], left: &[&str]| -> Vec<String> {
            let ids = |names: &[&str]| names.iter().map(|name| Some(id(name))).collect::<Vec<_>>();
            let clients = skipping_clients(&includes, &ids(hidden), &ids(left));
            clients.into_iter().filter_map(|clients| clients.channel).map(|id| id.to_string()).collect()
        };
        for (hidden, left, past) in [
            (&["stable"][..], &[][..], &["beta", "stable"][..]),
            (&["beta"], &[], &["beta", "nightly"]),
            (&["beta"], &["stable"], &["nightly"]),
            (&["stable"], &["beta"], &["stable"]),
            (&["stable", "beta"], &[], &["beta", "nightly", "stable"]),
            (&[], &["stable"], &[]),
        ] {
            assert_eq!(channels(hidden, left), past, "{hidden:?} {left:?}");
        }
        let none = skipping_clients(&BTreeMap::new(), &[None], &[]);
        assert_eq!(none, [ChannelClients { channel: None, sees: vec![None] }]);
    }
}
