//! Changes which channels have signers of their own.

use spindrift_core::ChannelName;
use spindrift_trust::{Delegations, NewSigners};

use super::next_root::keys;
use crate::error::CliError;

/// The delegations, with these signers for a channel.
pub(crate) fn signers_with(
    current: Option<&Delegations>,
    channel: &ChannelName,
    signers: NewSigners,
) -> Result<Delegations, CliError> {
    let mut all = others(current, channel);
    all.push((channel.clone(), signers));
    Delegations::new(all).ok_or_else(|| {
        CliError::usage("at most 30 channels have signers; each has 1 to 16 keys, no two the same, and a threshold that they can reach")
    })
}

/// The delegations without a channel. `None`: no channel has its own signers any more.
pub(crate) fn signers_without(current: Option<&Delegations>, channel: &ChannelName) -> Option<Delegations> {
    let all = others(current, channel);
    if all.is_empty() { None } else { Delegations::new(all) }
}

fn others(current: Option<&Delegations>, channel: &ChannelName) -> Vec<(ChannelName, NewSigners)> {
    let all = current.into_iter().flat_map(|all| all.channels().map(move |channel| (all, channel)));
    let all = all.filter(|(_, other)| *other != channel);
    all.filter_map(|(all, other)| {
        let signers = all.signers(other)?;
        Some((other.clone(), NewSigners::new(keys(signers), signers.threshold())))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::test_world::public;

    #[test]
    fn channels_come_and_go() {
        let (beta, stable) = ("beta".parse().unwrap(), "stable".parse().unwrap());
        let one = signers_with(None, &beta, NewSigners::new(vec![public(4)], 1)).unwrap();
        let two = signers_with(Some(&one), &stable, NewSigners::new(vec![public(5), public(6)], 2)).unwrap();
        assert_eq!(two.channels().count(), 2);
        assert_eq!(two.signers(&stable).unwrap().threshold(), 2);
        let changed = signers_with(Some(&two), &beta, NewSigners::new(vec![public(7)], 1)).unwrap();
        assert!(changed.signers(&beta).unwrap().key(public(4).id()).is_none());
        assert_eq!(signers_without(Some(&two), &stable), Some(one.clone()));
        assert_eq!(signers_without(Some(&one), &beta), None);
        assert_eq!(signers_without(Some(&one), &stable), Some(one));
        assert!(signers_with(None, &beta, NewSigners::new(vec![public(4)], 2)).is_err());
    }
}
