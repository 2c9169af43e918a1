//! Tables of files that stay listed.

use super::*;
use crate::trust::test_world::file;

/// Files of a channel by version, each with different content.
fn files(channel: &str, versions: &[&str]) -> TargetFiles {
    let one = |version: &&str| file(version, channel, version.bytes().map(|b| b % 7).sum());
    versions.iter().map(one).collect()
}

fn versions(files: &TargetFiles) -> Vec<String> {
    files.values().map(|file| file.custom().version.to_string()).collect()
}

fn names(files: &TargetFiles) -> BTreeSet<TargetName> {
    files.keys().cloned().collect()
}

#[test]
fn newest_and_needed_stay() {
    for (keep, needed, listed, dropped) in [
        (5, &[][..], &["1.0.0", "1.1.0", "1.2.0", "1.3.0"][..], &[][..]),
        (2, &[], &["1.2.0", "1.3.0"], &["1.0.0", "1.1.0"]),
        (2, &["1.0.0"], &["1.0.0", "1.2.0", "1.3.0"], &["1.1.0"]),
        (1, &[], &["1.3.0"], &["1.0.0", "1.1.0", "1.2.0"]),
        (0, &[], &["1.0.0", "1.1.0", "1.2.0", "1.3.0"], &[]),
    ] {
        let current = files("beta", &["1.0.0", "1.1.0", "1.2.0"]);
        let retention = Retention {
            keep: KeepCount::from_number(keep).unwrap(),
            recorded: &names(&current),
            needed: &names(&files("beta", needed)),
            revoked: &RevokedFiles::default(),
        };
        let next = next_targets(&current, &files("beta", &["1.3.0"]), &retention).unwrap();
        assert_eq!(versions(&next.files), listed, "{keep} {needed:?}");
        assert_eq!(
            next.dropped,
            names(&files("beta", dropped)).into_iter().map(|name| (name, DropReason::Old)).collect(),
            "{keep} {needed:?}"
        );
    }
}

#[test]
fn each_channel_keeps_its_own() {
    let mut current = files("beta", &["2.0.0", "2.1.0"]);
    current.extend(files("stable", &["1.0.0"]));
    let retention = Retention {
        keep: KeepCount::from_number(1).unwrap(),
        recorded: &names(&current),
        needed: &BTreeSet::new(),
        revoked: &RevokedFiles::default(),
    };
    let next = next_targets(&current, &files("stable", &["1.1.0"]), &retention).unwrap();
    assert_eq!(versions(&next.files), ["2.1.0", "1.1.0"]);
}

/// Files that are being published are signed, even those of an older version.
#[test]
fn what_is_added_stays() {
    let current = files("beta", &["2.0.0"]);
    let retention = Retention {
        keep: KeepCount::from_number(1).unwrap(),
        recorded: &names(&current),
        needed: &BTreeSet::new(),
        revoked: &RevokedFiles::default(),
    };
    let next = next_targets(&current, &files("beta", &["1.0.0"]), &retention).unwrap();
    assert_eq!(versions(&next.files), ["1.0.0", "2.0.0"]);
    assert!(next.dropped.is_empty());
}

#[test]
fn deleted_and_revoked_files_go() {
    let current = files("beta", &["1.0.0", "1.1.0", "1.2.0"]);
    let mut revoked = RevokedFiles::default();
    assert!(revoked.add(&files("beta", &["1.1.0"])));
    assert!(!revoked.add(&files("beta", &["1.1.0"])));
    let recorded = names(&files("beta", &["1.1.0", "1.2.0"]));
    let retention = Retention {
        keep: KeepCount::DEFAULT,
        recorded: &recorded,
        needed: &names(&current),
        revoked: &revoked,
    };
    let next = next_targets(&current, &TargetFiles::new(), &retention).unwrap();
    assert_eq!(versions(&next.files), ["1.2.0"]);
    assert_eq!(next.dropped.values().collect::<Vec<_>>(), [&DropReason::Deleted, &DropReason::Revoked]);
    // The same bytes under another name.
    let again = files("beta", &["1.1.0"]).into_values().next().unwrap();
    let name: TargetName = "ada/notes/beta/linux/amd64/notes-1.4.0.deb".parse().unwrap();
    assert_eq!(next_targets(&current, &[(name.clone(), again)].into(), &retention), Err(name));
}
