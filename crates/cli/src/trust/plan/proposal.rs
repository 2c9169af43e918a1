//! Rejects bad proposals before a signer sees them. A compromised service may propose anything.

use spindrift_core::{ChannelName, Timestamp};
use spindrift_trust::{
    MetadataVersion, RepositoryName, Role as _, RootRole, TargetFile, TargetName, TargetsRole,
};

use super::naming::Naming;
use super::revoked::RevokedFiles;
use crate::error::CliError;

/// The rules for a proposed list.
#[derive(Debug)]
pub(crate) struct ListRules<'a> {
    pub(crate) repository: &'a RepositoryName,
    pub(crate) naming: &'a Naming,
    pub(crate) revoked: &'a RevokedFiles,
    /// `None`: the list of targets.
    pub(crate) channel: Option<&'a ChannelName>,
    /// The verified current list of the role. `None`: there is none.
    pub(crate) current: Option<&'a TargetsRole>,
    pub(crate) now: Timestamp,
}

/// Checks a proposed root that follows `current`, or is the first.
pub(crate) fn check_next_root(
    proposed: &RootRole,
    current: Option<&RootRole>,
    now: Timestamp,
) -> Result<(), CliError> {
    let next = current.map_or(Some(MetadataVersion::FIRST), |current| current.head().version.following());
    if next != Some(proposed.head().version) {
        return refused(format!("root {} does not follow the current one", proposed.head().version));
    }
    if proposed.head().expires.is_expired(now) {
        return refused(format!("root {} has already expired", proposed.head().version));
    }
    Ok(())
}

pub(crate) fn check_list(proposed: &TargetsRole, rules: &ListRules<'_>) -> Result<(), CliError> {
    let head = proposed.head();
    if rules.current.is_some_and(|current| head.version <= current.head().version) {
        return refused(format!("list {} is not newer than the current one", head.version));
    }
    if head.version.is_far_ahead(rules.now) {
        return refused(format!("list {} is too far ahead of the clock", head.version));
    }
    if head.expires.is_expired(rules.now) {
        return refused(format!("list {} has already expired", head.version));
    }
    if rules.channel.is_some() && proposed.delegations().is_some() {
        return refused("a channel's list appoints signers".to_owned());
    }
    proposed.targets().iter().try_for_each(|(name, file)| check_file(name, file, rules))
}

/// Checks a file before it is signed.
pub(crate) fn check_file(
    name: &TargetName,
    file: &TargetFile,
    rules: &ListRules<'_>,
) -> Result<(), CliError> {
    let custom = file.custom();
    if rules.revoked.has(file) {
        return refused(format!("{name} is revoked"));
    }
    if custom.repository != *rules.repository {
        return refused(format!("{name} is a file of another application"));
    }
    if rules.channel.is_some_and(|channel| custom.channel.as_ref() != Some(channel)) {
        return refused(format!("{name} is a file of another channel"));
    }
    let is_signed_already = rules.current.is_some_and(|current| current.targets().get(name) == Some(file));
    if !is_signed_already && !rules.naming.fits(name, custom) {
        return refused(format!("{name} does not match what the list says about it"));
    }
    Ok(())
}

fn refused(what: String) -> Result<(), CliError> {
    Err(CliError::Untrusted(what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::test_world::{NOW, file, list, list_until, named, root, root_until};

    fn told(proposed: &TargetsRole, channel: Option<&str>, revoked: &[(TargetName, TargetFile)]) -> String {
        let repository = "ada/notes".parse().unwrap();
        let current = list(1_795_225_000, &[file("1.0.0", "beta", 1)]);
        let channel = channel.map(|channel| channel.parse().unwrap());
        let mut gone = RevokedFiles::default();
        gone.add(revoked.iter().map(|(name, file)| (name, file)));
        let rules = ListRules {
            repository: &repository,
            naming: &Naming::of(&repository),
            revoked: &gone,
            channel: channel.as_ref(),
            current: Some(&current),
            now: NOW,
        };
        check_list(proposed, &rules).map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn hostile_lists_are_refused() {
        let (old, new) = (file("1.0.0", "beta", 1), file("1.1.0", "beta", 2));
        let (name, _) = new.clone();
        let version = 1_795_225_422;
        for (proposed, channel, text) in [
            (list(version, &[old.clone(), new.clone()]), None, "fine"),
            (list(version, std::slice::from_ref(&new)), None, "fine"),
            (list(version, std::slice::from_ref(&new)), Some("beta"), "fine"),
            (list(1_795_225_000, std::slice::from_ref(&old)), None, "not newer"),
            (list(1_795_224_999, std::slice::from_ref(&old)), None, "not newer"),
            (list(version + 90_000, std::slice::from_ref(&old)), None, "far ahead"),
            (
                list_until(version, "2026-11-21T01:43:42Z", std::slice::from_ref(&old)),
                None,
                "already expired",
            ),
            (list(version, &[named(&name, "ada/draw", "1.1.0", "beta")]), None, "another application"),
            (list(version, &[named(&name, "ada/notes", "1.2.0", "beta")]), None, "does not match"),
            (list(version, &[named(&name, "ada/notes", "1.1.0", "stable")]), None, "does not match"),
            (list(version, &[file("1.1.0", "stable", 2)]), Some("beta"), "another channel"),
        ] {
            let said = told(&proposed, channel, &[]);
            assert!(said.contains(text), "{text}: {said}");
        }
    }

    /// The same bytes, under another name and version.
    #[test]
    fn revoked_digests_do_not_come_back() {
        let revoked = file("0.9.0", "beta", 2);
        let proposed = list(1_795_225_422, &[file("1.1.0", "beta", 2)]);
        assert!(told(&proposed, None, &[revoked]).contains("is revoked"));
    }

    #[test]
    fn roots_follow_each_other() {
        for (version, current, is_fine) in
            [(1, None, true), (2, None, false), (3, Some(2), true), (4, Some(2), false), (2, Some(2), false)]
        {
            let checked = check_next_root(&root(version), current.map(root).as_ref(), NOW);
            assert_eq!(checked.is_ok(), is_fine, "{version} {current:?}");
        }
        assert!(check_next_root(&root_until(1, "2026-11-21T01:43:42Z"), None, NOW).is_err());
    }
}
