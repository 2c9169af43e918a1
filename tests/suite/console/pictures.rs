//! Pictures of every page, to be looked at, and for the documentation:
//!
//! ```console
//! SPINDRIFT_TEST_PICTURES=1 cargo test -p spindrift-tests --test suite console::pictures::embedded
//! ```

use std::path::Path;

use spindrift_tests::{Driver, Scheme, on_hosts};

use super::seeds;
use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [pictures_of_every_page],
}

/// Where they are written: a folder of the build.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/console-pictures");
/// Name and size of a window, in CSS pixels.
const WINDOWS: [(&str, (u32, u32)); 2] = [("wide", (1280, 900)), ("phone", (390, 844))];

fn pictures_of_every_page(host: Driver) {
    if std::env::var_os("SPINDRIFT_TEST_PICTURES").is_none() {
        println!(
            "skipped: set SPINDRIFT_TEST_PICTURES=1 to write pictures of every page to target/console-pictures"
        );
        return;
    }
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = seeds::fill(&visitor.world);
    visitor.picture("login", "login");
    visitor.picture("signup", "signup");
    visitor.log_in("acme");
    for (name, path) in pages(&acme) {
        visitor.picture(&name, &path);
    }
}

/// Names and paths of the pages.
pub(super) fn pages(acme: &spindrift_tests::Account) -> Vec<(String, String)> {
    let release = acme.get("/search?app_name=notes&channel=stable&limit=1").ok()["items"][0]["ID"].clone();
    let release = format!("apps/notes/releases/{}", release.as_str().unwrap());
    let group = acme.get("/reports/groups?app=notes").ok()["items"][0]["group_hash"].clone();
    let group = format!("failures/{}", group.as_str().unwrap_or_default());
    let page = |name: &str, path: &str| (name.to_owned(), path.to_owned());
    vec![
        page("overview", ""),
        page("application", "apps/notes"),
        page("empty", "apps/terminal"),
        page("release", &release),
        page("release-delete", &format!("{release}/delete")),
        page("publish", "apps/notes/publish"),
        page("telemetry", "telemetry?range=month"),
        page("failures", "failures?app=notes"),
        page("failure", &group),
        page("setup", "setup"),
        page("snippets", "setup/snippets?app=notes"),
        page("people", "people"),
        page("trust", "trust"),
        page("nowhere", "nowhere"),
    ]
}

impl Visitor {
    /// Writes four pictures of a page.
    fn picture(&self, name: &str, path: &str) {
        for (window, size) in WINDOWS {
            self.browser.resize(size);
            for scheme in [Scheme::Light, Scheme::Dark] {
                self.browser.prefer(scheme);
                self.go(path);
                let file = format!("{name}-{window}-{}.png", scheme.name());
                self.browser.picture(&Path::new(FOLDER).join(file));
            }
        }
    }
}
