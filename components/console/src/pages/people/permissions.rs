//! Permissions as a matrix of checkboxes, and in words.

use maud::{Markup, html};
use spindrift_api::{AppPermissionsBody, DimensionPermissionsBody, PermissionsBody};
use spindrift_core::{Id, Role};

use crate::table::column;
use crate::{Catalog, FormFields, parts};

/// The form field with the role in one application: the application's id, a space and the role.
const ROLE_IN_APP: &str = "role-in-app";

const ACTIONS: [&str; 7] = ["create", "edit", "delete", "download", "upload", "stop", "triage"];

/// One row of the matrix: its name in form fields, its title, and the state of each of [`ACTIONS`].
/// `None`: the permission does not exist.
struct PermissionRow<'a> {
    name: &'static str,
    title: &'static str,
    on: [Option<bool>; 7],
    allowed: &'a [Id],
}

fn lines(of: &PermissionsBody) -> [PermissionRow<'_>; 4] {
    let apps = &of.apps;
    let on =
        [apps.create, apps.edit, apps.delete, apps.download, apps.upload, apps.stop, apps.triage].map(Some);
    [
        PermissionRow { name: "apps", title: "Applications", on, allowed: &apps.allowed },
        dimension("channels", "Channels", &of.channels),
        dimension("platforms", "Platforms", &of.platforms),
        dimension("archs", "Architectures", &of.archs),
    ]
}

fn dimension<'a>(
    name: &'static str,
    title: &'static str,
    of: &'a DimensionPermissionsBody,
) -> PermissionRow<'a> {
    PermissionRow {
        name,
        title,
        on: [Some(of.create), Some(of.edit), Some(of.delete), None, None, None, None],
        allowed: &of.allowed,
    }
}

/// Describes permissions, such as "edit and upload applications".
pub(super) fn in_words(permissions: &PermissionsBody) -> String {
    let of_line = |line: &PermissionRow<'_>| {
        let granted: Vec<&str> = ACTIONS
            .into_iter()
            .zip(line.on)
            .filter(|(_, on)| *on == Some(true))
            .map(|(name, _)| name)
            .collect();
        (!granted.is_empty()).then(|| format!("{} {}", granted.join(", "), line.title.to_lowercase()))
    };
    let words: Vec<String> = lines(permissions).iter().filter_map(of_line).collect();
    if words.is_empty() { "look only".to_owned() } else { words.join("; ") }
}

/// The checkboxes of the permissions.
pub(super) fn matrix(permissions: &PermissionsBody) -> Markup {
    let lines = lines(permissions);
    html! {
        fieldset {
            legend { "May" }
            div.scroll tabindex="0" role="region" aria-label="Permissions" {
                table.matrix {
                    thead { tr {
                        (column("For"))
                        @for action in ACTIONS { (column(&capital(action))) }
                    } }
                    tbody { @for line in &lines { (matrix_row(line)) } }
                }
            }
            p.hint {
                "Editing an application includes its releases, its failures and its keys. Stopping and triage \
                 alone need no list of channels, platforms and architectures. "
                "Creating needs no list: anything that the user creates is added to the lists."
            }
        }
    }
}

/// The checkboxes of the lists.
pub(super) fn lists(permissions: &PermissionsBody, catalog: &Catalog) -> Markup {
    let lines = lines(permissions);
    html! {
        fieldset {
            legend { "With" }
            p.hint {
                "The user sees and works on only the entries that are checked here. With a role, no check in the \
                 last three lists means all of today's entries."
            }
            div.halves {
                @for (line, all) in lines.iter().zip([
                    catalog.app_names(), catalog.channel_names(), catalog.platform_names(), catalog.arch_names(),
                ]) { (list(line, &all)) }
            }
            @if !catalog.app_names().is_empty() { (roles_in_apps(&permissions.apps, &catalog.app_names())) }
        }
    }
}

