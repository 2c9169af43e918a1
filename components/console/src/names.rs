//! The names of channels, platforms and architectures to choose from.

use std::collections::BTreeSet;

use spindrift_api::{ReleaseEntry, SearchBody, WhoamiBody};

use crate::{Address, Catalog, Context, Result};

/// How many of an application's newest releases are searched for names.
const RELEASES: u32 = 50;

/// Channels, platforms and architectures. An empty list: the dimension is not used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DimensionNames {
    pub(crate) channels: Vec<String>,
    pub(crate) platforms: Vec<String>,
    pub(crate) archs: Vec<String>,
}

impl DimensionNames {
    /// The owner's names. A team user gets only those in its permissions; if these lists are empty,
    /// the names come from the application's releases.
    pub(crate) async fn load(
        context: &Context<'_>,
        me: &WhoamiBody,
        catalog: &Catalog,
        app: &str,
    ) -> Result<Self> {
        let listed = Self::from_catalog(catalog);
        if me.is_admin
            || ![&listed.channels, &listed.platforms, &listed.archs].iter().any(|names| names.is_empty())
        {
            return Ok(listed);
        }
        let call =
            Address::call("/search").with("app_name", app).with("changelog", false).with("limit", RELEASES);
        let found: SearchBody = context.service.get(&call).await?;
        Ok(listed.or_names_in(&found.items))
    }

    fn from_catalog(catalog: &Catalog) -> Self {
        let names = |names: Vec<(&spindrift_core::Id, &str)>| -> Vec<String> {
            names.into_iter().map(|(_, name)| name.to_owned()).collect()
        };
        Self {
            channels: names(catalog.channel_names()),
            platforms: names(catalog.platform_names()),
            archs: names(catalog.arch_names()),
        }
    }

    fn or_names_in(self, releases: &[ReleaseEntry]) -> Self {
        let artifacts = || releases.iter().flat_map(|release| &release.artifacts);
        Self {
            channels: or_others(self.channels, releases.iter().map(|release| &release.channel)),
            platforms: or_others(self.platforms, artifacts().map(|artifact| &artifact.platform)),
            archs: or_others(self.archs, artifacts().map(|artifact| &artifact.arch)),
        }
    }
}

fn or_others<'n>(names: Vec<String>, others: impl Iterator<Item = &'n String>) -> Vec<String> {
    if !names.is_empty() {
        return names;
    }
    let others: BTreeSet<&String> = others.filter(|name| !name.is_empty()).collect();
    others.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_names_are_taken_from_releases() {
        let release: ReleaseEntry = serde_json::from_value(serde_json::json!({
            "ID": "1", "AppName": "notes", "Version": "1.0.0", "Channel": "stable", "Published": true,
            "Critical": false, "Intermediate": false, "Changelog": [], "Created_at": "t", "Updated_at": "t",
            "RolloutPercent": 100, "RolloutState": "complete", "BasisPoints": 10_000, "Revision": 1, "State": "published", "RolloutSeed": "",
            "Artifacts": [{
                "id": "2", "link": "", "platform": "mac", "arch": "", "package": "dmg", "updater": "manual", "size": 1,
                "md5": "", "has_signature": false, "offered": true, "TufSigned": false,
            }],
        }))
        .unwrap();
        let listed = DimensionNames { channels: vec!["beta".to_owned()], ..DimensionNames::default() };
        let names = listed.or_names_in(&[release.clone(), release]);
        let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            names,
            DimensionNames { channels: of(&["beta"]), platforms: of(&["mac"]), archs: of(&[]) }
        );
    }
}
