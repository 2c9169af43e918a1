//! The second act: the publisher signs the list of files, and an installed copy trusts nobody else.

use std::time::SystemTime;

use base16ct::lower::encode_string as hex;
use http::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256, Sha512};
use spindrift_core::{FileName, Scope, Timestamp, Updater, Version, artifact_path};
use spindrift_trust::{
    Expires, Head, Lifetime, MetadataVersion, NewSigners, PublicKey, RepositoryName, Role, RootRole, Signed,
    SigningKey, SnapshotRole, TargetCustom, TargetFile, TargetName, TargetsRole, TimestampRole, TrustError,
};

use super::walk::{APP, ARCH, CHANNEL, FILE_NAME, OWNER, PLATFORM, Walk, file};
use crate::client::{call_error, send};
use crate::error::LocalError;
use crate::output::say;

const VERSION: &str = "1.2.0";
/// How long metadata signed offline is valid, in days.
const DAYS: u16 = 365;

/// The keys that never leave the publisher.
struct PublisherKeys {
    root: SigningKey,
    publisher: SigningKey,
}

/// Starts a repository, publishes a release, signs it, and verifies it as an installed copy does.
pub(super) async fn act(walk: &Walk) -> Result<(), LocalError> {
    let keys = PublisherKeys { root: new_key()?, publisher: new_key()? };
    walk.switch_tuf_on().await?;
    let root = start(walk, &keys).await?;
    let bytes = file(3);
    walk.publish(VERSION, "Provably ours.", &bytes).await?;
    if walk.check("1.1.0").await?.is_some() {
        return Err(call_error("check", "a release was offered that nobody has signed"));
    }
    sign(walk, &keys, &bytes).await?;
    let url = walk.wait_for_offer("1.1.0").await?;
    let listed = verify(walk, &root).await?;
    let answer = send(Method::GET, &url, &[], "").await?.ok("download")?;
    if listed != target(&answer.body)? {
        return Err(call_error("verify", "the bytes are not those that were signed"));
    }
    say!("Verified from the root that the copy was built with: length, SHA-256 and SHA-512 of {VERSION}");
    Ok(())
}

/// The equivalent of `spindrift trust init`, which keeps the keys in files.
async fn start(walk: &Walk, keys: &PublisherKeys) -> Result<RootRole, LocalError> {
    let state = walk.get_as_owner(&format!("/tuf/v1/bootstrap?appName={APP}")).await?;
    let online = online_key(&state).ok_or_else(|| call_error("bootstrap", &state))?;
    let head = head(MetadataVersion::FIRST)?;
    let alone = |key: &SigningKey| NewSigners::new(vec![key.public().clone()], 1);
    let root = RootRole::new(head, alone(&keys.root), alone(&keys.publisher), online)
        .ok_or_else(|| call_error("bootstrap", "keys"))?;
    let metadata = json!({
        "root": sign_role(root.clone(), &keys.root)?,
        "targets": sign_role(list(None)?, &keys.publisher)?,
    });
    walk.post_json("/tuf/v1/bootstrap", &json!({ "appName": APP, "metadata": metadata })).await?;
    say!(
        "POST /tuf/v1/bootstrap   -> signed metadata begins: the service holds neither of the two keys made here"
    );
    Ok(root)
}

/// The equivalent of `spindrift publish` with the publisher's key.
async fn sign(walk: &Walk, keys: &PublisherKeys, bytes: &[u8]) -> Result<(), LocalError> {
    let current = walk.get_as_owner(&format!("/tuf/v1/metadata/targets?appName={APP}")).await?;
    let base = current["data"]["trusted_targets"]["signed"]["version"].as_u64();
    let targets = list(Some((target_name()?, target(bytes)?)))?;
    let metadata = json!({ "targets": sign_role(targets, &keys.publisher)? });
    let path = format!("/tuf/v1/metadata?appName={APP}");
    walk.post_json(&path, &json!({ "metadata": metadata, "base": base })).await?;
    say!("POST /tuf/v1/metadata    -> {VERSION} is on the publisher's signed list");
    Ok(())
}

