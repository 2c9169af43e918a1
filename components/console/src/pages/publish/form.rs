//! The form.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use spindrift_api::{AppEntry, PlatformEntry, UpdaterBody};
use spindrift_core::{Id, MAX_PATCHES_OF_FILE};
use spindrift_web::Query;

use crate::pages::release;
use crate::table::{column, columns, value};
use crate::{Address, Catalog, assets, parts};

/// The names to choose from. An empty list: the owner does not use the dimension, or this user may
/// use none of its names.
pub(super) struct NameChoices<'a> {
    pub(super) catalog: &'a Catalog,
    /// Whether the user sees all names.
    pub(super) is_admin: bool,
}

/// Prefilled values.
pub(super) struct PrefilledFields {
    version: String,
    channel: String,
}

impl PrefilledFields {
    pub(super) fn of(query: &Query) -> Self {
        let value = |name| query.get(name).unwrap_or_default().to_owned();
        Self { version: value("version"), channel: value("channel") }
    }
}

pub(super) fn form(
    app: &AppEntry,
    choices: &NameChoices<'_>,
    filled: &PrefilledFields,
    token: &str,
) -> Markup {
    let page = |step| Address::page(["apps", &app.app_name, "publish", step]);
    html! {
        noscript {
            p.problem {
                "This page needs scripts: the browser computes digests and sends the files itself. "
                "Without scripts, use " code { "spindrift publish" } "."
            }
        }
        form #publish.stack.wide data-app=(app.app_name) data-token=(token)
            data-plan=(page("plan")) data-bases=(page("bases")) data-init=(page("init")) data-renew=(page("renew"))
            data-complete=(page("complete")) data-worker=(assets::address("digest.js"))
            data-module=(assets::address("digest.wasm")) data-patcher=(assets::address("patch.js"))
            data-patch-module=(assets::address("patch.wasm"))
            data-updaters=(updaters(&choices.catalog.platforms)) {
            (files())
            (place(choices, filled))
            (offer())
            label { "Release notes (Markdown)" textarea name="changelog" rows="6" {} }
            p #problem .problem role="alert" hidden {}
            p #state .hint role="status" {}
            div.row {
                button #send type="submit" { "Publish" }
                button #stop.plain type="button" hidden { "Stop" }
            }
        }
    }
}

fn files() -> Markup {
    html! {
        fieldset #drop {
            legend { "Files" }
            label for="files" { "Drop files here, or choose them" }
            input #files type="file" multiple;
            p.hint {
                "Add the feed files that the updater's tool wrote as well: " code { "RELEASES" } ", "
                code { "latest.yml" } ", " code { "appcast.xml" } " and the like."
            }
            div.scroll hidden tabindex="0" role="region" aria-label="Chosen files" {
                table {
                    thead { tr { (column("File")) (value("Size")) (columns(["State", "Progress", "Actions"])) } }
                    tbody #chosen {}
                }
            }
        }
    }
}

fn place(choices: &NameChoices<'_>, filled: &PrefilledFields) -> Markup {
    let catalog = choices.catalog;
    let names: BTreeSet<&str> = catalog
        .platforms
        .iter()
        .flat_map(|platform| platform.updaters.iter().map(|entry| &*entry.updater))
        .collect();
    let updaters =
        std::iter::once(("", "the platform's default")).chain(names.iter().map(|name| (*name, *name)));
    html! {
        (not_allowed(choices))
        div.row {
            label { "Version"
                input type="text" name="version" value=(filled.version) required autocomplete="off"
                    placeholder="1.2.3";
            }
            (choice("channel", "Channel", &catalog.channel_names(), &filled.channel))
            (choice("platform", "Platform", &catalog.platform_names(), ""))
            (choice("arch", "Architecture", &catalog.arch_names(), ""))
            @if !names.is_empty() { (parts::select("updater", "Updater", "", updaters)) }
        }
        details {
            summary { "Signature (Tauri and others whose updater checks one)" }
            label { "The content of the .sig file" textarea name="signature" rows="3" {} }
        }
    }
}

/// A team user's lists may be empty although the service requires a name: it will then refuse the
/// upload.
fn not_allowed(choices: &NameChoices<'_>) -> Markup {
    let lists = [
        ("channel", choices.catalog.channels.is_empty()),
        ("platform", choices.catalog.platforms.is_empty()),
        ("architecture", choices.catalog.archs.is_empty()),
    ];
    let missing: Vec<&str> =
        lists.into_iter().filter(|(_, is_empty)| *is_empty).map(|(name, _)| name).collect();
    html! {
        @if !choices.is_admin && !missing.is_empty() {
            p.hint {
                "Your admin has not allowed you any " (missing.join(", "))
                ": where releases have one, you cannot publish."
            }
        }
    }
}

/// A field for a dimension that is in use. If there are several names, the publisher must choose
/// one, so that nobody publishes by mistake.
fn choice(name: &str, label: &str, names: &[(&Id, &str)], chosen: &str) -> Markup {
    html! {
        @if !names.is_empty() {
            label { (label)
                select name=(name) required {
                    @if names.len() > 1 { option value="" { "choose one" } }
                    @for (_, name) in names { option value=(name) selected[*name == chosen] { (name) } }
                }
            }
        }
    }
}

fn offer() -> Markup {
    html! {
        label for="rollout" { "Rollout" }
        div.slider {
            input #rollout type="range" name="rollout" min="0" max="100" value="100";
            output for="rollout" { "100 %" }
        }
        label.check { input type="checkbox" name="publish" checked; "Published: clients see it at once" }
        label.at { "Or publish at (UTC, optional)" input type="datetime-local" name="publish_at"; }
        (parts::select("on_unhealthy", "If it turns out to be unhealthy", "", release::GUARD_ACTIONS))
        label { "Patches from older releases"
            input type="number" name="patches" min="0" max=(MAX_PATCHES_OF_FILE) value="0" required;
        }
        p.hint {
            "Clients of so many versions before this one then download only what has changed, if they use \
             the library. This "
            "browser makes the patches, which takes six times the memory of a file."
        }
        label.check { input type="checkbox" name="critical"; "Critical: clients should not postpone it" }
        label.check { input type="checkbox" name="intermediate"; "Intermediate: clients must not skip it" }
        label { "Cures versions (optional)" input name="cures" placeholder="2.0, 2.0.1"; }
        p.hint { "Copies of these versions are offered the release at once, whatever its rollout." }
    }
}

/// The updaters of each platform, for the script.
fn updaters(platforms: &[PlatformEntry]) -> String {
    let names = |updaters: &[UpdaterBody]| updaters.iter().map(|entry| entry.updater.clone()).collect();
    let by_platform: BTreeMap<&str, Vec<String>> =
        platforms.iter().map(|platform| (&*platform.platform_name, names(&platform.updaters))).collect();
    serde_json::to_string(&by_platform).unwrap_or_default()
}
