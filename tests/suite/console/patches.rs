//! Patches that the browser makes when it publishes, and the client library that downloads by them.

use std::path::{Path, PathBuf};

use serde_json::json;
use spindrift_client::{CheckOptions, Config, Download, Way};
use spindrift_tests::{Account, Driver, PASSWORD, Release, World, on_hosts, sha256_hex};

use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [
        the_browser_makes_patches_and_clients_use_them,
        patches_of_private_files_are_made,
        files_that_patches_save_nothing_of_are_published_alone,
        older_files_that_pages_may_not_read_are_explained,
    ],
}

/// Letters without a pattern, of an alphabet of 64.
fn letters(mut state: u32) -> Vec<u8> {
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'0' + state.to_be_bytes()[0] / 4
    };
    std::iter::repeat_with(next).take(300_000).collect()
}

/// A program, in which a few letters tell the version.
fn program(version: u8) -> String {
    let mut letters = letters(1);
    // It also grows, so that everything after this is moved.
    letters.splice(1000..1000, vec![b'0' + version; usize::from(version) * 100]);
    String::from_utf8(letters).unwrap()
}

impl Visitor {
    /// At the form for version 3, with a file and the wish for patches.
    fn at_version_3(&self, app: &str, file: &Path) {
        self.log_in("acme");
        self.go(&format!("apps/{app}/publish"));
        self.browser.send("#files", file.to_str().unwrap());
        self.browser
            .wait_until("it is listed", "return document.querySelectorAll('#chosen tr').length === 1");
        self.browser.fill("[name=version]", "3.0.0");
        self.browser.run("document.querySelector('[name=patches]').closest('details').open = true");
        self.browser.fill("[name=patches]", "2");
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let file = self.world.dir().join(name);
        std::fs::write(&file, content).unwrap();
        file
    }
}

/// Publishes versions 1 and 2 of a program.
fn with_older(acme: Account) -> Account {
    for version in [1, 2] {
        let release = Release::empty(&format!("{version}.0.0")).file("notes.deb", program(version));
        acme.publish(release);
    }
    acme
}

fn the_browser_makes_patches_and_clients_use_them(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let acme = with_older(visitor.world.admin("acme").with_notes());
    visitor.at_version_3("notes", &visitor.write("notes.deb", &program(3)));
    visitor.publish();
    let patches: Vec<_> =
        acme.release("3.0.0").artifacts.into_iter().filter_map(|artifact| artifact.patch).collect();
    assert_eq!(patches.len(), 2, "{patches:?}");

    let client = spindrift_client::Client::new(Config::new(visitor.world.url())).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for version in [1, 2] {
        let options = CheckOptions::new("acme", "notes", format!("{version}.0.0"))
            .with_target("stable", "linux", "amd64");
        let update = runtime.block_on(client.check(&options)).unwrap().unwrap();
        let patch = update.patch_of("deb").unwrap().clone();
        assert!(patch.length < 2000, "{patch:?}");
        let (base, new) = (visitor.write("base.deb", &program(version)), visitor.world.dir().join("new.deb"));
        let download = Download::new(update.url_of("deb").unwrap(), &new).with_patch(patch.clone(), base);
        let done = runtime.block_on(client.download(&download, |_| {})).unwrap();
        assert_eq!(done.way, Way::Patched { saved: patch.file_length - patch.length });
        assert_eq!(std::fs::read_to_string(new).unwrap(), program(3));
    }
}

fn patches_of_private_files_are_made(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    let older = Release::empty("1.0.0").file("notes.deb", program(1)).with("app_name", "secret");
    acme.publish(older);
    visitor.at_version_3("secret", &visitor.write("notes.deb", &program(3)));
    visitor.publish();
    let release = acme.release("3.0.0");
    let patch = release.artifacts.into_iter().find_map(|artifact| artifact.patch).unwrap();
    assert_eq!(
        (patch.base_version.as_str(), patch.base_sha256),
        ("1.0.0", sha256_hex(program(1).as_bytes()))
    );
}

/// The new file has nothing in common with the older ones.
fn files_that_patches_save_nothing_of_are_published_alone(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let acme = with_older(visitor.world.admin("acme").with_notes());
    visitor.at_version_3("notes", &visitor.write("notes.deb", &String::from_utf8(letters(2)).unwrap()));
    visitor.publish();
    assert_eq!(acme.release("3.0.0").artifacts.len(), 1);
}

fn older_files_that_pages_may_not_read_are_explained(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    with_older(visitor.world.admin("acme").with_notes());
    visitor.at_version_3("notes", &visitor.write("notes.deb", &program(3)));
    visitor.browser.run(
        "const all = window.fetch; window.fetch = (to, options) => \
         String(to).includes('spindrift-public') ? Promise.reject(new TypeError('refused')) : all(to, options)",
    );
    visitor.send_form();
    visitor.browser.wait_until("a problem is shown", "return !document.querySelector('#problem').hidden");
    let problem = visitor.browser.text_of("#problem");
    assert!(problem.contains("notes.deb: no patch from 2.0.0") && problem.contains("CORS rule"), "{problem}");
    visitor.browser.fill("[name=patches]", "0");
    visitor.publish();
    let acme = visitor.world.login("acme", PASSWORD);
    assert_eq!(acme.release("3.0.0").artifacts.len(), 1);
}
