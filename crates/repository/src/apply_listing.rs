//! Step 5 of a commit: artifacts get the listing that the current metadata gives them, so that checks offer
//! what is listed. Artifacts that leave the list already got theirs in step 3.

use std::collections::BTreeMap;

use spindrift_core::{Id, Listing, Version};
use spindrift_db::changes::{self, Subject};
use spindrift_db::listings::{self, ListedArtifact, ListingFilter};
use spindrift_db::{Audit, SqlConn, repositories};
use spindrift_service::Ports;
use spindrift_service::changes::refresh;
use spindrift_trust::{Delegations, NewFile, RoleName, Signed, TargetFiles, TargetName, TargetsRole};

use crate::app_repository::AppRepository;
use crate::error::RepositoryError;
use crate::files::current;

impl<P: Ports> AppRepository<'_, P> {
    /// Applies the listing of the current metadata, unless that has been done.
    pub(crate) async fn apply_listing(&self, row: &repositories::Repository) -> Result<(), RepositoryError> {
        if row.revision <= row.applied_revision { Ok(()) } else { self.reapply_listing(row).await }
    }

    /// Applies the listing of the current metadata, and refreshes the records of the releases that this
    /// changes. Repeating it changes nothing. Fails if other metadata has become current: the call that made
    /// it current applies it.
    pub(crate) async fn reapply_listing(
        &self,
        row: &repositories::Repository,
    ) -> Result<(), RepositoryError> {
        let files = listed_files(self.conn, &row.app_id, BTreeMap::new())?;
        let changed =
            ListingChanges::of(&listings::of_app(self.conn, &row.app_id, &ListingFilter::default())?, &files);
        if changed.versions.is_empty() {
            return require(listings::set_applied_revision(self.conn, &row.app_id, row.revision)?);
        }
        let subject = Subject::Releases(&row.app_id, &changed.versions);
        let committed = changes::commit(self.conn, &row.owner_id, subject, self.ports.now(), |change| {
            require(listings::set_applied_revision(change, &row.app_id, row.revision)?)?;
            listings::set_listing(change, &changed.listed, Listing::Listed)?;
            listings::set_listing(change, &changed.unlisted, Listing::Unlisted)?;
            Ok::<_, RepositoryError>(((), Audit::Consequence))
        })?;
        Ok(refresh(self.ports, self.conn, &row.owner, &committed.stale).await?)
    }
}

fn require(is_current: bool) -> Result<(), RepositoryError> {
    if is_current { Ok(()) } else { Err(RepositoryError::InUse) }
}

/// The listed artifacts that would leave the list if these files became current.
pub(crate) fn pending_removals(
    conn: &impl SqlConn,
    app: &Id,
    files: &[NewFile],
) -> Result<ListingChanges, RepositoryError> {
    let lists = files.iter().filter(|file| file.role.is_list());
    let lists = lists.map(|file| Ok((&file.role, Signed::read(&file.bytes)?)));
    let lists = lists.collect::<Result<BTreeMap<_, _>, RepositoryError>>()?;
    if lists.is_empty() {
        return Ok(ListingChanges::default());
    }
    let filter = ListingFilter { listing: Some(Listing::Listed), ..ListingFilter::default() };
    let listed = listings::of_app(conn, app, &filter)?;
    Ok(ListingChanges::of(&listed, &listed_files(conn, app, lists)?))
}

/// The files that targets and its delegated channels list: from the lists in `new`, and for the other roles
/// from their current lists.
fn listed_files(
    conn: &impl SqlConn,
    app: &Id,
    mut new: BTreeMap<&RoleName, Signed<TargetsRole>>,
) -> Result<TargetFiles, RepositoryError> {
    let mut list =
        |role: RoleName| new.remove(&role).map_or_else(|| current(conn, app, &role), |list| Ok(Some(list)));
    let Some(targets) = list(RoleName::Targets)? else { return Ok(BTreeMap::new()) };
    let mut files = BTreeMap::new();
    for channel in targets.role().delegations().into_iter().flat_map(Delegations::channels) {
        if let Some(list) = list(RoleName::Channel(channel.clone()))? {
            files.append(&mut list.into_role().into_targets());
        }
    }
    files.append(&mut targets.into_role().into_targets());
    Ok(files)
}

