//! The form.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use spindrift_api::{AppEntry, ArchEntry, ChannelEntry, PlatformEntry, UpdaterBody};
use spindrift_web::Query;

use crate::address::Address;
use crate::{assets, parts};

/// What may be chosen. An empty list: the owner does not use it, or the user may use none of it.
pub(super) struct Choices {
    pub(super) channels: Vec<ChannelEntry>,
    pub(super) platforms: Vec<PlatformEntry>,
    pub(super) archs: Vec<ArchEntry>,
}

/// What is filled in already.
pub(super) struct Filled {
    version: String,
    channel: String,
}

impl Filled {
    pub(super) fn of(query: &Query) -> Self {
        let value = |name| query.get(name).unwrap_or_default().to_owned();
        Self { version: value("version"), channel: value("channel") }
    }
}

pub(super) fn form(app: &AppEntry, choices: &Choices, filled: &Filled, token: &str) -> Markup {
    let page = |step| Address::page(["apps", &app.app_name, "publish", step]);
    html! {
        noscript {
            p.problem { "This page needs scripts: the browser computes digests, and sends the files itself. Without scripts, use " code { "spindrift publish" } "." }
        }
        form #publish.stack.wide data-app=(app.app_name) data-token=(token) data-plan=(page("plan")) data-init=(page("init"))
            data-complete=(page("complete")) data-worker=(assets::address("digest.js"))
            data-module=(assets::address("digest.wasm")) data-updaters=(updaters(&choices.platforms)) {
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
            p.hint { "Feed files that the updater's tool wrote (" code { "RELEASES" } ", " code { "latest.yml" } ", " code { "appcast.xml" } " and the like) belong to them." }
            div.scroll hidden tabindex="0" role="region" aria-label="Chosen files" {
                table {
                    thead { tr {
                        th scope="col" { "File" } th.value scope="col" { "Size" } th scope="col" { "State" }
                        th scope="col" { "Progress" } th scope="col" { "Change" }
                    } }
                    tbody #chosen {}
                }
            }
        }
    }
}

fn place(choices: &Choices, filled: &Filled) -> Markup {
    let channels: Vec<&str> = choices.channels.iter().map(|entry| &*entry.channel_name).collect();
    let platforms: Vec<&str> = choices.platforms.iter().map(|entry| &*entry.platform_name).collect();
    let archs: Vec<&str> = choices.archs.iter().map(|entry| &*entry.arch_name).collect();
    let names: BTreeSet<&str> = choices
        .platforms
        .iter()
        .flat_map(|platform| platform.updaters.iter().map(|entry| &*entry.updater))
        .collect();
    let updaters =
        std::iter::once(("", "the platform's default")).chain(names.iter().map(|name| (*name, *name)));
    html! {
        div.row {
            label { "Version" input type="text" name="version" value=(filled.version) required autocomplete="off" placeholder="1.2.3"; }
            (choice("channel", "Channel", &channels, &filled.channel))
            (choice("platform", "Platform", &platforms, ""))
            (choice("arch", "Architecture", &archs, ""))
            @if !names.is_empty() { (parts::select("updater", "Updater", "", updaters)) }
        }
        details {
            summary { "Signature (Tauri and others whose updater checks one)" }
            label { "The content of the .sig file" textarea name="signature" rows="3" {} }
        }
    }
}

/// A field for a dimension that there is. Among several, the publisher has to choose: nobody releases by mistake.
fn choice(name: &str, label: &str, names: &[&str], chosen: &str) -> Markup {
    html! {
        @if !names.is_empty() {
            label { (label)
                select name=(name) required {
                    @if names.len() > 1 { option value="" { "choose one" } }
                    @for name in names { option value=(name) selected[*name == chosen] { (name) } }
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
        label.check { input type="checkbox" name="critical"; "Critical: clients should not postpone it" }
        label.check { input type="checkbox" name="intermediate"; "Intermediate: clients must not skip it" }
    }
}

/// The updaters of each platform, for the script.
fn updaters(platforms: &[PlatformEntry]) -> String {
    let names = |updaters: &[UpdaterBody]| updaters.iter().map(|entry| entry.updater.clone()).collect();
    let by_platform: BTreeMap<&str, Vec<String>> =
        platforms.iter().map(|platform| (&*platform.platform_name, names(&platform.updaters))).collect();
    serde_json::to_string(&by_platform).unwrap_or_default()
}
