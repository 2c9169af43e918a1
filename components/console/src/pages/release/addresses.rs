//! The addresses that each updater uses, as `docs/api/feeds.md` has them.

use std::collections::BTreeSet;

use maud::{Markup, html};
use spindrift_api::{PlatformEntry, ReleaseEntry};
use spindrift_core::{Updater, dimension_or_default, encode_segments};

use super::found::Found;
use crate::address::Address;
use crate::parts;

/// Where installed copies of an application ask.
struct Place<'a> {
    api_url: &'a str,
    owner: &'a str,
    app: &'a str,
    channel: &'a str,
    platform: &'a str,
    arch: &'a str,
}

pub(super) fn section(api_url: &str, found: &Found, platforms: &[PlatformEntry]) -> Markup {
    let (app, release) = (&found.app, &found.release);
    let places: Vec<Place<'_>> = dimensions(release)
        .into_iter()
        .map(|(platform, arch)| Place {
            api_url,
            owner: &app.owner,
            app: &app.app_name,
            channel: &release.channel,
            platform,
            arch,
        })
        .collect();
    html! {
        section {
            h2 { "Addresses" }
            p.hint { "What installed copies ask, whatever their version: " code { "{version}" } " is the one that they run." }
            @for place in &places {
                h3 { (place.name()) }
                dl.pairs {
                    @for updater in updaters(place.platform, platforms) {
                        dt { (updater) } dd { (parts::copyable(&place.address(updater))) }
                    }
                }
            }
        }
    }
}

/// The platforms and architectures of its files.
fn dimensions(release: &ReleaseEntry) -> BTreeSet<(&str, &str)> {
    release.artifacts.iter().map(|artifact| (&*artifact.platform, &*artifact.arch)).collect()
}

/// The updaters of a platform; without platforms that is `manual`.
fn updaters(platform: &str, platforms: &[PlatformEntry]) -> Vec<Updater> {
    let known = platforms.iter().find(|entry| entry.platform_name == platform);
    known.map_or_else(
        || vec![Updater::Manual],
        |entry| entry.updaters.iter().filter_map(|entry| entry.updater.parse().ok()).collect(),
    )
}

impl Place<'_> {
    fn name(&self) -> String {
        let used = [self.platform, self.arch].into_iter().filter(|name| !name.is_empty());
        let name = used.collect::<Vec<_>>().join(", ");
        if name.is_empty() { "Every device".to_owned() } else { name }
    }

    fn address(&self, updater: Updater) -> String {
        match updater {
            Updater::Manual => self.check(),
            Updater::SquirrelWindows | Updater::ElectronBuilder | Updater::Velopack => self.base(),
            Updater::SquirrelDarwin => format!("{}squirrel.json", self.base()),
            Updater::Sparkle => format!("{}appcast.xml", self.base()),
            Updater::Tauri => format!(
                "{}/update/{}/{{{{target}}}}/{{{{arch}}}}/{{{{current_version}}}}/tauri.json?bundle_type={{{{bundle_type}}}}",
                self.api_url,
                encode_segments([self.owner, self.app, used(self.channel)]),
            ),
        }
    }

    fn base(&self) -> String {
        let path =
            encode_segments([self.owner, self.app, used(self.channel), used(self.platform), used(self.arch)]);
        format!("{}/update/{path}/{{version}}/", self.api_url)
    }

    fn check(&self) -> String {
        let call = Address::call("/checkVersion")
            .with("app_name", self.app)
            .with("owner", self.owner)
            .with("channel", self.channel)
            .with("platform", self.platform)
            .with("arch", self.arch);
        format!("{}{call}&version={{version}}", self.api_url)
    }
}

fn used(name: &str) -> &str {
    dimension_or_default(Some(name).filter(|name| !name.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_documentation() {
        let place = Place {
            api_url: "https://u.example",
            owner: "acme",
            app: "My App",
            channel: "stable",
            platform: "mac",
            arch: "",
        };
        let base = "https://u.example/update/acme/My%20App/stable/mac/default/{version}/";
        for (updater, expected) in [
            (
                Updater::Manual,
                "https://u.example/checkVersion?app_name=My%20App&owner=acme&channel=stable&platform=mac&version={version}"
                    .to_owned(),
            ),
            (Updater::SquirrelWindows, base.to_owned()),
            (Updater::ElectronBuilder, base.to_owned()),
            (Updater::Velopack, base.to_owned()),
            (Updater::SquirrelDarwin, format!("{base}squirrel.json")),
            (Updater::Sparkle, format!("{base}appcast.xml")),
            (
                Updater::Tauri,
                "https://u.example/update/acme/My%20App/stable/{{target}}/{{arch}}/{{current_version}}/\
                 tauri.json?bundle_type={{bundle_type}}"
                    .to_owned(),
            ),
        ] {
            assert_eq!(place.address(updater), expected, "{updater}");
        }
    }
}