/// The artifacts whose listing changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ListingChanges {
    listed: Vec<Id>,
    pub(crate) unlisted: Vec<Id>,
    /// Their releases, each once. Empty if nothing changes.
    pub(crate) versions: Vec<Version>,
}

impl ListingChanges {
    fn of(artifacts: &[ListedArtifact], files: &TargetFiles) -> Self {
        let mut changes = Self::default();
        for artifact in artifacts {
            let listing = artifact.listing.updated(is_listed(artifact, files));
            if listing == artifact.listing {
                continue;
            }
            match listing {
                Listing::Listed => changes.listed.push(artifact.id.clone()),
                Listing::Unlisted | Listing::Legacy => changes.unlisted.push(artifact.id.clone()),
            }
            if changes.versions.last() != Some(&artifact.version) {
                changes.versions.push(artifact.version.clone());
            }
        }
        changes
    }
}

/// Whether the list names exactly these bytes. The list may still name a deleted file whose name another file
/// has now. Only the bytes are compared: the other fields in the list may predate a new name of the platform.
fn is_listed(artifact: &ListedArtifact, files: &TargetFiles) -> bool {
    let file = TargetName::of_key(&artifact.object.key).and_then(|name| files.get(&name));
    let Some((file, (sha256, sha512))) = file.zip(artifact.digests.as_ref()) else { return false };
    artifact.is_verified
        && artifact.size == file.length()
        && (sha256, sha512) == (file.sha256(), file.sha512())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded_targets::of_artifacts;
    use crate::test_artifacts::artifact;

    fn changes(artifacts: &[ListedArtifact], listed: &[&ListedArtifact]) -> ListingChanges {
        let files = of_artifacts(&"ada/notes".parse().unwrap(), listed.iter().copied());
        ListingChanges::of(artifacts, &files)
    }

    fn ids(versions: &[&str]) -> Vec<Id> {
        versions.iter().map(|version| artifact(version, |_| ()).id).collect()
    }

    #[test]
    fn listed_and_unlisted_artifacts_change() {
        let with = |version: &str, listing| artifact(version, |one| one.listing = listing);
        let all = [
            with("5.0", Listing::Unlisted),
            with("4.0", Listing::Unlisted),
            with("3.0", Listing::Listed),
            with("2.0", Listing::Listed),
            with("1.0", Listing::Legacy),
            with("0.9", Listing::Legacy),
        ];
        let listed = [&all[1], &all[2], &all[4]];
        let changed = changes(&all, &listed);
        assert_eq!((changed.listed, changed.unlisted), (ids(&["4.0", "1.0"]), ids(&["2.0"])));
        assert_eq!(changed.versions, ["4.0", "2.0", "1.0"].map(|version| version.parse().unwrap()));
    }

    #[test]
    fn an_applied_listing_changes_nothing() {
        let all = [artifact("1.0", |one| one.listing = Listing::Listed), artifact("2.0", |_| ())];
        assert_eq!(changes(&all, &[&all[0]]), ListingChanges::default());
    }

    #[test]
    fn other_bytes_under_the_same_name_are_not_what_is_listed() {
        let listed = artifact("1.0", |_| ());
        let others: [fn(&mut ListedArtifact); 4] = [
            |one| one.size += 1,
            |one| one.digests = Some(("0c".repeat(32).parse().unwrap(), "0b".repeat(64).parse().unwrap())),
            |one| one.digests = None,
            |one| one.is_verified = false,
        ];
        for other in others {
            assert_eq!(changes(&[artifact("1.0", other)], &[&listed]), ListingChanges::default());
        }
    }

    #[test]
    fn a_new_name_of_the_platform_changes_nothing() {
        let listed = artifact("1.0", |_| ());
        let renamed = artifact("1.0", |one| one.platform = "gnu".parse().ok());
        assert_eq!(changes(&[renamed], &[&listed]).listed, ids(&["1.0"]));
    }
}
