//! Describes the changes of a new version to its signer.

use std::collections::BTreeMap;

use serde::Serialize;
use spindrift_trust::{
    Delegations, PublicKey, Role as _, RootRole, Signers, TargetFile, TargetName, TargetsRole,
};

use crate::output::bytes;

/// Changes, one a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Difference {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) changed: Vec<String>,
}

impl Difference {
    /// The changes as text for people.
    pub(crate) fn as_text(&self) -> String {
        let marked = [("+", &self.added), ("-", &self.removed), ("~", &self.changed)];
        let lines = marked
            .into_iter()
            .flat_map(|(mark, lines)| lines.iter().map(move |line| format!("  {mark} {line}")));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Compares two sets of descriptions by name.
    fn compare(&mut self, old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) {
        for (name, text) in new {
            match old.get(name) {
                None => self.added.push(text.clone()),
                Some(was) if was != text => self.changed.push(format!("{text} (was: {was})")),
                Some(_) => {}
            }
        }
        self.removed
            .extend(old.iter().filter(|(name, _)| !new.contains_key(*name)).map(|(_, text)| text.clone()));
    }

    fn compare_texts(&mut self, what: &str, old: Option<String>, new: &str) {
        match old {
            Some(old) if old != new => self.changed.push(format!("{what}: {new} (was: {old})")),
            Some(_) => {}
            None => self.added.push(format!("{what}: {new}")),
        }
    }
}

type SignersOf = fn(&RootRole) -> Signers<'_>;

/// The changes from one root to the next.
pub(crate) fn root_difference(old: Option<&RootRole>, new: &RootRole) -> Difference {
    let mut difference = Difference::default();
    let roles: [(&str, SignersOf); 3] = [
        ("root", RootRole::root),
        ("targets", RootRole::targets),
        ("snapshot and timestamp", RootRole::online),
    ];
    for (role, signers) in roles {
        difference
            .compare(&old.map(|old| keys(role, signers(old))).unwrap_or_default(), &keys(role, signers(new)));
        let threshold = |root: &RootRole| signers(root).threshold().to_string();
        difference.compare_texts(
            &format!("signatures needed for {role}"),
            old.map(threshold),
            &threshold(new),
        );
    }
    let expires = |root: &RootRole| root.head().expires.to_string();
    difference.compare_texts("root expires", old.map(expires), &expires(new));
    difference
}

/// The changes from one list to the next.
pub(crate) fn list_difference(old: Option<&TargetsRole>, new: &TargetsRole) -> Difference {
    let mut difference = Difference::default();
    difference.compare(&old.map(files).unwrap_or_default(), &files(new));
    let of_channels = |list: &TargetsRole| list.delegations().map(channels).unwrap_or_default();
    difference.compare(&old.map(of_channels).unwrap_or_default(), &of_channels(new));
    let expires = |list: &TargetsRole| list.head().expires.to_string();
    difference.compare_texts("the list expires", old.map(expires), &expires(new));
    difference
}

/// A key as text: its type and its whole id, which people compare.
pub(crate) fn key_text(key: &PublicKey) -> String {
    format!("{} {}", key.keytype(), key.id())
}

fn keys(role: &str, signers: Signers<'_>) -> BTreeMap<String, String> {
    let keys = signers.keyids().iter().filter_map(|id| signers.key(id));
    keys.map(|key| (format!("{role} {}", key.id()), format!("key of {role}: {}", key_text(key)))).collect()
}

fn channels(delegations: &Delegations) -> BTreeMap<String, String> {
    let all = delegations.channels().filter_map(|channel| Some((channel, delegations.signers(channel)?)));
    all.map(|(channel, signers)| {
        let ids: Vec<&str> = signers.keyids().iter().map(spindrift_trust::KeyId::as_str).collect();
        let text = format!("channel {channel} signed by {} of {}", signers.threshold(), ids.join(", "));
        (format!("channel {channel}"), text)
    })
    .collect()
}

fn files(list: &TargetsRole) -> BTreeMap<String, String> {
    list.targets().iter().map(|(name, file)| (name.to_string(), file_text(name, file))).collect()
}

pub(crate) fn file_text(name: &TargetName, file: &TargetFile) -> String {
    let custom = file.custom();
    let place = [
        custom.channel.as_ref().map(ToString::to_string),
        custom.platform.as_ref().map(ToString::to_string),
        custom.arch.as_ref().map(ToString::to_string),
        Some(custom.package.to_string()),
    ];
    let place: Vec<String> = place.into_iter().flatten().collect();
    format!(
        "{} {} ({}) {name} sha256 {}",
        custom.version,
        place.join("/"),
        bytes(file.length()),
        file.sha256()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::test_world::{file, list, public, root, root_of};

    #[test]
    fn nothing_but_the_end_changes_in_a_renewal() {
        let difference = root_difference(Some(&root(1)), &root(2));
        assert_eq!(difference, Difference::default());
    }

    #[test]
    fn keys_that_come_and_go_are_shown_with_their_whole_ids() {
        let new = root_of(2, (&[1, 4], 2), &[3]);
        let difference = root_difference(Some(&root(1)), &new);
        assert_eq!(difference.added, [format!("key of root: ed25519 {}", public(4).id())]);
        assert_eq!(difference.removed, [format!("key of root: ed25519 {}", public(2).id())]);
        assert_eq!(difference.changed, ["signatures needed for root: 2 (was: 1)"]);
        assert_eq!(root_difference(None, &new).added.len(), 4 + 4);
    }

    #[test]
    fn files_that_come_go_and_change_are_shown() {
        let old = list(5, &[file("1.0.0", "beta", 1), file("1.1.0", "beta", 2)]);
        let new = list(6, &[file("1.1.0", "beta", 3), file("1.2.0", "beta", 4)]);
        let difference = list_difference(Some(&old), &new);
        let has = |lines: &[String], text: &str| lines.len() == 1 && lines[0].contains(text);
        assert!(has(&difference.added, "1.2.0 beta/linux/amd64/deb (7 B) ada/notes/beta"), "{difference:?}");
        assert!(has(&difference.removed, "1.0.0 "), "{difference:?}");
        assert!(has(&difference.changed, "(was: 1.1.0 "), "{difference:?}");
        assert!(difference.as_text().starts_with("  + 1.2.0"));
    }
}
