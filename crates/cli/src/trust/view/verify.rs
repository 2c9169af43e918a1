//! Verifies metadata from the pinned root to the current lists.

use std::collections::BTreeMap;

use spindrift_core::{ChannelName, Timestamp};
use spindrift_trust::{
    FileMeta, MetadataFile, MetadataVersion, Role, RoleName, RootRole, Signed, Signers, SnapshotRole,
    TargetFile, TargetName, TargetsRole, TimestampRole, TrustError,
};

use super::role_expiry::RoleExpiry;
use super::source::MetadataSource;
use crate::error::CliError;

/// Maximum number of roots after the pinned one, as in clients.
const MAX_ROOTS: usize = 256;
/// After this many roots, applications need a new build.
const WARN_ROOTS: usize = 200;

/// The verified metadata of a repository.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// The newest root.
    pub(crate) root: Signed<RootRole>,
    /// Number of roots after the pinned one.
    pub(crate) roots_since: usize,
    /// The current lists. `None`: there are none yet.
    pub(crate) lists: Option<Lists>,
}

/// The current lists, and the metadata that leads to them.
#[derive(Debug, Clone)]
pub(crate) struct Lists {
    pub(crate) timestamp: TimestampRole,
    pub(crate) snapshot: SnapshotRole,
    pub(crate) targets: TargetsRole,
    /// The lists of channels with their own signers. A channel without a list is missing.
    pub(crate) channels: BTreeMap<ChannelName, TargetsRole>,
}

impl View {
    /// The current targets. `None`: there are none yet.
    pub(crate) fn targets(&self) -> Option<&TargetsRole> {
        self.lists.as_ref().map(|lists| &lists.targets)
    }

    /// The current list of targets or of a channel. `None`: there is none yet.
    pub(crate) fn list(&self, role: &RoleName) -> Option<&TargetsRole> {
        match role {
            RoleName::Channel(channel) => self.lists.as_ref()?.channels.get(channel),
            _ => self.targets(),
        }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (&TargetName, &TargetFile)> {
        let lists = self
            .lists
            .iter()
            .flat_map(|lists| std::iter::once(&lists.targets).chain(lists.channels.values()));
        lists.flat_map(TargetsRole::targets)
    }

    /// The signers of root, targets or a channel. `None`: the channel has no signers of its own, or
    /// the service signs this role.
    pub(crate) fn signers(&self, role: &RoleName) -> Option<Signers<'_>> {
        match role {
            RoleName::Root => Some(self.root.role().root()),
            RoleName::Targets => Some(self.root.role().targets()),
            RoleName::Channel(channel) => self.targets()?.delegations()?.signers(channel),
            RoleName::Snapshot | RoleName::Timestamp => None,
        }
    }

    /// When each role expires.
    pub(crate) fn expiries(&self) -> Vec<RoleExpiry> {
        let ending = |role, expires| RoleExpiry { role, expires };
        let mut all = vec![ending(RoleName::Root, self.root.role().head().expires)];
        if let Some(lists) = &self.lists {
            all.push(ending(RoleName::Targets, lists.targets.head().expires));
            let channels = lists.channels.iter();
            all.extend(
                channels
                    .map(|(channel, list)| ending(RoleName::Channel(channel.clone()), list.head().expires)),
            );
            all.push(ending(RoleName::Snapshot, lists.snapshot.head().expires));
            all.push(ending(RoleName::Timestamp, lists.timestamp.head.expires));
        }
        all
    }

    /// Current and upcoming problems, each in one line.
    pub(crate) fn problems(&self, now: Timestamp) -> Vec<String> {
        let mut problems: Vec<String> =
            self.expiries().iter().filter_map(|ending| ending.problem(now)).collect();
        if self.roots_since >= WARN_ROOTS {
            problems.push(format!(
                "there are {} roots after the pinned one, and clients stop at {MAX_ROOTS}: build with the newest root",
                self.roots_since
            ));
        }
        problems
    }
}

/// Reads and verifies all metadata. Accepts expired metadata, because a signer must be able to
/// renew it.
pub(crate) async fn view(source: &impl MetadataSource, pinned: &Signed<RootRole>) -> Result<View, CliError> {
    let (root, roots_since) = newest_root(source, pinned).await?;
    let lists = lists(source, root.role()).await?;
    Ok(View { root, roots_since, lists })
}

