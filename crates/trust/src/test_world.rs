//! Shared by the tests of this crate.

use spindrift_core::{Id, Timestamp};

use crate::{
    Delegations, Generation, Generations, Head, Lifetime, MetadataVersion, NewSigners, PublicKey, Purpose,
    Role, RootRole, Secrets, ServiceKeyIds, ServiceKeys, Signed, SigningKey, TargetCustom, TargetFile,
    TargetFiles, TargetName, TargetsRole, TrustError,
};

/// 2026-11-21T01:43:42Z.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

/// A person's key.
pub(crate) fn key(number: u8) -> SigningKey {
    SigningKey::from_seed([number; 32]).unwrap()
}

pub(crate) fn public(number: u8) -> PublicKey {
    key(number).public().clone()
}

pub(crate) fn head(version: u64, days: u16) -> Head {
    Head {
        version: MetadataVersion::from_number(version).unwrap(),
        expires: crate::Expires::after(Lifetime::from_days(days).unwrap(), NOW),
    }
}

fn secrets() -> Secrets {
    "0123456789abcdef0123456789abcdef".parse().unwrap()
}

pub(crate) fn service_key(purpose: Purpose, generation: u32) -> SigningKey {
    let (secrets, app) = (secrets(), Id::from_text("app"));
    let generation = Generation::from_number(generation).unwrap();
    ServiceKeys::new(&secrets, &app).derive(purpose, generation).unwrap()
}

pub(crate) fn online(generation: u32) -> PublicKey {
    service_key(Purpose::Online, generation).public().clone()
}

/// The ids of the service's keys in the first generation.
pub(crate) fn service() -> ServiceKeyIds {
    ServiceKeys::new(&secrets(), &Id::from_text("app")).ids(Generations::FIRST).unwrap()
}

/// A root with root keys 1 and 2, and the publisher's key 3 for targets.
pub(crate) fn root(version: u64) -> RootRole {
    RootRole::new(
        head(version, 730),
        NewSigners::new(vec![public(1), public(2)], 1),
        NewSigners::new(vec![public(3)], 1),
        online(1),
    )
    .unwrap()
}

pub(crate) fn signed<R: Role>(role: R, keys: &[SigningKey]) -> Signed<R> {
    let mut signed = Signed::unsigned(role);
    signed.sign(keys).unwrap();
    signed
}

/// A file of Ada's application `notes` in this channel.
pub(crate) fn file(channel: &str) -> TargetFile {
    let custom = TargetCustom {
        repository: "ada/notes".parse().unwrap(),
        version: "1.2.3".parse().unwrap(),
        channel: Some(channel.parse().unwrap()),
        platform: Some("linux".parse().unwrap()),
        arch: Some("amd64".parse().unwrap()),
        package: "deb".parse().unwrap(),
    };
    TargetFile::new(7, "0a".repeat(32).parse().unwrap(), "0b".repeat(64).parse().unwrap(), custom).unwrap()
}

/// The name of [`file`].
pub(crate) fn name(channel: &str) -> TargetName {
    format!("ada/notes/{channel}/linux/amd64/notes-1.2.3.deb").parse().unwrap()
}

pub(crate) fn files(channels: &[&str]) -> TargetFiles {
    channels.iter().map(|channel| (name(channel), file(channel))).collect()
}

/// Targets with a file of each of `channels`, in which those in `delegated` have signers of their own (key
/// 4).
pub(crate) fn targets(version: u64, channels: &[&str], delegated: &[&str]) -> TargetsRole {
    let roles = delegated
        .iter()
        .map(|channel| (channel.parse().unwrap(), NewSigners::new(vec![public(4)], 1)))
        .collect();
    let delegations = (!delegated.is_empty()).then(|| Delegations::new(roles).unwrap());
    TargetsRole::new(head(version, 365), files(channels), delegations).unwrap()
}

/// Writes a file, replaces the first `from` in it with `to`, and reads it again.
pub(crate) fn reread<R: Role + Clone>(role: R, from: &str, to: &str) -> Result<R, TrustError> {
    let text = String::from_utf8(Signed::unsigned(role).to_bytes().unwrap()).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    Signed::<R>::read(text.replacen(from, to, 1).as_bytes()).map(|signed| signed.role().clone())
}