/// The roles in single applications, which replace the role or the permissions there.
fn roles_in_apps(permissions: &AppPermissionsBody, all: &[(&Id, &str)]) -> Markup {
    html! {
        details.choice open[!permissions.roles.is_empty()] {
            summary { strong { "Another role in some applications" } }
            @for (id, name) in all {
                @let value = |role: &Role| format!("{id} {role}");
                @let chosen = permissions.roles.get(*id).map(value).unwrap_or_default();
                @let roles = Role::ALL.map(|role| (value(&role), role));
                (parts::select(
                    ROLE_IN_APP, name, &chosen,
                    std::iter::once(("", "as above"))
                        .chain(roles.iter().map(|(value, role)| (value.as_str(), role.as_str()))),
                ))
            }
            p.hint { "The user sees these applications, whether they are checked above or not." }
        }
    }
}

/// The role in one application. `None`: the field is empty, or no browser sent it.
fn role_in_app(value: &str) -> Option<(Id, Role)> {
    let (id, role) = value.rsplit_once(' ')?;
    Some((Id::from_text(id), role.parse().ok()?))
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

fn matrix_row(line: &PermissionRow<'_>) -> Markup {
    html! {
        tr {
            th scope="row" { (line.title) }
            @for (action, on) in ACTIONS.into_iter().zip(line.on) {
                td {
                    @if let Some(on) = on {
                        input type="checkbox" name={ (line.name) "." (action) } value="1" checked[on]
                            aria-label={ (action) " " (line.title.to_lowercase()) };
                    }
                }
            }
        }
    }
}

fn list(line: &PermissionRow<'_>, all: &[(&Id, &str)]) -> Markup {
    html! {
        fieldset.boxes {
            legend { (line.title) }
            @if all.is_empty() { p.hint { "There are none." } }
            @for (id, name) in all { (parts::check(line.name, id.as_str(), name, line.allowed.contains(id))) }
        }
    }
}

/// Reads the permissions from the checkboxes.
pub(super) fn read(sent: &FormFields) -> PermissionsBody {
    let on = |line: &str, action: &str| sent.has(&format!("{line}.{action}"));
    let allowed = |line: &str| sent.all(line).map(Id::from_text).collect::<Vec<_>>();
    let dimension = |line: &str| DimensionPermissionsBody {
        create: on(line, "create"),
        delete: on(line, "delete"),
        edit: on(line, "edit"),
        allowed: allowed(line),
    };
    PermissionsBody {
        apps: AppPermissionsBody {
            create: on("apps", "create"),
            delete: on("apps", "delete"),
            edit: on("apps", "edit"),
            download: on("apps", "download"),
            upload: on("apps", "upload"),
            stop: on("apps", "stop"),
            triage: on("apps", "triage"),
            allowed: allowed("apps"),
            roles: sent.all(ROLE_IN_APP).filter_map(role_in_app).collect(),
        },
        channels: dimension("channels"),
        platforms: dimension("platforms"),
        archs: dimension("archs"),
    }
}

#[cfg(test)]
mod tests {
    use spindrift_web::Query;

    use super::*;

    #[test]
    fn boxes_say_what_is_granted() {
        let sent = "apps.upload=1&apps.edit=1&apps=1&apps=2&channels.create=1&archs=7\
                    &role-in-app=&role-in-app=8+on-call";
        let permissions = read(&Query::parse(sent).unwrap().into());
        assert!(permissions.apps.upload && permissions.apps.edit && !permissions.apps.delete);
        assert_eq!(permissions.apps.allowed, ["1", "2"].map(Id::from_text));
        assert_eq!(permissions.archs.allowed, [Id::from_text("7")]);
        assert_eq!(permissions.apps.roles, [(Id::from_text("8"), Role::OnCall)].into());
        assert_eq!(in_words(&permissions), "edit, upload applications; create channels");
        assert_eq!(in_words(&PermissionsBody::default()), "look only");
        let shown = matrix(&permissions).into_string();
        assert!(shown.contains("name=\"apps.upload\" value=\"1\" checked"), "{shown}");
        assert!(!shown.contains("archs.upload"), "{shown}");
    }
}
