//! The targets that verified metadata lists.

use std::collections::BTreeSet;
use std::ptr;

use serde::Deserialize;
use serde_json::Value;
use spindrift_core::{Package, Sha256Hex, Sha512Hex, Version};
use tough::schema::Targets;
use tough::{Repository, TargetName};

/// Begins the name of a channel's role.
const CHANNEL_ROLE: &str = "channel-";

/// The description of a file: `custom` of a target.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct TargetDescription {
    /// `{owner}/{app}`.
    pub(super) repository: String,
    pub(super) version: Version,
    /// `None`, as for the next two: the application uses none.
    pub(super) channel: Option<String>,
    pub(super) platform: Option<String>,
    pub(super) arch: Option<String>,
    pub(super) package: Package,
}

/// A target with the required signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedTarget {
    /// The path of its link.
    pub(super) name: String,
    pub(super) custom: TargetDescription,
    /// Bytes.
    pub(super) length: u64,
    pub(super) sha256: Sha256Hex,
    pub(super) sha512: Sha512Hex,
}

/// The targets of newer versions than the installed one, of any scope. Targets of another form are left out,
/// and so is an entry of a channel's signers for another channel: names bind them to their channel, but
/// checks go by `custom`.
pub(super) fn newer(repository: &Repository, installed: &Version) -> Vec<ListedTarget> {
    let is_newer = |custom: &TargetDescription| custom.version > *installed;
    let says = |target: &tough::schema::Target| custom_of(target).filter(is_newer);
    let names: BTreeSet<&TargetName> =
        repository.all_targets().filter(|(_, target)| says(target).is_some()).map(|(name, _)| name).collect();
    let targets = &repository.targets().signed;
    names
        .into_iter()
        .filter_map(|name| find(targets, name))
        .filter(|listed| is_newer(&listed.custom))
        .collect()
}

/// The target of a name. Several roles may list it; tough knows whose list counts.
fn find(targets: &Targets, name: &TargetName) -> Option<ListedTarget> {
    let target = targets.find_target(name, false).ok()?;
    let custom = custom_of(target)?;
    let is_it = |list: &Targets| list.targets.get(name).is_some_and(|listed| ptr::eq(listed, target));
    if !is_it(targets) {
        let mut roles = targets.delegations.iter().flat_map(|delegations| &delegations.roles);
        let role = roles.find(|role| role.targets.as_ref().is_some_and(|list| is_it(&list.signed)))?;
        if role.name.strip_prefix(CHANNEL_ROLE) != custom.channel.as_deref() {
            return None;
        }
    }
    Some(ListedTarget {
        name: name.raw().to_owned(),
        custom,
        length: target.length,
        sha256: base16ct::lower::encode_string(&target.hashes.sha256).parse().ok()?,
        sha512: target.hashes._extra.get("sha512")?.as_str()?.parse().ok()?,
    })
}

fn custom_of(target: &tough::schema::Target) -> Option<TargetDescription> {
    serde_json::from_value(Value::Object(target.custom.clone().into_iter().collect())).ok()
}
