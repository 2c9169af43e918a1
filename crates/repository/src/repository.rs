//! A repository as stored in the database.

use std::collections::BTreeMap;

use spindrift_core::{App, ChannelName, Id, Timestamp, Visibility};
use spindrift_db::repository_metadata::{self, MetadataHead};
use spindrift_db::{Audited, SqlConn, repositories};
use spindrift_service::Ports;
use spindrift_trust::{
    Generation, Generations, Lifetime, MetadataVersion, RepositoryName, Role as _, RoleName, RootRole,
    ServiceLifetimes, Signed, SnapshotRole, TargetsRole, TargetsSigner, TimestampRole,
};

use crate::app_keys::AppKeys;
use crate::error::RepositoryError;
use crate::files::{current, read};

/// A repository with its current metadata. Lists are read only when needed.
#[derive(Debug)]
pub struct Repository {
    pub row: repositories::Repository,
    /// Whether the row still has to be inserted.
    pub(crate) is_new: bool,
    pub name: RepositoryName,
    /// The current root. `None`: it lacks signatures.
    pub root: Option<Signed<RootRole>>,
    /// Without a current root: the newest root of a repository that moves here from another service.
    pub(crate) old_root: Option<Signed<RootRole>>,
    /// The current snapshot. `None`: there are no targets yet.
    pub snapshot: Option<Signed<SnapshotRole>>,
    /// The current timestamp. `None`: there are no targets yet.
    pub timestamp: Option<Signed<TimestampRole>>,
    /// Version and expiry of the current lists: those of targets and of channels.
    pub lists: BTreeMap<RoleName, ListHead>,
}

/// Version and expiry of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListHead {
    pub version: MetadataVersion,
    pub expires_at: Timestamp,
}

impl Repository {
    /// Reads the repository of an application. `None` if there is none.
    pub fn load(conn: &impl SqlConn, app: &Id) -> Result<Option<Self>, RepositoryError> {
        let Some(row) = repositories::by_app(conn, app)? else { return Ok(None) };
        let name = row.name.parse().map_err(|_| RepositoryError::corrupt("name of a repository"))?;
        let root = current(conn, app, &RoleName::Root)?;
        let old_root = if root.is_some() { None } else { newest_root(conn, app)? };
        Ok(Some(Self {
            is_new: false,
            name,
            root,
            old_root,
            snapshot: current(conn, app, &RoleName::Snapshot)?,
            timestamp: current(conn, app, &RoleName::Timestamp)?,
            lists: heads(repository_metadata::heads(conn, app)?)?,
            row,
        }))
    }

    /// A repository without any metadata yet.
    pub(crate) fn new(
        app: &App,
        owner_id: Id,
        name: RepositoryName,
        settings: repositories::RepositorySettings,
        now: Timestamp,
    ) -> Self {
        let row = repositories::Repository {
            app_id: app.id.clone(),
            name: name.to_string(),
            visibility: Visibility::of_app(app.flags.private),
            owner_id,
            owner: name.owner.clone(),
            revision: 0,
            written_revision: 0,
            applied_revision: 0,
            changes: 0,
            synced_changes: 0,
            online_generation: Generation::FIRST.number(),
            targets_generation: Generation::FIRST.number(),
            settings,
            due_at: None,
            expires_at: None,
            refresh_failed_at: None,
            created_at: now,
        };
        let lists = BTreeMap::new();
        Self { row, is_new: true, name, root: None, old_root: None, snapshot: None, timestamp: None, lists }
    }

    /// Inserts the row if that has not been done. Call it in a transaction. Fails if the application already
    /// has a repository, or if another application's has the same name.
    pub(crate) fn ensure(&self, conn: &impl Audited) -> Result<(), RepositoryError> {
        if !self.is_new {
            return Ok(());
        }
        let row = &self.row;
        match repositories::app_of_name(conn, &row.name)? {
            Some(app) if app != row.app_id => Err(RepositoryError::NameTaken),
            Some(_) => Err(RepositoryError::AlreadyExists),
            None if repositories::exists(conn, &row.app_id)? => Err(RepositoryError::AlreadyExists),
            None => Ok(repositories::insert(conn, &row.app_id, &row.name, &row.settings, row.created_at)?),
        }
    }

