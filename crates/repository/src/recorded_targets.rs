//! The recorded artifacts of an application as TUF targets.

use spindrift_core::Id;
use spindrift_db::SqlConn;
use spindrift_db::listings::{self, ListedArtifact, ListingFilter};
use spindrift_trust::{RepositoryName, TargetCustom, TargetFile, TargetFiles, TargetName};

use crate::error::RepositoryError;

/// The artifacts of an application whose recorded digests are known to be those of the stored bytes, by the
/// names that lists give them. Fails if the application has no repository.
pub fn of_app(conn: &impl SqlConn, app: &Id) -> Result<TargetFiles, RepositoryError> {
    let name = listings::repository_name(conn, app)?.ok_or(RepositoryError::NoRepository)?;
    let name = name.parse().map_err(|_| RepositoryError::corrupt("name of a repository"))?;
    Ok(of_artifacts(&name, &listings::of_app(conn, app, &ListingFilter::default())?))
}

/// Like [`of_app`], for some of its artifacts.
pub fn of_artifacts<'a>(
    repository: &RepositoryName,
    artifacts: impl IntoIterator<Item = &'a ListedArtifact>,
) -> TargetFiles {
    artifacts.into_iter().filter_map(|artifact| target(repository, artifact)).collect()
}

/// `None`: the artifact cannot be listed, or its digests are not known yet.
fn target(repository: &RepositoryName, artifact: &ListedArtifact) -> Option<(TargetName, TargetFile)> {
    let name = TargetName::of_key(&artifact.object.key)?;
    let (sha256, sha512) = artifact.digests.clone().filter(|_| artifact.is_verified)?;
    let custom = TargetCustom {
        repository: repository.clone(),
        version: artifact.version.clone(),
        channel: artifact.channel.clone(),
        platform: artifact.platform.clone(),
        arch: artifact.arch.clone(),
        package: artifact.package.clone(),
    };
    Some((name, TargetFile::new(artifact.size, sha256, sha512, custom)?))
}

#[cfg(test)]
mod tests {
    use spindrift_core::{ChannelName, StoredObject};

    use super::*;
    use crate::test_artifacts::artifact;

    fn name() -> RepositoryName {
        "ada/notes".parse().unwrap()
    }

    #[test]
    fn an_artifact_is_a_target_by_its_key() {
        let key = "ada/my notes/.beta/linux/amd64/my notes-1.0.0+7.deb".to_owned();
        let one = artifact("1.0.0", |one| one.object = StoredObject { key, ..one.object.clone() });
        let targets = of_artifacts(&name(), [&one]);
        let (name, file) = targets.first_key_value().unwrap();
        assert_eq!(name.as_str(), "ada/my%20notes/%2Ebeta/linux/amd64/my%20notes-1.0.0%2B7.deb");
        assert_eq!((file.length(), file.sha256().as_str()), (one.size, "0a".repeat(32).as_str()));
        let custom = file.custom();
        assert_eq!((custom.repository.to_string(), custom.version.as_str()), ("ada/notes".into(), "1.0.0"));
        assert_eq!(custom.channel.as_ref().map(ChannelName::as_str), Some("stable"));
        assert_eq!((custom.platform.is_some(), custom.arch.is_some()), (true, true));
        assert_eq!(custom.package.as_str(), "deb");
    }

    #[test]
    fn what_is_not_used_is_absent() {
        let one = artifact("1.0.0", |one| {
            (one.channel, one.platform, one.arch) = (None, None, None);
        });
        let targets = of_artifacts(&name(), [&one]);
        let custom = targets.values().next().unwrap().custom();
        assert_eq!((&custom.channel, &custom.platform, &custom.arch), (&None, &None, &None));
    }

    #[test]
    fn only_digests_of_the_stored_bytes_count() {
        let declared = artifact("1.0.0", |one| one.is_verified = false);
        let absent = artifact("1.1.0", |one| one.digests = None);
        assert_eq!(of_artifacts(&name(), [&declared, &absent]), TargetFiles::new());
    }
}
