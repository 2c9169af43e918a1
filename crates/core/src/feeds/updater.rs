//! Updaters: how the clients of a platform check, and the format of the answer.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::feeds::feed_formats;

/// The updater does not exist, or the platform does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("updater not supported")]
pub struct UnsupportedUpdater;

macro_rules! updaters {
    ($($(#[$doc:meta])* $name:ident $word:literal in $folder:ident,)+) => {
        /// The update client that an application is built with.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum Updater {
            $($(#[$doc])* $name,)+
        }

        impl Updater {
            /// All updaters.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$name),+];

            /// The text form in requests, answers and storage.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }
        }
    };
}

feed_formats!(updaters);

impl Updater {
    /// The page of the documentation that says how its clients send a device id and failures.
    pub const fn kit_guide(self) -> &'static str {
        match self {
            Self::Manual | Self::SquirrelDarwin | Self::SquirrelWindows | Self::ElectronBuilder => {
                "docs/kits.md"
            }
            Self::Tauri => "docs/updaters/tauri.md",
            Self::Velopack => "docs/updaters/velopack.md",
            Self::Sparkle => "docs/updaters/sparkle.md",
        }
    }
}

impl FromStr for Updater {
    type Err = UnsupportedUpdater;

    fn from_str(text: &str) -> Result<Self, UnsupportedUpdater> {
        Self::ALL.into_iter().find(|updater| updater.as_str() == text).ok_or(UnsupportedUpdater)
    }
}

impl TryFrom<String> for Updater {
    type Error = UnsupportedUpdater;

    fn try_from(text: String) -> Result<Self, UnsupportedUpdater> {
        text.parse()
    }
}

impl From<Updater> for String {
    fn from(updater: Updater) -> Self {
        updater.as_str().to_owned()
    }
}

impl fmt::Display for Updater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One entry of a platform's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct PlatformUpdater {
    /// The updater.
    #[serde(rename = "type")]
    pub updater: Updater,
    /// Whether this is the updater of clients that name none.
    #[serde(default)]
    pub default: bool,
}

/// Why a list of updaters is invalid for a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUpdaters {
    /// An updater is listed twice.
    #[error("duplicate updater")]
    Duplicate,
    /// More than one entry is flagged as the default.
    #[error("more than one default updater")]
    SeveralDefaults,
    /// No updater would be left.
    #[error("a platform has at least one updater")]
    NoneLeft,
}

/// The updaters of one platform, in the given order: at least one, without duplicates, at most one
/// flagged as the default. In JSON (requests and storage) an array of `{"type", "default"}`.
///
/// An empty list means just `manual`. A list of other updaters does not imply `manual`: a client
/// that requests it gets the error that the platform does not support it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<PlatformUpdater>", into = "Vec<PlatformUpdater>")]
pub struct PlatformUpdaters(Vec<PlatformUpdater>);

impl Default for PlatformUpdaters {
    /// Just `manual`: for platforms created without a list, and for scopes without a platform.
    fn default() -> Self {
        Self(vec![PlatformUpdater { updater: Updater::Manual, default: true }])
    }
}

impl PlatformUpdaters {
    /// Validates a list.
    pub fn new(list: Vec<PlatformUpdater>) -> Result<Self, InvalidUpdaters> {
        if list.is_empty() {
            return Ok(Self::default());
        }
        let is_duplicate =
            |(i, entry): (usize, &PlatformUpdater)| list.iter().take(i).any(|e| e.updater == entry.updater);
        if list.iter().enumerate().any(is_duplicate) {
            return Err(InvalidUpdaters::Duplicate);
        }
        if list.iter().filter(|entry| entry.default).count() > 1 {
            return Err(InvalidUpdaters::SeveralDefaults);
        }
        Ok(Self(list))
    }

