//! Test fixtures for this folder: keys, roots and lists of ada's `notes`.

use spindrift_core::Timestamp;
use spindrift_trust::{
    Delegations, Expires, Head, Lifetime, MetadataVersion, NewSigners, PublicKey, RootRole, SigningKey,
    TargetCustom, TargetFile, TargetName, TargetsRole,
};

/// 2026-11-21T01:43:42Z.
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

/// The offline key with this number.
pub(super) fn key(number: u8) -> SigningKey {
    SigningKey::from_seed([number; 32]).unwrap()
}

pub(super) fn public(number: u8) -> PublicKey {
    key(number).public().clone()
}

/// The service's key of a generation.
pub(super) fn online_key(generation: u8) -> SigningKey {
    key(100 + generation)
}

pub(super) fn online(generation: u8) -> PublicKey {
    online_key(generation).public().clone()
}

pub(super) fn head(version: u64, days: u16) -> Head {
    Head {
        version: MetadataVersion::from_number(version).unwrap(),
        expires: Expires::after(Lifetime::from_days(days).unwrap(), NOW),
    }
}

fn head_until(version: u64, expires: &str) -> Head {
    Head { expires: expires.parse().unwrap(), ..head(version, 1) }
}

/// A root with root keys 1 and 2, of which one must sign, and the publisher's key 3.
pub(super) fn root(version: u64) -> RootRole {
    root_of(version, (&[1, 2], 1), &[3])
}

pub(super) fn root_of(version: u64, root: (&[u8], usize), targets: &[u8]) -> RootRole {
    root_with(head(version, 730), root, targets)
}

pub(super) fn root_until(version: u64, expires: &str) -> RootRole {
    root_with(head_until(version, expires), (&[1, 2], 1), &[3])
}

fn root_with(head: Head, (root, threshold): (&[u8], usize), targets: &[u8]) -> RootRole {
    let keys = |numbers: &[u8]| numbers.iter().map(|number| public(*number)).collect::<Vec<_>>();
    RootRole::new(head, NewSigners::new(keys(root), threshold), NewSigners::new(keys(targets), 1), online(1))
        .unwrap()
}

/// A file of ada's `notes` for Linux, with digests derived from `content`.
pub(super) fn file(version: &str, channel: &str, content: u8) -> (TargetName, TargetFile) {
    let name = format!("ada/notes/{channel}/linux/amd64/notes-{version}.deb").parse().unwrap();
    (name, described("ada/notes", version, channel, content))
}

/// A file whose metadata may be false.
pub(super) fn named(
    name: &TargetName,
    repository: &str,
    version: &str,
    channel: &str,
) -> (TargetName, TargetFile) {
    (name.clone(), described(repository, version, channel, 7))
}

fn described(repository: &str, version: &str, channel: &str, content: u8) -> TargetFile {
    let custom = TargetCustom {
        repository: repository.parse().unwrap(),
        version: version.parse().unwrap(),
        channel: Some(channel.parse().unwrap()),
        platform: Some("linux".parse().unwrap()),
        arch: Some("amd64".parse().unwrap()),
        package: "deb".parse().unwrap(),
    };
    let digest = |length| format!("{content:02x}").repeat(length);
    TargetFile::new(7, digest(32).parse().unwrap(), digest(64).parse().unwrap(), custom).unwrap()
}

pub(super) fn list(version: u64, files: &[(TargetName, TargetFile)]) -> TargetsRole {
    list_with(head(version, 365), files, None)
}

pub(super) fn list_until(version: u64, expires: &str, files: &[(TargetName, TargetFile)]) -> TargetsRole {
    list_with(head_until(version, expires), files, None)
}

pub(super) fn list_with(
    head: Head,
    files: &[(TargetName, TargetFile)],
    delegations: Option<Delegations>,
) -> TargetsRole {
    TargetsRole::new(head, files.iter().cloned().collect(), delegations).unwrap()
}
