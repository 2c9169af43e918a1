//! Step 5 of a commit: checks offer what is listed, and nothing else that came after the start. What is not listed any more
//! is left out with step 3 already.

use std::collections::BTreeMap;

use spindrift_core::{Id, Listing, UserName, Version};
use spindrift_db::SqlConn;
use spindrift_db::changes::{self, Subject};
use spindrift_db::listings::{self, ListedArtifact, ListingFilter};
use spindrift_service::Ports;
use spindrift_service::changes::refresh;
use spindrift_trust::{TargetFile, TargetName};

use crate::error::RepositoryError;

/// What an application's current metadata lists.
#[derive(Debug)]
pub struct Listed<'a> {
    /// The application.
    pub app: &'a Id,
    /// Its owner.
    pub owner_id: &'a Id,
    /// The owner's name.
    pub owner: &'a UserName,
    /// The revision of the metadata.
    pub revision: i64,
    /// Everything that the list of all, and the lists of channels with signers of their own, name.
    pub files: BTreeMap<TargetName, TargetFile>,
}

/// Marks artifacts as listed or not, and refreshes the records of the releases that this changes. Repeating it changes
/// nothing. An error if other metadata is current by now: whoever made it so marks.
pub async fn mark<P: Ports>(ports: &P, conn: &P::Conn, current: &Listed<'_>) -> Result<(), RepositoryError> {
    let artifacts = listings::of_app(conn, current.app, &ListingFilter::default())?;
    let marks = Marks::of(&artifacts, &current.files);
    if marks.versions.is_empty() {
        return require(listings::set_marked(conn, current.app, current.revision)?);
    }
    let subject = Subject::Releases(current.app, &marks.versions);
    let ((), stale) = changes::commit(conn, current.owner_id, subject, ports.now(), |change| {
        require(listings::set_marked(change, current.app, current.revision)?)?;
        listings::mark(change, &marks.listed, Listing::Listed)?;
        listings::mark(change, &marks.unlisted, Listing::Unlisted)?;
        Ok::<_, RepositoryError>(())
    })?;
    Ok(refresh(ports, conn, current.owner, &stale).await?)
}

/// What is offered and would not be listed any more.
#[derive(Debug, Default)]
pub(crate) struct Leaving {
    /// The artifacts.
    pub(crate) artifacts: Vec<Id>,
    /// Their releases, each once.
    pub(crate) versions: Vec<Version>,
}

/// The listed artifacts of an application that are not among these files.
pub(crate) fn leaving(
    conn: &impl SqlConn,
    app: &Id,
    files: &BTreeMap<TargetName, TargetFile>,
) -> Result<Leaving, RepositoryError> {
    let filter = ListingFilter { listing: Some(Listing::Listed), ..ListingFilter::default() };
    let marks = Marks::of(&listings::of_app(conn, app, &filter)?, files);
    Ok(Leaving { artifacts: marks.unlisted, versions: marks.versions })
}

fn require(is_current: bool) -> Result<(), RepositoryError> {
    if is_current {
        return Ok(());
    }
    Err(RepositoryError::InUse)
}

/// The artifacts whose listing changes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Marks {
    listed: Vec<Id>,
    unlisted: Vec<Id>,
    /// Their releases, each once. None: nothing changes.
    versions: Vec<Version>,
}

impl Marks {
    fn of(artifacts: &[ListedArtifact], files: &BTreeMap<TargetName, TargetFile>) -> Self {
        let mut marks = Self::default();
        for artifact in artifacts {
            let listing = artifact.listing.marked(is_listed(artifact, files));
            if listing == artifact.listing {
                continue;
            }
            match listing {
                Listing::Listed => marks.listed.push(artifact.id.clone()),
                Listing::Unlisted | Listing::Legacy => marks.unlisted.push(artifact.id.clone()),
            }
            if marks.versions.last() != Some(&artifact.version) {
                marks.versions.push(artifact.version.clone());
            }
        }
        marks
    }
}

/// Whether the list names these very bytes. A file that was deleted may stand there still when another one has its name.
/// What else the list says of the file may be older than a new name of the platform; the bytes are what counts here.
fn is_listed(artifact: &ListedArtifact, files: &BTreeMap<TargetName, TargetFile>) -> bool {
    let file = TargetName::of_key(&artifact.object.key).and_then(|name| files.get(&name));
    let Some((file, (sha256, sha512))) = file.zip(artifact.digests.as_ref()) else { return false };
    artifact.is_verified
        && artifact.size == file.length()
        && (sha256, sha512) == (file.sha256(), file.sha512())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::targets;
    use crate::test_artifacts::artifact;

    fn marks(artifacts: &[ListedArtifact], listed: &[&ListedArtifact]) -> Marks {
        let files = targets(&"ada/notes".parse().unwrap(), listed.iter().copied());
        Marks::of(artifacts, &files)
    }

    fn ids(versions: &[&str]) -> Vec<Id> {
        versions.iter().map(|version| artifact(version, |_| ()).id).collect()
    }

    #[test]
    fn what_is_listed_is_marked_and_what_is_not_any_more() {
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
        let changed = marks(&all, &listed);
        assert_eq!((changed.listed, changed.unlisted), (ids(&["4.0", "1.0"]), ids(&["2.0"])));
        assert_eq!(changed.versions, ["4.0", "2.0", "1.0"].map(|version| version.parse().unwrap()));
    }

    #[test]
    fn nothing_is_marked_twice() {
        let all = [artifact("1.0", |one| one.listing = Listing::Listed), artifact("2.0", |_| ())];
        assert_eq!(marks(&all, &[&all[0]]), Marks::default());
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
            assert_eq!(marks(&[artifact("1.0", other)], &[&listed]), Marks::default());
        }
    }

    #[test]
    fn a_new_name_of_the_platform_changes_nothing() {
        let listed = artifact("1.0", |_| ());
        let renamed = artifact("1.0", |one| one.platform = "gnu".parse().ok());
        assert_eq!(marks(&[renamed], &[&listed]).listed, ids(&["1.0"]));
    }
}
