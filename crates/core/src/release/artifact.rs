//! Releases and artifacts as stored.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{
    AdmittedGroups, BuiltBy, Course, CuredVersions, FileName, Guard, Id, Package, Patch, Timestamp, Updater,
    Version, Withdrawal,
};

/// One version of one application, as offered by one channel. The identifier, the version, the
/// notes, the flags other than `published`, the versions that it cures, and a withdrawal are the
/// same in all channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Identifier.
    pub id: Id,
    /// The application.
    pub app_id: Id,
    /// Unique within the application.
    pub version: Version,
    /// The channel of this offer. `None`: the owner uses no channels.
    pub channel_id: Option<Id>,
    /// Whether it was promoted to this channel from the channel of its upload.
    pub is_promoted: bool,
    /// How it is offered to clients.
    pub flags: ReleaseFlags,
    /// How it is rolled out.
    pub rollout: Course,
    /// Release notes. Empty: none.
    pub changelog: String,
    /// When it is published automatically. `None`: not scheduled.
    pub publish_at: Option<Timestamp>,
    /// The time that was ordered for that, if freezes have moved it.
    pub planned_at: Option<Timestamp>,
    /// Set if it was withdrawn, and therefore is not published.
    pub withdrawal: Option<Withdrawal>,
    /// When clients could first see it. `None`: never.
    pub offered_at: Option<Timestamp>,
    /// The groups that it admits in addition to its rollout.
    pub admitted_groups: AdmittedGroups,
    /// The versions whose copies get it regardless of its rollout, in all channels.
    pub cures: CuredVersions,
    /// The action of a guard run that finds it unhealthy. `None`: no action.
    pub guard: Option<Guard>,
    /// Since when its failures count: since clients see it, or since somebody continued its
    /// rollout. `None`: they do not count.
    pub round_at: Option<Timestamp>,
    /// Increases with every change of how it is offered.
    pub revision: i64,
}

/// How a release is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReleaseFlags {
    /// Whether clients see it.
    pub published: bool,
    /// Whether clients should not postpone this update.
    pub critical: bool,
    /// Whether clients must not skip this release.
    pub intermediate: bool,
}

/// The scope of an artifact, by id. `None`: the owner does not use the dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The channel.
    pub channel_id: Option<Id>,
    /// The platform.
    pub platform_id: Option<Id>,
    /// The architecture.
    pub arch_id: Option<Id>,
}

/// Which bucket an object is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Anyone can download the object.
    Public,
    /// Downloads need a signed URL.
    Private,
}

impl Visibility {
    /// The text in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }

    /// The bucket for the files of an application.
    pub const fn of_app(private: bool) -> Self {
        if private { Self::Private } else { Self::Public }
    }
}

/// An object in the storage.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoredObject {
    /// Its bucket.
    pub bucket: Visibility,
    /// Its key.
    pub key: String,
}

/// Whether an artifact is listed in the current signed metadata of its application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// Listed.
    Listed,
    /// Not listed, so checks do not return it.
    Unlisted,
    /// Not listed, but recorded before the metadata began, or the application has no metadata:
    /// checks return it.
    Legacy,
}

/// The text is not a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a listing")]
pub struct InvalidListing;

impl Listing {
    const ALL: [Self; 3] = [Self::Listed, Self::Unlisted, Self::Legacy];

    /// The text form in requests, answers and the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Unlisted => "unlisted",
            Self::Legacy => "legacy",
        }
    }

    /// Whether checks return the artifact once its release is published.
    pub const fn is_offered(self) -> bool {
        !matches!(self, Self::Unlisted)
    }

    /// The listing after the current metadata has changed. Artifacts recorded before the metadata
    /// began stay offered until they have been listed once.
    #[must_use]
    pub const fn updated(self, is_listed: bool) -> Self {
        match (is_listed, self) {
            (true, _) => Self::Listed,
            (false, Self::Legacy) => Self::Legacy,
            (false, _) => Self::Unlisted,
        }
    }
}

impl FromStr for Listing {
    type Err = InvalidListing;

    fn from_str(text: &str) -> Result<Self, InvalidListing> {
        Self::ALL.into_iter().find(|listing| listing.as_str() == text).ok_or(InvalidListing)
    }
}

/// One stored file of a release for one platform and architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Identifier.
    pub id: Id,
    /// The package.
    pub package: Package,
    /// The key that is unique within the release's platform and architecture; see
    /// [`Packages::slot`](crate::Packages::slot).
    pub slot: String,
    /// The updater it was uploaded for.
    pub updater: Updater,
    /// The name it was uploaded under.
    pub file_name: FileName,
    /// Where it is stored.
    pub object: StoredObject,
    /// In bytes, as reported by the storage.
    pub size: u64,
    /// Lower-case hexadecimal; verified by the storage.
    pub md5: String,
    /// Lower-case hexadecimal.
    pub sha256: Option<String>,
    /// Lower-case hexadecimal.
    pub sha512: Option<String>,
    /// Whether both digests were compared with the stored bytes, or computed from them. Otherwise
    /// they are as declared by the uploader, or missing.
    pub are_digests_verified: bool,
    /// The signature given at upload.
    pub signature: Option<String>,
    /// Its description as a patch. `None`: it is not a patch.
    pub patch: Option<Patch>,
    /// The CI job that uploaded it. `None`: somebody else did.
    pub built_by: Option<BuiltBy>,
    /// When it was recorded.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_are_read_as_written() {
        for listing in Listing::ALL {
            assert_eq!(listing.as_str().parse(), Ok(listing));
        }
        for bad in ["", "Listed", "signed"] {
            assert_eq!(bad.parse::<Listing>(), Err(InvalidListing), "{bad}");
        }
    }

    #[test]
    fn artifacts_once_listed_are_offered_only_while_listed() {
        use Listing::{Legacy, Listed, Unlisted};
        for (before, is_listed, after) in [
            (Legacy, false, Legacy),
            (Legacy, true, Listed),
            (Listed, true, Listed),
            (Listed, false, Unlisted),
            (Unlisted, false, Unlisted),
            (Unlisted, true, Listed),
        ] {
            assert_eq!(before.updated(is_listed), after, "{before:?} {is_listed}");
        }
        assert_eq!(Listing::ALL.map(Listing::is_offered), [true, false, true]);
    }
}
