//! Converts ids to names.

use spindrift_api::AppPermissionsBody;
use spindrift_core::Id;

/// The names of these ids, without those of deleted items.
pub(super) fn names(ids: &[Id], all: &[(&Id, &str)]) -> String {
    let known: Vec<&str> = all.iter().filter(|(id, _)| ids.contains(id)).map(|(_, name)| *name).collect();
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}

/// The names of the applications that a person works on, each with the role that the person has only there.
pub(super) fn names_of_apps(permissions: &AppPermissionsBody, all: &[(&Id, &str)]) -> String {
    let name = |(id, name): &(&Id, &str)| match permissions.roles.get(*id) {
        Some(role) => Some(format!("{name} ({role})")),
        None => permissions.allowed.contains(id).then(|| (*name).to_owned()),
    };
    let known: Vec<String> = all.iter().filter_map(name).collect();
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_come_with_their_roles() {
        let ids = ["1", "2", "3"].map(Id::from_text);
        let all = [(&ids[0], "notes"), (&ids[1], "desk"), (&ids[2], "draw")];
        let of = |json: &str| names_of_apps(&serde_json::from_str(json).unwrap(), &all);
        assert_eq!(of(r#"{"allowed":["1"],"roles":{"2":"on-call"}}"#), "notes, desk (on-call)");
        assert_eq!(of("{}"), "none");
    }
}
