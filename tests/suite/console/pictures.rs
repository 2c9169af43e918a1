//! Pictures of every page, to be looked at, and for the documentation:
//!
//! ```console
//! SPINDRIFT_TEST_PICTURES=1 cargo test -p spindrift-tests --test suite console::pictures::embedded
//! ```

use std::path::Path;

use serde_json::json;
use spindrift_tests::{Account, Driver, Scheme, on_hosts};

use super::seeds;
use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [pictures_of_every_page],
}

/// The folder for them, inside of the build.
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
pub(super) fn pages(acme: &Account) -> Vec<(String, String)> {
    let id = |path: &str, list: &str, field: &str| {
        acme.get(path).ok()[list][0][field].as_str().unwrap().to_owned()
    };
    let release = id("/search?app_name=notes&channel=stable&limit=1", "items", "ID");
    let release = format!("apps/notes/releases/{release}");
    let group = id("/reports/groups?app=notes&search=segfault&status=open", "items", "group_hash");
    let user = id("/users/list", "users", "id");
    let platform = id("/platform/list", "platforms", "ID");
    let (notes, webhook) = (acme.app_id("notes"), id("/webhooks", "webhooks", "id"));
    let testers = format!("apps/notes/groups/{}", id("/device-groups?app=notes", "groups", "id"));
    let client = "apps/notes/client?version=1.3.0&channel=stable&platform=linux&arch=amd64&device=device-7";
    let pages = [
        ("new-passkey", "people/passkeys/new".to_owned()),
        ("device", "device".to_owned()),
        ("overview", String::new()),
        ("application", "apps/notes".to_owned()),
        ("empty", "apps/terminal".to_owned()),
        ("release", release.clone()),
        ("release-files", format!("{release}?tab=files")),
        ("release-who", format!("{release}?tab=who")),
        ("release-settings", format!("{release}?tab=settings")),
        ("release-history", format!("{release}?tab=history")),
        ("release-notes", format!("{release}?edit=notes")),
        ("release-requirements", format!("{release}?edit=requirements&platform=darwin&arch=arm64")),
        ("release-delete", format!("{release}/delete")),
        ("release-withdraw", format!("{release}/withdraw")),
        ("stop", "apps/notes/stop".to_owned()),
        ("freezes", "freezes".to_owned()),
        ("emergency", "apps/notes/emergency".to_owned()),
        ("find", "find?q=notes".to_owned()),
        ("groups", "apps/notes/groups".to_owned()),
        ("group", testers.clone()),
        ("group-key", format!("{testers}/key")),
        ("group-delete", format!("{testers}/delete")),
        ("client", client.to_owned()),
        ("publish", "apps/notes/publish".to_owned()),
        ("telemetry", "telemetry?range=month".to_owned()),
        ("failures", "failures?app=notes".to_owned()),
        ("failure", format!("failures/{group}")),
        ("history", "history".to_owned()),
        ("setup", "setup".to_owned()),
        ("start", "setup/start".to_owned()),
        ("setup-application", format!("setup/apps/{notes}")),
        ("setup-platform", format!("setup/platforms/{platform}")),
        ("setup-channel", "setup/channels/new".to_owned()),
        ("setup-webhook", "setup/webhooks/new".to_owned()),
        ("setup-webhook-test", format!("setup/webhooks/{webhook}")),
        ("setup-webhook-edit", format!("setup/webhooks/{webhook}/edit")),
        ("snippets", "setup/snippets?app=notes".to_owned()),
        ("people", "people".to_owned()),
        ("people-user", format!("people/users/{user}")),
        ("people-invitation", "people/invitations/new".to_owned()),
        ("people-token", "people/tokens/new".to_owned()),
        ("trust", "trust".to_owned()),
        ("trust-application", "trust/vault".to_owned()),
        ("nowhere", "nowhere".to_owned()),
    ];
    pages.into_iter().chain(pages_without_login(acme)).map(|(name, path)| (name.to_owned(), path)).collect()
}

fn pages_without_login(acme: &Account) -> [(&'static str, String); 4] {
    let invited = acme.post_json("/invitations", json!({ "role": "support" })).send().expect(201).json();
    [
        ("halt", "halt?token=of.another.service".to_owned()),
        ("invitation", format!("invitation?secret={}", invited["secret"].as_str().unwrap())),
        ("get", "../get/acme/notes".to_owned()),
        ("get-why", "../get/acme/notes/why".to_owned()),
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
