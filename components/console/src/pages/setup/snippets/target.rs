//! What the configuration is filled in with.

use spindrift_api::AppEntry;

use super::names::Names;
use crate::client_place::ClientPlace;
use crate::fields::Fields;

/// An application, and where its copies ask.
#[derive(Debug, Clone, Default)]
pub(super) struct Target {
    pub(super) place: ClientPlace,
    /// Whether clients take only what was signed.
    pub(super) tuf: bool,
    /// Whether its files are private.
    pub(super) private: bool,
}

impl Target {
    /// What was chosen; where nothing was, the first.
    pub(super) fn of(api_url: &str, app: &AppEntry, names: &Names, chosen: &Fields) -> Self {
        let one_of = |field: &str, names: &[String]| {
            names.iter().find(|name| *name == chosen.one(field)).or(names.first()).cloned()
        };
        Self {
            place: ClientPlace {
                api_url: api_url.to_owned(),
                owner: app.owner.clone(),
                app: app.app_name.clone(),
                channel: one_of("channel", &names.channels),
                platform: one_of("platform", &names.platforms),
                arch: one_of("arch", &names.archs),
            },
            tuf: app.tuf,
            private: app.private,
        }
    }
}
