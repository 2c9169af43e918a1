//! The existing names, for recognising a scope with an unknown name without the database.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Scope;
use super::dimension::UNUSED;
use crate::Timestamp;

/// The kind of an item with a name. Unknown names are reported in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NameKind {
    /// An admin, who owns applications.
    Owner,
    /// An application.
    App,
    /// A release channel.
    Channel,
    /// A platform.
    Platform,
    /// An architecture.
    Arch,
}

impl NameKind {
    /// The kind as written in error texts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::App => "application",
            Self::Channel => "channel",
            Self::Platform => "platform",
            Self::Arch => "arch",
        }
    }
}

/// The names of all owners, or those of one owner's items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownNames {
    /// When they were read from the database.
    pub derived_at: Timestamp,
    /// The names. `None`: too many to store.
    pub names: Option<BTreeSet<(NameKind, String)>>,
}

impl KnownNames {
    /// Whether the names are complete, and do not include the scope's owner.
    pub fn lack_owner(&self, scope: &Scope) -> bool {
        let owner = (NameKind::Owner, scope.owner.as_str().to_owned());
        self.names.as_ref().is_some_and(|names| !names.contains(&owner))
    }

    /// The first unknown name of the scope. `None`: all are known, or only the database can resolve
    /// the scope, because it omits a dimension that the owner has.
    pub fn first_unknown(&self, scope: &Scope) -> Option<NameKind> {
        let names = self.names.as_ref()?;
        let has = |kind, name: &str| names.contains(&(kind, name.to_owned()));
        if !has(NameKind::App, scope.app.as_str()) {
            return Some(NameKind::App);
        }
        for (kind, name) in
            [NameKind::Channel, NameKind::Platform, NameKind::Arch].into_iter().zip(scope.dimensions())
        {
            match name.filter(|name| *name != UNUSED) {
                Some(name) if !has(kind, name) => return Some(kind),
                None if names.iter().any(|(known, _)| *known == kind) => return None,
                Some(_) | None => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(owner: &str, app: &str, dimensions: [&str; 3]) -> Scope {
        let [channel, platform, arch] = dimensions.map(|name| Some(name).filter(|name| !name.is_empty()));
        Scope {
            owner: owner.parse().unwrap(),
            app: app.parse().unwrap(),
            channel: channel.map(|name| name.parse().unwrap()),
            platform: platform.map(|name| name.parse().unwrap()),
            arch: arch.map(|name| name.parse().unwrap()),
        }
    }

    fn known(names: &[(NameKind, &str)]) -> KnownNames {
        let names = names.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect();
        KnownNames { derived_at: Timestamp::default(), names: Some(names) }
    }

    #[test]
    fn the_first_unknown_name_is_reported() {
        use NameKind::{App, Arch, Channel, Platform};
        let all = known(&[(App, "a"), (Channel, "c"), (Platform, "p"), (Arch, "h")]);
        let no_channels = known(&[(App, "a"), (Platform, "p"), (Arch, "h")]);
        for (names, app, dimensions, unknown) in [
            (&all, "a", ["c", "p", "h"], None),
            (&all, "c", ["x", "x", "x"], Some(App)),
            (&all, "a", ["p", "x", "x"], Some(Channel)),
            (&all, "a", ["c", "x", "x"], Some(Platform)),
            (&all, "a", ["c", "p", "x"], Some(Arch)),
            // The meaning of an omitted dimension depends on more than names.
            (&all, "a", ["", "x", "x"], None),
            (&all, "a", ["default", "x", "x"], None),
            (&all, "a", ["c", "", "x"], None),
            (&no_channels, "a", ["", "x", "h"], Some(Platform)),
            (&no_channels, "a", ["default", "p", "x"], Some(Arch)),
            (&no_channels, "a", ["c", "p", "h"], Some(Channel)),
            (&no_channels, "a", ["", "p", ""], None),
        ] {
            assert_eq!(names.first_unknown(&scope("o", app, dimensions)), unknown, "{app} {dimensions:?}");
        }
    }

    #[test]
    fn owners_are_told_apart_from_other_names() {
        let names = known(&[(NameKind::Owner, "o"), (NameKind::App, "a")]);
        assert!(!names.lack_owner(&scope("o", "x", [""; 3])));
        assert!(names.lack_owner(&scope("a", "x", [""; 3])));
    }

    #[test]
    fn too_many_names_lack_nothing() {
        let names = KnownNames { derived_at: Timestamp::default(), names: None };
        assert!(!names.lack_owner(&scope("o", "a", ["c"; 3])));
        assert_eq!(names.first_unknown(&scope("o", "a", ["c"; 3])), None);
    }
}
