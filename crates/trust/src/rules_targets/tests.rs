use spindrift_core::Sha256Hex;

use super::*;
use crate::test_world::{NOW, file, files, head, name, online, public, service, targets};
use crate::{Lifetime, NewSigners, TargetCustom};

fn rules<'a>(recorded: &'a TargetFiles, service: &'a ServiceKeyIds) -> TargetsRules<'a> {
    let current = MetadataVersion::from_number(5);
    TargetsRules { signer: TargetsSigner::Publisher, service, current, recorded, now: NOW }
}

fn check(targets: &TargetsRole, recorded: &TargetFiles) -> Result<(), TrustError> {
    check_targets(targets, &rules(recorded, &service()))
}

fn refused(fault: &'static str) -> Result<(), TrustError> {
    Err(TrustError::Targets(fault.into()))
}

#[test]
fn versions_rise_and_stay_near_the_clock() {
    let second = u64::try_from(NOW.as_seconds()).unwrap();
    for (version, expected) in [
        (4, refused("version")),
        (5, refused("version")),
        (6, Ok(())),
        (second, Ok(())),
        (second + 86_400, Ok(())),
        (second + 86_401, refused("version")),
        ((1 << 53) - 1, refused("version")),
    ] {
        assert_eq!(check(&targets(version, &[], &[]), &TargetFiles::new()), expected, "{version}");
    }
    let (recorded, service) = (TargetFiles::new(), service());
    let first = TargetsRules { current: None, ..rules(&recorded, &service) };
    assert_eq!(check_targets(&targets(1, &[], &[]), &first), Ok(()));
}

#[test]
fn ends() {
    for (days, expected) in [(1, Ok(())), (730, Ok(())), (731, refused("expires"))] {
        let role = TargetsRole::new(head(6, days), TargetFiles::new(), None).unwrap();
        assert_eq!(check(&role, &TargetFiles::new()), expected, "{days}");
    }
    let mut head = head(6, 1);
    head.expires = crate::Expires::after(Lifetime::from_days(1).unwrap(), NOW.plus_seconds(-1));
    let role = TargetsRole::new(head, TargetFiles::new(), None).unwrap();
    assert_eq!(check(&role, &TargetFiles::new()), refused("expires"));
}

#[test]
fn files_are_those_on_record() {
    let beta = file("beta");
    let sha256 = |byte: &str| byte.repeat(32).parse::<Sha256Hex>().unwrap();
    let other =
        |length, sha256, custom| TargetFile::new(length, sha256, beta.sha512().clone(), custom).unwrap();
    let custom = TargetCustom { version: "1.2.4".parse().unwrap(), ..beta.custom().clone() };
    let same = beta.custom().clone();
    let listed = targets(6, &["beta", "stable"], &[]);
    let with = |file: Option<TargetFile>| {
        let mut recorded = files(&["stable", "unlisted"]);
        recorded.extend(file.map(|file| (name("beta"), file)));
        check(&listed, &recorded)
    };
    assert_eq!(with(Some(beta.clone())), Ok(()));
    for (recorded, fault) in [
        (None, "not recorded"),
        (Some(other(8, sha256("0a"), same.clone())), "length"),
        (Some(other(7, sha256("0c"), same)), "digests"),
        (Some(other(7, sha256("0a"), custom)), "custom"),
    ] {
        let text = format!("invalid targets: {fault}: ada/notes/beta/linux/amd64/notes-1.2.3.deb");
        assert_eq!(with(recorded).unwrap_err().to_string(), text);
    }
}

#[test]
fn a_channel_with_signers_lists_its_own_files() {
    let recorded = files(&["beta", "stable"]);
    assert_eq!(check(&targets(6, &["stable"], &["beta"]), &recorded), Ok(()));
    let both = check(&targets(6, &["beta", "stable"], &["beta"]), &recorded).unwrap_err();
    assert!(both.to_string().starts_with("invalid targets: of another role: ada/notes/beta/"), "{both}");

    let (beta, service) = ("beta".parse().unwrap(), service());
    let delegations = targets(6, &[], &["beta"]).delegations().unwrap().clone();
    let check =
        |role: &TargetsRole| check_channel_targets(role, &beta, &delegations, &rules(&recorded, &service));
    assert_eq!(check(&targets(6, &["beta"], &[])), Ok(()));
    assert_eq!(check(&targets(5, &["beta"], &[])), refused("version"));
    assert_eq!(check(&targets(6, &[], &["stable"])), refused("delegations of a channel"));
    let other = check(&targets(6, &["beta", "stable"], &[])).unwrap_err();
    assert!(other.to_string().starts_with("invalid targets: of another role: ada/notes/stable/"), "{other}");
}

#[test]
fn a_channel_lists_names_that_every_client_asks_it_for() {
    for (name, channels, is_listed) in [
        ("ada/notes/beta/linux/amd64/notes-1.2.3/x.nupkg", &["beta"][..], true),
        // Clients ask no role for it.
        ("ada/notes/stable/linux/amd64/notes-1.2.3.deb", &["beta"], false),
        ("velopack/ada/stable/1.2.3/beta/linux/amd64/x.nupkg", &["beta"], true),
        // Some clients ask the other channel's role.
        ("velopack/ada/stable/1.2.3/beta/linux/amd64/x.nupkg", &["beta", "stable"], false),
    ] {
        let name: TargetName = name.parse().unwrap();
        let recorded = TargetFiles::from([(name, file("beta"))]);
        let role = TargetsRole::new(head(6, 365), recorded.clone(), None).unwrap();
        let delegations = targets(6, &[], channels).delegations().unwrap().clone();
        let (beta, service) = ("beta".parse().unwrap(), service());
        let checked = check_channel_targets(&role, &beta, &delegations, &rules(&recorded, &service));
        let fault = checked.as_ref().map_err(ToString::to_string);
        assert_eq!(fault.is_ok(), is_listed, "{fault:?}");
        assert!(is_listed || fault.unwrap_err().starts_with("invalid targets: of another role: "));
        assert_eq!(check(&role, &recorded), Ok(()));
    }
}

#[test]
fn delegations_are_the_publishers() {
    let (recorded, service) = (TargetFiles::new(), service());
    let role = targets(6, &[], &["beta"]);
    assert_eq!(check_targets(&role, &rules(&recorded, &service)), Ok(()));
    let by_service = TargetsRules { signer: TargetsSigner::Service, ..rules(&recorded, &service) };
    let fault = "channels have signers only where the publisher signs";
    assert_eq!(check_targets(&role, &by_service), refused(fault));
    assert_eq!(check_targets(&targets(6, &[], &[]), &by_service), Ok(()));
    for key in [online(1), online(2)] {
        let beta = ("beta".parse().unwrap(), NewSigners::new(vec![public(4), key], 1));
        let role = TargetsRole::new(head(6, 365), TargetFiles::new(), Delegations::new(vec![beta])).unwrap();
        assert_eq!(check(&role, &recorded), refused("a key of the service in delegations"));
    }
}
