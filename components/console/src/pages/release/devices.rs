//! The devices that a release is for.

use std::collections::BTreeSet;

use spindrift_api::{ArtifactEntry, DownloadCount, ReleaseEntry, TelemetryBody};

use crate::{Address, Context, Result};

/// The devices seen in 30 days on the release's channel, and on the platforms and architectures of
/// its files.
pub(super) struct Devices {
    pub(super) all: u64,
    pub(super) on_this: u64,
    /// Downloads of this version that clients have reported, by method.
    pub(super) downloads: Vec<DownloadCount>,
}

impl Devices {
    pub(super) async fn of(context: &Context<'_>, release: &ReleaseEntry) -> Result<Self> {
        let body: TelemetryBody = context.service.get(&call(release)).await?;
        let on_this = body.versions.usage.iter().find(|row| row.version == release.version);
        let on_this = on_this.map_or(0, |row| row.client_count);
        let downloads = body.downloads.into_iter().filter(|row| row.version == release.version).collect();
        Ok(Self { all: body.summary.unique_clients, on_this, downloads })
    }
}

fn call(release: &ReleaseEntry) -> Address {
    Address::call("/telemetry")
        .with("apps", &release.app_name)
        .with("range", "month")
        .with("channels", &release.channel)
        .with("platforms", names(release, |artifact| &artifact.platform))
        .with("architectures", names(release, |artifact| &artifact.arch))
}

/// The names among the release's files. Empty, which means no filter, if the owner uses none.
fn names(release: &ReleaseEntry, of: fn(&ArtifactEntry) -> &String) -> String {
    let names: BTreeSet<&str> = release.artifacts.iter().map(|artifact| of(artifact).as_str()).collect();
    if names.contains("") { String::new() } else { names.into_iter().collect::<Vec<_>>().join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_those_that_could_get_it() {
        let artifact = |platform: &str, arch: &str| {
            serde_json::json!({
                "id": "2", "link": "", "platform": platform, "arch": arch, "package": "dmg", "updater": "manual",
                "size": 1, "md5": "", "has_signature": false, "offered": true, "TufSigned": false,
            })
        };
        let call = |artifacts: &[serde_json::Value]| {
            let release = serde_json::from_value(serde_json::json!({
                "ID": "1", "AppName": "notes", "Version": "1.0.0", "Channel": "beta", "Published": true,
                "Critical": false, "Intermediate": false, "Changelog": [], "Created_at": "t",
                "Updated_at": "t", "RolloutPercent": 100, "RolloutState": "complete", "BasisPoints": 10_000, "Revision": 1, "State": "published", "RolloutSeed": "", "Artifacts": artifacts,
            }));
            call(&release.unwrap()).to_string()
        };
        let base = "/telemetry?apps=notes&range=month&channels=beta";
        assert_eq!(call(&[]), base);
        let files = [artifact("mac", "arm64"), artifact("linux", "arm64"), artifact("linux", "arm64")];
        assert_eq!(call(&files), format!("{base}&platforms=linux%2Cmac&architectures=arm64"));
        assert_eq!(call(&[artifact("mac", "")]), format!("{base}&platforms=mac"));
    }
}
