//! Feed files are recognised by name, and native updaters find the published release.

use spindrift_tests::{
    Client, Driver, World, electron_yml, full_package, on_hosts, squirrel_line, velopack_asset,
};

use crate::shell::Shell;

on_hosts! {
    every: [
        electron_finds_the_published_release,
        velopack_finds_the_published_release,
        squirrel_finds_the_published_release,
    ],
}

/// The updater of the platform `windows`, a feed file, and the only file in the feed.
struct Case<'a> {
    updater: &'a str,
    feed: (&'a str, String),
    file: &'a str,
}

impl Case<'_> {
    /// Publishes with a single pattern, and then updates like an installed copy.
    fn publish_and_update(&self, driver: Driver) {
        let world = World::new(driver);
        let shell = Shell::of_ada(&world);
        shell.ok(&["platform", "create", "windows", "--updater", self.updater]);
        let (feed, content) = &self.feed;
        shell.write(&format!("dist/{feed}"), content).write(&format!("dist/{}", self.file), self.file);
        let scope = ["--app", "notes", "--channel", "stable", "--platform", "windows", "--arch", "amd64"];
        let rest = ["--updater", self.updater, "--publish", "--json", "dist/*"];
        let done = shell.ok(&[&["publish", "--version", "1.1.0"], &scope[..], &rest].concat());

        let report = done.json();
        assert_eq!(report["feeds"], serde_json::json!([feed]));
        assert_eq!(report["files"].as_array().unwrap().len(), 1, "{report}");
        assert_eq!(done.sent(), [self.file], "the feed travels with init");

        let base = "/update/ada/notes/stable/windows/amd64/1.0.0";
        let served = world.get(&format!("{base}/{feed}")).send().expect(200).text();
        assert!(served.contains(self.file), "{served}");
        let moved = world.get(&format!("{base}/{}", self.file)).send().expect(302);
        let there = Client::new("").get(moved.header("location")).send().expect(200);
        assert_eq!(there.text(), self.file);
    }
}

fn electron_finds_the_published_release(driver: Driver) {
    let file = "Notes-Setup-1.1.0.exe";
    let feed = ("latest.yml", electron_yml("1.1.0", &[file]));
    Case { updater: "electron-builder", feed, file }.publish_and_update(driver);
}

fn velopack_finds_the_published_release(driver: Driver) {
    let file = &full_package("1.1.0");
    let assets = [velopack_asset("1.1.0", "Full", file)];
    let feed = ("releases.win.json", serde_json::json!({ "Assets": assets }).to_string());
    Case { updater: "velopack", feed, file }.publish_and_update(driver);
}

fn squirrel_finds_the_published_release(driver: Driver) {
    let file = &full_package("1.1.0");
    Case { updater: "squirrel_windows", feed: ("RELEASES", squirrel_line(file)), file }
        .publish_and_update(driver);
}
