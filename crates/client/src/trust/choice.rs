//! Selects the target for an offer.

use spindrift_core::{Package, Version};

use super::TrustError;
use super::listing::{ListedTarget, TargetDescription};

/// The files that may be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TargetScope {
    /// `{owner}/{app}`.
    pub(super) repository: String,
    /// The installed copy's own channel, then others that it accepts. `None`: the application uses none.
    pub(super) channels: Vec<Option<String>>,
    /// `None`, as for `arch`: the application uses none.
    pub(super) platform: Option<String>,
    pub(super) arch: Option<String>,
}

impl TargetScope {
    /// Whether it contains a file of this kind.
    pub(super) fn contains(&self, custom: &TargetDescription) -> bool {
        self.channels.contains(&custom.channel) && self.contains_but_for_channel(custom)
    }

    fn contains_but_for_channel(&self, custom: &TargetDescription) -> bool {
        custom.repository == self.repository && custom.platform == self.platform && custom.arch == self.arch
    }
}

/// The files of this version and package, in the first of the scope's channels that has any: one, or several
/// of a package of which a release may have several.
pub(super) fn choose<'a>(
    listed: &'a [ListedTarget],
    scope: &TargetScope,
    version: &Version,
    package: &Package,
) -> Result<Vec<&'a ListedTarget>, TrustError> {
    let of_version: Vec<_> = listed.iter().filter(|listed| listed.custom.version == *version).collect();
    let fits =
        |custom: &TargetDescription| scope.contains_but_for_channel(custom) && custom.package == *package;
    for channel in &scope.channels {
        let of_channel = of_version.iter().copied();
        let chosen: Vec<_> = of_channel.filter(|l| l.custom.channel == *channel && fits(&l.custom)).collect();
        if chosen.len() > 1 && !package.may_repeat() {
            return Err(ambiguous(version, package));
        }
        if !chosen.is_empty() {
            return Ok(chosen);
        }
    }
    let version = version.to_string();
    if of_version.is_empty() {
        return Err(TrustError::NotListed { version });
    }
    Err(TrustError::OtherScope { version, package: package.to_string() })
}

/// The only chosen target. It is an error if there are several.
pub(super) fn only_target<'a>(
    chosen: &[&'a ListedTarget],
    version: &Version,
    package: &Package,
) -> Result<&'a ListedTarget, TrustError> {
    match chosen {
        [one] => Ok(one),
        _ => Err(ambiguous(version, package)),
    }
}

fn ambiguous(version: &Version, package: &Package) -> TrustError {
    TrustError::Ambiguous { version: version.to_string(), package: package.to_string() }
}

#[cfg(test)]
mod tests;