async fn newest_root(
    source: &impl MetadataSource,
    pinned: &Signed<RootRole>,
) -> Result<(Signed<RootRole>, usize), CliError> {
    let mut root = pinned.clone();
    check_signed(&root, root.role().root(), &RoleName::Root)?;
    for since in 0..MAX_ROOTS {
        let version = root.role().head().version.following();
        let file = version.map(|version| MetadataFile::new(RoleName::Root, version));
        let Some(file) = file else { return Ok((root, since)) };
        let Some(bytes) = source.read(&file, RootRole::MAX_BYTES).await? else { return Ok((root, since)) };
        let next: Signed<RootRole> = Signed::read(&bytes).map_err(|error| untrusted(&file, &error))?;
        check_version(&file, next.role().head().version)?;
        check_signed(&next, root.role().root(), &RoleName::Root)?;
        check_signed(&next, next.role().root(), &RoleName::Root)?;
        root = next;
    }
    Err(CliError::Untrusted(format!(
        "there are more than {MAX_ROOTS} roots after the pinned one: pass a newer one with --trust-root"
    )))
}

async fn lists(source: &impl MetadataSource, root: &RootRole) -> Result<Option<Lists>, CliError> {
    let file = MetadataFile::new(RoleName::Timestamp, MetadataVersion::FIRST);
    let Some(bytes) = source.read(&file, TimestampRole::MAX_BYTES).await? else { return Ok(None) };
    let timestamp: TimestampRole = read_signed(&file, &bytes, root.online())?;
    let snapshot: SnapshotRole =
        read_described(source, RoleName::Snapshot, &timestamp.snapshot, root.online()).await?;
    let targets: TargetsRole =
        read_described(source, RoleName::Targets, snapshot.targets(), root.targets()).await?;
    let mut channels = BTreeMap::new();
    if let Some(delegations) = targets.delegations() {
        for channel in delegations.channels() {
            let (Some(meta), Some(signers)) =
                (snapshot.channels().get(channel), delegations.signers(channel))
            else {
                continue;
            };
            let role = RoleName::Channel(channel.clone());
            channels.insert(channel.clone(), read_described(source, role, meta, signers).await?);
        }
    }
    Ok(Some(Lists { timestamp, snapshot, targets, channels }))
}

/// Reads a file that other metadata describes.
async fn read_described<R: Role + Clone>(
    source: &impl MetadataSource,
    role: RoleName,
    meta: &FileMeta,
    signers: Signers<'_>,
) -> Result<R, CliError> {
    let file = MetadataFile::new(role, meta.version());
    let bytes = source.read(&file, R::MAX_BYTES).await?;
    let bytes = bytes
        .ok_or_else(|| CliError::Untrusted(format!("{file} is missing: see `spindrift trust verify`")))?;
    if !meta.is_of(&bytes) {
        return Err(CliError::Untrusted(format!("{file} is not the file that was signed")));
    }
    let role: R = read_signed(&file, &bytes, signers)?;
    check_version(&file, role.head().version)?;
    Ok(role)
}

fn read_signed<R: Role + Clone>(
    file: &MetadataFile,
    bytes: &[u8],
    signers: Signers<'_>,
) -> Result<R, CliError> {
    let signed: Signed<R> = Signed::read(bytes).map_err(|error| untrusted(file, &error))?;
    check_signed(&signed, signers, file.role())?;
    Ok(signed.role().clone())
}

fn check_signed<R: Role>(signed: &Signed<R>, signers: Signers<'_>, role: &RoleName) -> Result<(), CliError> {
    let version = signed.role().head().version;
    match signed.is_signed_by(signers) {
        Ok(true) => Ok(()),
        _ => Err(CliError::Untrusted(format!("{role} {version} lacks signatures of its signers"))),
    }
}

fn check_version(file: &MetadataFile, version: MetadataVersion) -> Result<(), CliError> {
    if file.version() == Some(version) {
        Ok(())
    } else {
        Err(CliError::Untrusted(format!("{file} claims to be version {version}")))
    }
}

fn untrusted(file: &MetadataFile, error: &TrustError) -> CliError {
    CliError::Untrusted(format!("{file}: {error}"))
}
