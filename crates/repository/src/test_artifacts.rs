//! Artifacts for tests.

use spindrift_core::{Id, Listing, StoredObject, Target, Visibility};
use spindrift_db::listings::ListedArtifact;

/// A published artifact of `notes` on `stable`, `linux`, `amd64`: unlisted, with verified digests.
pub(crate) fn artifact(version: &str, change: impl FnOnce(&mut ListedArtifact)) -> ListedArtifact {
    let mut artifact = ListedArtifact {
        id: Id::from_text(format!("artifact {version}")),
        version: version.parse().unwrap(),
        published: true,
        target: Target {
            channel_id: Some(Id::from_text("stable")),
            platform_id: Some(Id::from_text("linux")),
            arch_id: Some(Id::from_text("amd64")),
        },
        channel: "stable".parse().ok(),
        platform: "linux".parse().ok(),
        arch: "amd64".parse().ok(),
        package: "deb".parse().unwrap(),
        object: StoredObject {
            bucket: Visibility::Public,
            key: format!("ada/notes/stable/linux/amd64/notes-{version}.deb"),
        },
        size: 7,
        digests: Some(("0a".repeat(32).parse().unwrap(), "0b".repeat(64).parse().unwrap())),
        is_verified: true,
        listing: Listing::Unlisted,
        is_left_out: false,
    };
    change(&mut artifact);
    artifact
}