    /// The list without `removed` and with `added`, which may already be present. Copies that name
    /// no updater keep theirs, unless it is removed or one of `added` is flagged as the default.
    pub fn with(&self, added: &[PlatformUpdater], removed: &[Updater]) -> Result<Self, InvalidUpdaters> {
        if added.iter().filter(|entry| entry.default).count() > 1 {
            return Err(InvalidUpdaters::SeveralDefaults);
        }
        let mut list = self.0.clone();
        list.retain(|entry| !removed.contains(&entry.updater));
        for entry in added {
            for other in &mut list {
                other.default &= !entry.default;
            }
            match list.iter_mut().find(|other| other.updater == entry.updater) {
                Some(same) => same.default |= entry.default,
                None => list.push(*entry),
            }
        }
        if list.is_empty() {
            return Err(InvalidUpdaters::NoneLeft);
        }
        let new = Self::new(list)?;
        Ok(new.keeping_default(self.default_updater()))
    }

    /// Flags `default` if the list contains it, has no flag, and would otherwise have another
    /// default.
    fn keeping_default(mut self, default: Updater) -> Self {
        let is_flagged = self.0.iter().any(|entry| entry.default);
        if !is_flagged && self.default_updater() != default {
            self.0.iter_mut().for_each(|entry| entry.default = entry.updater == default);
        }
        self
    }

    /// The entries as configured.
    pub fn entries(&self) -> &[PlatformUpdater] {
        &self.0
    }

    /// The updater for clients that name none: the flagged one, else `manual` if the platform has
    /// it, else the first.
    pub fn default_updater(&self) -> Updater {
        let flagged = self.0.iter().find(|entry| entry.default).map(|entry| entry.updater);
        let manual = || self.has(Updater::Manual).then_some(Updater::Manual);
        let first = || self.0.first().map(|entry| entry.updater);
        flagged.or_else(manual).or_else(first).unwrap_or(Updater::Manual)
    }

    /// Whether the platform has the updater.
    pub fn has(&self, updater: Updater) -> bool {
        self.0.iter().any(|entry| entry.updater == updater)
    }

    /// The updater that a request names. `None` and empty text mean the default. An alias shared by
    /// several updaters, such as `squirrel`, means the one that the platform has; if it has
    /// several, the default one or else the first.
    pub fn resolve(&self, requested: Option<&str>) -> Result<Updater, UnsupportedUpdater> {
        let updater = match requested {
            None | Some("") => return Ok(self.default_updater()),
            Some(text) => text.parse().ok().or_else(|| self.by_alias(text)).ok_or(UnsupportedUpdater)?,
        };
        if self.has(updater) { Ok(updater) } else { Err(UnsupportedUpdater) }
    }

    /// The updater whose answers are stored under a static path: the one in the path. Without a
    /// name (`None` or empty) it is the default one, or `manual` if the default one does not answer
    /// in JSON. `None`: no answer is stored there.
    pub fn resolve_static(&self, requested: Option<&str>) -> Option<Updater> {
        let requested = requested.filter(|name| !name.is_empty());
        let updater = self.resolve(requested).ok().filter(|updater| updater.answers_in_json());
        let manual = || (requested.is_none() && self.has(Updater::Manual)).then_some(Updater::Manual);
        updater.or_else(manual)
    }

    fn by_alias(&self, alias: &str) -> Option<Updater> {
        let all = self.0.iter().map(|entry| entry.updater);
        std::iter::once(self.default_updater())
            .chain(all)
            .find(|updater| updater.facts().alias == Some(alias))
    }
}

impl TryFrom<Vec<PlatformUpdater>> for PlatformUpdaters {
    type Error = InvalidUpdaters;

    fn try_from(list: Vec<PlatformUpdater>) -> Result<Self, InvalidUpdaters> {
        Self::new(list)
    }
}

impl From<PlatformUpdaters> for Vec<PlatformUpdater> {
    fn from(updaters: PlatformUpdaters) -> Self {
        updaters.0
    }
}

#[cfg(test)]
mod tests;
