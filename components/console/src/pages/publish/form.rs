//! The form.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use spindrift_api::{AppEntry, PlatformEntry, UpdaterBody};
use spindrift_core::Id;
use spindrift_web::Query;

use super::offer::{self, OfferFacts};
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
    cures: String,
}

impl PrefilledFields {
    pub(super) fn of(query: &Query) -> Self {
        let value = |name| query.get(name).unwrap_or_default().to_owned();
        Self { version: value("version"), channel: value("channel"), cures: value("cures") }
    }
}

pub(super) fn form(
    app: &AppEntry,
    choices: &NameChoices<'_>,
    filled: &PrefilledFields,
    facts: OfferFacts,
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
            p #read .hint role="status" hidden {}
            (place(choices, filled))
            label { "Release notes (Markdown)" textarea name="changelog" rows="6" {} }
            div.halves { (offer::begin()) (offer::audience(facts)) }
            (offer::more(&filled.cures))
            div #preview data-receipt=(page("receipt")) aria-live="polite" hidden {}
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

/// The updaters of each platform, for the script.
fn updaters(platforms: &[PlatformEntry]) -> String {
    let names = |updaters: &[UpdaterBody]| updaters.iter().map(|entry| entry.updater.clone()).collect();
    let by_platform: BTreeMap<&str, Vec<String>> =
        platforms.iter().map(|platform| (&*platform.platform_name, names(&platform.updaters))).collect();
    serde_json::to_string(&by_platform).unwrap_or_default()
}
