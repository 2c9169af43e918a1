//! Permissions of team users by name, because ids are different on each server.

use std::collections::BTreeMap;

use spindrift_api::{DimensionPermissionsBody, PermissionsBody};
use spindrift_core::Id;

/// The names of a server's items by id, for each kind that permissions list.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemNames {
    pub(super) apps: BTreeMap<String, String>,
    pub(super) channels: BTreeMap<String, String>,
    pub(super) platforms: BTreeMap<String, String>,
    pub(super) archs: BTreeMap<String, String>,
}

/// Permissions whose lists contain sorted names instead of ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedPermissions(PermissionsBody);

impl ItemNames {
    /// Converts permissions of this server to names. Omits ids of deleted items, which allow
    /// nothing.
    pub(super) fn of(&self, permissions: &PermissionsBody) -> NamedPermissions {
        let mut named = permissions.clone();
        self.each(&mut named, |names, id| names.get(id.as_str()).map(Id::from_text));
        NamedPermissions(named)
    }

    /// Converts names to permissions on this server. Also returns the names that this server lacks.
    pub(super) fn ids(&self, granted: &NamedPermissions) -> (PermissionsBody, Vec<String>) {
        let mut unknown = Vec::new();
        let mut body = granted.0.clone();
        self.each(&mut body, |names, name| {
            let found = names.iter().find(|(_, known)| known.as_str() == name.as_str());
            if found.is_none() {
                unknown.push(name.as_str().to_owned());
            }
            found.map(|(id, _)| Id::from_text(id))
        });
        (body, unknown)
    }

    fn each(
        &self,
        body: &mut PermissionsBody,
        mut map: impl FnMut(&BTreeMap<String, String>, &Id) -> Option<Id>,
    ) {
        let PermissionsBody { apps, channels, platforms, archs } = body;
        let dimensions = |body: &mut DimensionPermissionsBody| std::mem::take(&mut body.allowed);
        for (names, list, put) in [
            (&self.apps, std::mem::take(&mut apps.allowed), &mut apps.allowed),
            (&self.channels, dimensions(channels), &mut channels.allowed),
            (&self.platforms, dimensions(platforms), &mut platforms.allowed),
            (&self.archs, dimensions(archs), &mut archs.allowed),
        ] {
            *put = list.iter().filter_map(|id| map(names, id)).collect();
            put.sort_by(|a, b| a.as_str().cmp(b.as_str()));
            put.dedup();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(prefix: &str) -> ItemNames {
        let all = |names: &[&str]| {
            names.iter().map(|name| (format!("{prefix}-{name}"), (*name).to_owned())).collect()
        };
        ItemNames { apps: all(&["notes", "desk"]), channels: all(&["stable"]), ..ItemNames::default() }
    }

    #[test]
    fn permissions_are_the_same_by_name() {
        let permissions = |ids: &[&str]| {
            let json = json!({ "Apps": { "Upload": true, "Allowed": ids }, "Channels": { "Allowed": ["old-stable"] } });
            serde_json::from_value::<PermissionsBody>(json).unwrap()
        };
        let granted = names("old").of(&permissions(&["old-notes", "old-desk", "old-gone", "old-notes"]));
        assert_eq!(granted, names("old").of(&permissions(&["old-desk", "old-notes"])));

        let (body, unknown) = names("new").ids(&granted);
        assert_eq!(body.apps.allowed, ["new-desk", "new-notes"].map(Id::from_text));
        assert!(body.apps.upload && !body.apps.edit && unknown.is_empty());
        assert_eq!(names("new").of(&body), granted);

        let (body, unknown) = ItemNames::default().ids(&granted);
        assert!(body.apps.allowed.is_empty());
        assert_eq!(unknown, ["desk", "notes", "stable"]);
    }
}
