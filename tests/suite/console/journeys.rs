//! Journeys through the console, from the first page to the last, with the clicks counted.

use std::cell::Cell;

use serde_json::json;
use spindrift_tests::{API_KEY, Driver, Release, World, on_hosts};

use super::visitor::Visitor;
use crate::reports;
use crate::roles::person;

on_hosts! {
    every: [],
    hosted: [
        a_first_release_takes_eight_clicks,
        a_first_application_that_is_half_there_is_completed,
        a_careful_rollout_that_turns_bad_is_halted_and_cured,
        a_person_on_call_halts_a_bad_release,
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

    /// Publishes one file with the form, and waits for the page of its release.
    fn send_file(&self, name: &str) {
        let Visitor { world, browser, .. } = self.visitor;
        let folder = world.dir().join("files");
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(name);
        std::fs::write(&file, "x").unwrap();
        // The button, and the file in the system's own window.
        self.count.set(self.count.get() + 2);
        browser.send("#files", file.to_str().unwrap());
        browser.wait_until("it is listed", "return document.querySelectorAll('#chosen tr').length === 1");
        self.visitor.receipt_settles();
        self.on("#send");
        browser.wait_until("the release is shown", "return location.pathname.includes('/releases/')");
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

    clicks.send_file("notes-1.0.0.AppImage");
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

/// Devices of 1.0.0 in the week before, and of 2.0.0 today.
const DEVICES: &str = "WITH RECURSIVE devices (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM devices WHERE n < 199),
     days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < 12)
     INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests)
     SELECT unixepoch() / 86400 - d, apps.id, n, iif(d = 0, '2.0.0', '1.0.0'), 'stable', 'linux', 'amd64', d = 0, 1
     FROM apps, devices, days";

fn a_careful_rollout_that_turns_bad_is_halted_and_cured(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let world = &visitor.world;
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    acme.publish(Release::new("1.0.0"));
    world.database().execute(DEVICES, []).unwrap();
    visitor.log_in("acme");
    let clicks = Clicks { visitor: &visitor, count: Cell::new(0) };

    visitor.go("apps/notes/publish");
    clicks.send_file("notes_2.0.0_amd64.deb");
    visitor.is_told("1 % by plan");
    assert_eq!(clicks.count.get(), 3, "the form suggests the plan and the guard");

    // Two days later it reaches a quarter of the devices, and crashes on some. The page is still open.
    world.age_rollouts(2 * 86_400 + 60);
    visitor.is_told("25 % by plan");
    let mut report = reports::failure_because("segv");
    report["application"]["version"] = "2.0.0".into();
    for device in 0..25 {
        let _ = reports::send(world.client(), &key, &format!("device-{device}"), &report).expect(202);
    }
    visitor.is_told("25 of 200 devices failed");
    let run = acme.post("/guard/run").send().expect(200).json();
    assert_eq!(run["unhealthy"], 1, "{run}");
    visitor.is_told("25 %, halted by the guard");

    clicks.count.set(0);
    clicks.press("Publish a fix");
    visitor
        .browser
        .wait_until("the form", "return document.querySelector('[name=cures]')?.value === '2.0.0'");
    clicks.send_file("notes_2.0.1_amd64.deb");
    visitor.is_told("notes 2.0.1");
    assert_eq!(clicks.count.get(), 4, "from the halted release to its cure");
    // At once for the copies that run the bad release; by plan for everybody else.
    let offered = |version: &str| {
        let checks = (0..40).map(|device| acme.check_as(&format!("device-{device}"), version));
        checks.filter(|answer| answer["version"] == "2.0.1").count()
    };
    assert_eq!(offered("2.0.0"), 40);
    assert!(offered("1.0.0") < 10, "a hundredth of the devices");
}

fn a_person_on_call_halts_a_bad_release(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let id = acme.publish(Release::new("2.0.0"));
    let on_call =
        json!({ "role": "on-call", "permissions": { "apps": { "allowed": [acme.app_id("notes")] } } });
    let _ = person(&visitor.world, &acme, "joe", on_call);
    visitor.log_in("joe");
    let clicks = Clicks { visitor: &visitor, count: Cell::new(0) };
    visitor.go("apps/notes");
    clicks.press("A bad release is out");
    clicks.press("Halt 2.0.0");
    visitor.arrives_at(&format!("/console/apps/notes/releases/{id}"));
    visitor.is_told("halted by joe");
    assert_eq!(clicks.count.get(), 2);
    assert_eq!(acme.check("0.9.0")["version"], "1.0.0");
    let buttons = "return [...document.querySelectorAll('a, button')].map(one => one.innerText).join('|')";
    let buttons = visitor.browser.run(buttons).as_str().unwrap_or_default().to_owned();
    for button in ["Resume", "Publish a fix", "Add files"] {
        assert!(!buttons.contains(button), "{button}: {buttons}");
    }
    visitor.go("apps/notes/emergency");
    assert!(!visitor.browser.text().contains("Halt 2.0.0"), "{}", visitor.browser.text());
}
