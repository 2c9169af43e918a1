//! The names that are filled into the configuration.

use spindrift_api::{AppEntry, PlatformEntry, ReleaseEntry, UpdaterBody};
use spindrift_core::Updater;

use crate::client_scope::ClientScope;
use crate::{DimensionNames, FormFields};

/// An application, and the scope of its copies.
#[derive(Debug, Clone, Default)]
pub(super) struct SnippetTarget {
    pub(super) place: ClientScope,
    /// Whether clients accept only signed files.
    pub(super) tuf: bool,
    /// Whether the application's files are private.
    pub(super) private: bool,
    /// The updater that the platform's releases are published for. `None`: the service's own, which
    /// need not be named.
    pub(super) updater: Option<String>,
}

impl SnippetTarget {
    /// The chosen names. The default is the scope of the newest release, or else the first names.
    pub(super) fn of(
        api_url: &str,
        app: &AppEntry,
        names: &DimensionNames,
        chosen: &FormFields,
        newest: Option<&ReleaseEntry>,
    ) -> Self {
        let platform = chosen.one("platform");
        let artifact = newest.and_then(|release| {
            release.artifacts.iter().find(|artifact| platform.is_empty() || artifact.platform == platform)
        });
        let one_of = |field: &str, own: Option<&String>, names: &[String]| {
            let known = |wanted: &str| names.iter().find(|name| *name == wanted);
            known(chosen.one(field)).or_else(|| known(own?)).or(names.first()).cloned()
        };
        let channel = newest.map(|release| &release.channel);
        let arch = artifact.map(|artifact| &artifact.arch);
        let platform = artifact.map(|artifact| &artifact.platform);
        Self {
            place: ClientScope {
                api_url: api_url.to_owned(),
                owner: app.owner.clone(),
                app: app.app_name.clone(),
                channel: one_of("channel", channel, &names.channels),
                platform: one_of("platform", platform, &names.platforms),
                arch: one_of("arch", arch, &names.archs),
            },
            tuf: app.tuf,
            private: app.private,
            updater: None,
        }
    }

    /// Sets the updater of the platform: the default one, or else the first. Ignores `manual`,
    /// which suits any file.
    pub(super) fn with_updater_of(self, platform: Option<&PlatformEntry>) -> Self {
        let manual = Updater::Manual.as_str();
        let mut named: Vec<&UpdaterBody> = platform
            .into_iter()
            .flat_map(|platform| &platform.updaters)
            .filter(|one| one.updater != manual)
            .collect();
        named.sort_by_key(|one| !one.default);
        Self { updater: named.first().map(|one| one.updater.clone()), ..self }
    }
}
