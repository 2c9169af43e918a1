//! Journeys through the console, from the first page to the last, with the clicks counted.

use std::cell::Cell;

use serde_json::json;
use spindrift_tests::{API_KEY, Driver, Release, World, on_hosts};

use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [
        a_first_release_takes_eight_clicks,
        a_first_application_that_is_half_there_is_completed,
        a_bad_release_is_halted_from_its_own_page,
    ],
}

/// Somebody who counts what they click on.
struct Clicks<'v> {
    visitor: &'v Visitor,
    count: Cell<usize>,
}

impl Clicks<'_> {
    fn on(&self, css: &str) {
        self.count.set(self.count.get() + 1);
        self.visitor.browser.click(css);
    }

    fn press(&self, text: &str) {
        self.count.set(self.count.get() + 1);
        self.visitor.browser.press(text);
    }

    /// Chooses an option: a click opens the list, and one takes it.
    fn choose(&self, select: &str, value: &str) {
        self.count.set(self.count.get() + 2);
        self.visitor.browser.run(&format!("document.querySelector('{select}').value = '{value}'"));
    }
}

fn a_first_release_takes_eight_clicks(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let clicks = Clicks { visitor: &visitor, count: Cell::new(0) };
    visitor.go("");
    visitor.arrives_at("/console/signup");
    visitor.browser.fill("[name=username]", "acme");
    visitor.browser.fill("[name=password]", "a long enough password");
    visitor.browser.fill("[name=api_key]", API_KEY);
    clicks.press("Create admin");
    visitor.arrives_at("/console/setup/start");

    visitor.browser.fill("[name=app]", "notes");
    clicks.on("[name=system][value=linux]");
    clicks.choose("[name=built]", "plain");
    clicks.press("Create");
    visitor.is_told("Publish the first release");
    assert!(visitor.browser.text().contains("GitHub Actions"), "{}", visitor.browser.text());
    visitor.browser.press("Publish the first release");
    visitor.arrives_at("/console/apps/notes/publish");
    assert!(clicks.count.get() <= 5, "{} clicks to the form", clicks.count.get());

    let folder = visitor.world.dir().join("files");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("notes-1.0.0.AppImage");
    std::fs::write(&file, "x").unwrap();
    // The button, and the file in the system's own window.
    clicks.count.set(clicks.count.get() + 2);
    visitor.browser.send("#files", file.to_str().unwrap());
    visitor.browser.wait_until("it is listed", "return document.querySelectorAll('#chosen tr').length === 1");
    clicks.on("#send");
    visitor.browser.wait_until("the release is shown", "return location.pathname.includes('/releases/')");
    assert!(clicks.count.get() <= 8, "{} clicks to the release", clicks.count.get());

    let acme = visitor.world.login("acme", "a long enough password");
    let release = acme.release("1.0.0");
    assert_eq!((release.state.as_str(), release.channel.as_str()), ("published", "stable"));
    let (platform, arch) = (&release.artifacts[0].platform, &release.artifacts[0].arch);
    assert_eq!((platform.as_str(), arch.as_str()), ("linux", "amd64"));
}

fn a_first_application_that_is_half_there_is_completed(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let session = super::session::Session::of(&world, &acme);
    let sent = [
        ("app", "notes"),
        ("system", "linux"),
        ("system", "windows"),
        ("processor", "x64"),
        ("built", "velopack"),
        ("channel", "stable"),
        ("channel", "beta"),
    ];
    let nothing = session.post("setup/start", &sent[..1]).expect(400).text();
    assert!(
        nothing.contains("choose at least one system") && nothing.contains("value=\"notes\""),
        "{nothing}"
    );

    let created = session.post("setup/start", &sent).expect(303);
    assert_eq!(created.header("location"), "/console/setup/snippets?app=notes&done=created");

    let names = |path: &str, list: &str, field: &str| -> Vec<String> {
        let found = acme.get(path).ok();
        found[list].as_array().unwrap().iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("/channel/list", "channels", "ChannelName"), ["beta", "stable"]);
    assert_eq!(names("/arch/list", "archs", "ArchID"), ["amd64"]);
    let platforms = acme.get("/platform/list").ok();
    let updaters = |at: usize| platforms["platforms"][at]["Updaters"].clone();
    assert_eq!(
        updaters(0),
        json!([{ "type": "manual", "default": true }, { "type": "velopack", "default": false }])
    );
    assert_eq!(updaters(1), json!([{ "type": "velopack", "default": true }]));
    let page = session.page("setup/snippets?app=notes");
    assert!(!page.contains("Publish the first release"), "{page}");
}

fn a_bad_release_is_halted_from_its_own_page(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let id = acme.publish(Release::new("2.0.0"));
    visitor.log_in("acme");
    let clicks = Clicks { visitor: &visitor, count: Cell::new(0) };
    visitor.go("apps/notes");
    clicks.press("A bad release is out");
    clicks.press("Halt 2.0.0");
    visitor.arrives_at(&format!("/console/apps/notes/releases/{id}"));
    assert_eq!(clicks.count.get(), 2);
    assert_eq!(acme.check("0.9.0")["version"], "1.0.0");
    visitor.go("apps/notes/emergency");
    assert!(!visitor.browser.text().contains("Halt 2.0.0"), "{}", visitor.browser.text());
    visitor.browser.press("Publish a fix for 2.0.0");
    assert_eq!(visitor.browser.run("return document.querySelector('[name=cures]').value"), "2.0.0");
}
