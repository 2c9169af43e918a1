//! The table of releases.

use std::collections::BTreeMap;

use maud::{Markup, html};
use spindrift_api::{OverviewRelease, ReleaseEntry, SearchBody};
use spindrift_core::{BasisPoints, Id, RolloutState};

use super::filters::ReleaseFilters;
use crate::table::{column, columns, value};
use crate::{Address, Catalog, parts, release_state, rollout};

/// `failing`: the releases that a guard run found unhealthy.
pub(super) fn section(
    app: &str,
    filters: &ReleaseFilters,
    catalog: &Catalog,
    found: &SearchBody,
    failing: &[OverviewRelease],
) -> Markup {
    html! {
        section {
            h2 { "Releases" }
            @if !found.items.is_empty() || filters.is_narrowed() { (form(app, filters, catalog)) }
            @if found.items.is_empty() { (empty_text(app, filters)) } @else { (table(app, found, failing)) }
            (parts::pages(&filters.first_page(app), found.page.into(), found.limit.into(), found.total))
        }
    }
}

fn form(app: &str, filters: &ReleaseFilters, catalog: &Catalog) -> Markup {
    // In searches, "draft" includes all releases that clients do not see.
    let states = [("", "any"), ("published", "published"), ("draft", "not published")];
    html! {
        form.filters method="get" action=(Address::page(["apps", app])) role="search" {
            input type="hidden" name="range" value=(filters.range);
            (choice("channel", "Channel", &filters.channel, catalog.channel_names()))
            (choice("platform", "Platform", &filters.platform, catalog.platform_names()))
            (choice("arch", "Architecture", &filters.arch, catalog.arch_names()))
            (parts::select("state", "State", &filters.state, states))
            button type="submit" { "Filter" }
            @if filters.is_narrowed() { a href=(Address::page(["apps", app])) { "Show all" } }
        }
    }
}

/// A choice of names, if there are any. A name that was chosen stays in the list even if it no
/// longer exists.
fn choice(name: &str, label: &str, chosen: &str, names: Vec<(&Id, &str)>) -> Markup {
    let mut names: Vec<&str> = names.into_iter().map(|(_, name)| name).collect();
    if !chosen.is_empty() && !names.contains(&chosen) {
        names.push(chosen);
    }
    if names.is_empty() {
        return html! {};
    }
    let names = names.into_iter().map(|name| (name, name));
    parts::select(name, label, chosen, std::iter::once(("", "any")).chain(names))
}

fn empty_text(app: &str, filters: &ReleaseFilters) -> Markup {
    if filters.is_narrowed() {
        return parts::empty(
            "No release matches.",
            &html! { a href=(Address::page(["apps", app])) { "Show all releases" } },
        );
    }
    let pipelines = Address::page(["setup", "snippets"]).with("app", app);
    let next = html! {
        a href=(Address::page(["apps", app, "publish"])) { "Publish the first one here" }
        ", or " a href=(pipelines) { "from CI" } " with " code { "spindrift publish" } "."
    };
    parts::empty("No releases yet.", &next)
}

fn table(app: &str, found: &SearchBody, failing: &[OverviewRelease]) -> Markup {
    let is_failing = |release: &ReleaseEntry| failing.iter().any(|one| one.id == release.id);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Releases" {
            table.releases {
                thead { tr {
                    (columns(["Version", "Channel", "State", "Rollout", "Artifacts"])) (value("Size"))
                    (column("Created"))
                } }
                tbody { @for release in &found.items { (row(app, release, is_failing(release))) } }
            }
        }
    }
}

fn row(app: &str, release: &ReleaseEntry, is_failing: bool) -> Markup {
    let size = release.artifacts.iter().map(|artifact| artifact.size).sum();
    let page = Address::page(["apps", app, "releases", release.id.as_str()]);
    html! {
        tr {
            th scope="row" { a href=(page) { (release.version) } }
            td { (channels(release)) }
            td { (state(release, is_failing)) }
            td { (rolled_out(release)) }
            td.parts { (artifacts(release)) }
            td.value { (parts::size(size)) }
            td { (parts::time(&release.created_at)) }
        }
    }
}

/// Whether clients see the release, whether it fails, and its special properties.
fn state(release: &ReleaseEntry, is_failing: bool) -> Markup {
    html! {
        @if is_failing { (parts::badge("bad", "unhealthy")) } @else { (release_state::badge(release)) }
        @if release.critical { " " (parts::badge("bad", "critical")) }
        @if release.intermediate { " " (parts::badge("warn", "intermediate")) }
    }
}

/// The release's own channel, and those it was promoted to.
fn channels(release: &ReleaseEntry) -> String {
    if release.channels.is_empty() { release.channel.clone() } else { release.channels.join(", ") }
}

fn rolled_out(release: &ReleaseEntry) -> Markup {
    let part = BasisPoints::new(release.basis_points).unwrap_or(BasisPoints::NONE);
    let is_halted = rollout::state(&release.rollout_state) == RolloutState::Halted;
    html! {
        // A release that clients do not see is not offered, so its rollout does not matter yet.
        @if !release.published { "–" } @else { span.rollout {
            meter.halted[is_halted] min="0" max="100" value=(part) aria-hidden="true" {}
            @let brief = rollout::brief(part, &release.rollout_state);
            @if is_halted { (parts::badge("bad", &brief)) } @else { (brief) }
        } }
    }
}

/// The platforms, with the number of files where it is more than one.
fn artifacts(release: &ReleaseEntry) -> Markup {
    let mut by_platform: BTreeMap<&str, u64> = BTreeMap::new();
    for artifact in &release.artifacts {
        *by_platform.entry(&artifact.platform).or_default() += 1;
    }
    html! {
        @for (i, (platform, number)) in by_platform.iter().enumerate() {
            @if i > 0 { ", " }
            @if platform.is_empty() { (number) } @else { (platform) @if *number > 1 { " ×" (number) } }
        }
    }
}