/// Verifies the metadata like an installed copy that knows only `root`. Returns the listed file.
async fn verify(walk: &Walk, root: &RootRole) -> Result<TargetFile, LocalError> {
    let timestamp: Signed<TimestampRole> = read(&walk.metadata("timestamp.json").await?)?;
    let snapshot = &timestamp.role().snapshot;
    let bytes = walk.metadata(&format!("{}.snapshot.json", snapshot.version())).await?;
    let is_whole = snapshot.is_of(&bytes) && timestamp.is_signed_by(root.online()).map_err(trust_error)?;
    let snapshot: Signed<SnapshotRole> = read(&bytes)?;
    let targets = snapshot.role().targets();
    let bytes = walk.metadata(&format!("{}.targets.json", targets.version())).await?;
    let is_whole =
        is_whole && snapshot.is_signed_by(root.online()).map_err(trust_error)? && targets.is_of(&bytes);
    let targets: Signed<TargetsRole> = read(&bytes)?;
    if !is_whole || !targets.is_signed_by(root.targets()).map_err(trust_error)? {
        return Err(call_error("verify", "a signature or a digest is wrong"));
    }
    let listed = targets.role().targets().get(&target_name()?).cloned();
    listed.ok_or_else(|| call_error("verify", "the file is not listed"))
}

/// A list with at most one file.
fn list(entry: Option<(TargetName, TargetFile)>) -> Result<TargetsRole, LocalError> {
    let version = MetadataVersion::to_sign(None, now()).ok_or_else(|| call_error("sign", "version"))?;
    // The previous list may have been made in the same second.
    let version = if entry.is_some() { version.following().unwrap_or(version) } else { version };
    TargetsRole::new(head(version)?, entry.into_iter().collect(), None).map_err(trust_error)
}

fn head(version: MetadataVersion) -> Result<Head, LocalError> {
    let lifetime = Lifetime::from_days(DAYS).ok_or_else(|| call_error("sign", "lifetime"))?;
    Ok(Head { version, expires: Expires::after(lifetime, now()) })
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn new_key() -> Result<SigningKey, LocalError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    SigningKey::from_seed(seed).map_err(trust_error)
}

/// The service's key for snapshot and timestamp, from the answer of `GET /tuf/v1/bootstrap`.
fn online_key(state: &Value) -> Option<PublicKey> {
    let hex = state["data"]["online_key"]["keyval"]["public"].as_str()?;
    PublicKey::from_ed25519(base16ct::lower::decode_vec(hex).ok()?.try_into().ok()?)
}

fn sign_role<R: Role>(role: R, key: &SigningKey) -> Result<Value, LocalError> {
    let mut signed = Signed::unsigned(role);
    signed.sign([key]).map_err(trust_error)?;
    serde_json::from_slice(&signed.to_bytes().map_err(trust_error)?)
        .map_err(|error| call_error("sign", error))
}

fn read<R: Role>(bytes: &[u8]) -> Result<Signed<R>, LocalError> {
    Signed::read(bytes).map_err(trust_error)
}

fn trust_error(error: TrustError) -> LocalError {
    call_error("trust", error)
}

/// The release of the demo, as scope and version.
fn release() -> Result<(Scope, Version), LocalError> {
    let read = || {
        let scope = Scope {
            owner: OWNER.parse().ok()?,
            app: APP.parse().ok()?,
            channel: Some(CHANNEL.parse().ok()?),
            platform: Some(PLATFORM.parse().ok()?),
            arch: Some(ARCH.parse().ok()?),
        };
        Some((scope, VERSION.parse().ok()?))
    };
    read().ok_or_else(|| call_error("sign", "names"))
}

/// The name of the file, which is the path of its link.
fn target_name() -> Result<TargetName, LocalError> {
    let (scope, version) = release()?;
    let name = FILE_NAME.parse().ok();
    let name = name.map(|file| artifact_path(Updater::Manual, &scope, &version, &file, &file.package()));
    name.and_then(|path| TargetName::of_key(&path)).ok_or_else(|| call_error("sign", "name"))
}

/// The file's entry in the list.
fn target(bytes: &[u8]) -> Result<TargetFile, LocalError> {
    let (scope, version) = release()?;
    let file = || {
        let custom = TargetCustom {
            repository: RepositoryName { owner: scope.owner, app: scope.app },
            version,
            channel: scope.channel,
            platform: scope.platform,
            arch: scope.arch,
            package: FILE_NAME.parse::<FileName>().ok()?.package(),
        };
        let (sha256, sha512) = (hex(&Sha256::digest(bytes)), hex(&Sha512::digest(bytes)));
        let length = u64::try_from(bytes.len()).ok()?;
        TargetFile::new(length, sha256.parse().ok()?, sha512.parse().ok()?, custom)
    };
    file().ok_or_else(|| call_error("sign", "file"))
}