    /// The root that the next root has to follow.
    pub(crate) fn trusted_root(&self) -> Option<&RootRole> {
        self.root.as_ref().or(self.old_root.as_ref()).map(Signed::role)
    }

    /// The generations of the service's keys.
    pub fn generations(&self) -> Result<Generations, RepositoryError> {
        generations(&self.row)
    }

    /// The signer of targets. `None`: root lacks signatures.
    pub(crate) fn targets_signer(
        &self,
        ports: &impl Ports,
    ) -> Result<Option<TargetsSigner>, RepositoryError> {
        self.root.as_ref().map(|root| targets_signer(ports, &self.row, root)).transpose()
    }

    /// The lifetimes of the metadata that the service signs.
    pub fn lifetimes(&self) -> Result<ServiceLifetimes, RepositoryError> {
        let days = |days| Lifetime::from_days(days).ok_or_else(|| RepositoryError::corrupt("lifetime"));
        let settings = &self.row.settings;
        Ok(ServiceLifetimes {
            targets: days(settings.targets_days)?,
            snapshot: days(settings.snapshot_days)?,
            timestamp: days(settings.timestamp_days)?,
        })
    }

    pub fn targets(&self, conn: &impl SqlConn) -> Result<Option<Signed<TargetsRole>>, RepositoryError> {
        current(conn, &self.row.app_id, &RoleName::Targets)
    }

    /// The current lists of channels, including channels that no longer have signers of their own.
    pub fn channels(
        &self,
        conn: &impl SqlConn,
    ) -> Result<BTreeMap<ChannelName, Signed<TargetsRole>>, RepositoryError> {
        let mut lists = BTreeMap::new();
        for role in self.lists.keys() {
            if let RoleName::Channel(channel) = role
                && let Some(list) = current(conn, &self.row.app_id, role)?
            {
                lists.insert(channel.clone(), list);
            }
        }
        Ok(lists)
    }

    /// The root before the current one, if it is known.
    pub(crate) fn previous_root(
        &self,
        conn: &impl SqlConn,
    ) -> Result<Option<Signed<RootRole>>, RepositoryError> {
        let version = self.root.as_ref().map_or(0, |root| root.role().head().version.number());
        let before = version.checked_sub(1).filter(|version| *version > 0);
        let Some(version) = before else { return Ok(None) };
        let row = repository_metadata::by_version(conn, &self.row.app_id, "root", version)?;
        row.map(|row| read(&RoleName::Root, &row.content)).transpose()
    }
}

fn generations(row: &repositories::Repository) -> Result<Generations, RepositoryError> {
    let generation =
        |number| Generation::from_number(number).ok_or_else(|| RepositoryError::corrupt("generation"));
    Ok(Generations {
        online: generation(row.online_generation)?,
        targets: generation(row.targets_generation)?,
    })
}

/// The signer of targets, according to this root of the repository.
pub(crate) fn targets_signer(
    ports: &impl Ports,
    row: &repositories::Repository,
    root: &Signed<RootRole>,
) -> Result<TargetsSigner, RepositoryError> {
    let keys = AppKeys::read(ports, &row.app_id)?;
    Ok(TargetsSigner::of(root.role(), &keys.ids(generations(row)?)?))
}

fn newest_root(conn: &impl SqlConn, app: &Id) -> Result<Option<Signed<RootRole>>, RepositoryError> {
    let roots = repository_metadata::since(conn, app, "root", 0)?;
    roots.last().map(|row| read(&RoleName::Root, &row.content)).transpose()
}

fn heads(rows: Vec<MetadataHead>) -> Result<BTreeMap<RoleName, ListHead>, RepositoryError> {
    let mut heads = BTreeMap::new();
    for row in rows {
        let role: RoleName = row.role.parse().map_err(|_| RepositoryError::corrupt("role"))?;
        let version =
            MetadataVersion::from_number(row.version).ok_or_else(|| RepositoryError::corrupt("version"))?;
        if role.is_list() {
            heads.insert(role, ListHead { version, expires_at: row.expires_at });
        }
    }
    Ok(heads)
}
