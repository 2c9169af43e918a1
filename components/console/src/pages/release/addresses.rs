//! The addresses that each updater uses.

use std::collections::BTreeSet;

use maud::{Markup, html};
use spindrift_api::{ArtifactEntry, PlatformEntry, ReleaseEntry};
use spindrift_core::Updater;

use super::requested_release::RequestedRelease;
use crate::client_scope::ClientScope;
use crate::parts;

pub(super) fn section(api_url: &str, found: &RequestedRelease, platforms: &[PlatformEntry]) -> Markup {
    let (app, release) = (&found.app, &found.release);
    html! {
        section {
            h2 { "Addresses" }
            p.hint {
                "Installed copies request these URLs. " code { "{version}" } " stands for the version that \
                    they run."
            }
            @for target in targets(release) {
                @let place = ClientScope {
                    api_url: api_url.to_owned(),
                    owner: app.owner.clone(),
                    app: app.app_name.clone(),
                    channel: dimension_name(&release.channel),
                    platform: dimension_name(target.platform),
                    arch: dimension_name(target.arch),
                };
                h3 { (name(&place)) }
                dl.pairs {
                    @for updater in updaters(release, &target, platforms) {
                        dt { (updater) } dd { (parts::copyable(&place.address(updater, "{version}"))) }
                    }
                }
            }
        }
    }
}

/// A platform with an architecture. Empty: the owner uses none.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PlatformArch<'a> {
    platform: &'a str,
    arch: &'a str,
}

impl<'a> PlatformArch<'a> {
    fn of(artifact: &'a ArtifactEntry) -> Self {
        Self { platform: &artifact.platform, arch: &artifact.arch }
    }
}

fn targets(release: &ReleaseEntry) -> BTreeSet<PlatformArch<'_>> {
    release.artifacts.iter().map(PlatformArch::of).collect()
}

/// The updaters of a platform. If there are no platforms, or the user may not see this one: the
/// updaters of the files.
fn updaters(
    release: &ReleaseEntry,
    target: &PlatformArch<'_>,
    platforms: &[PlatformEntry],
) -> BTreeSet<Updater> {
    match platforms.iter().find(|entry| entry.platform_name == target.platform) {
        Some(entry) => entry.updaters.iter().filter_map(|entry| entry.updater.parse().ok()).collect(),
        None => release
            .artifacts
            .iter()
            .filter(|artifact| PlatformArch::of(artifact) == *target)
            .filter_map(|artifact| artifact.updater.parse().ok())
            .collect(),
    }
}

fn dimension_name(name: &str) -> Option<String> {
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

fn name(place: &ClientScope) -> String {
    let used: Vec<&str> = [&place.platform, &place.arch].into_iter().flatten().map(String::as_str).collect();
    if used.is_empty() { "Every device".to_owned() } else { used.join(", ") }
}
