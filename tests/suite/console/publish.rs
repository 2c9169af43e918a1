//! Publishing in a browser, from the choice of files to an installed copy's check.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use spindrift_tests::{
    Call, Client, Driver, PASSWORD, Release, World, full_package, md5_hex, on_hosts, sha256_hex, sha512_hex,
    squirrel_line, until,
};

use super::reader::Reader;
use super::visitor::Visitor;
use crate::reports;

on_hosts! {
    every: [],
    hosted: [
        chosen_files_are_published_and_a_client_gets_them,
        feeds_are_sent_with_the_form,
        a_time_is_chosen_in_the_form,
        names_fill_in_the_form,
        the_form_says_who_will_get_the_release,
        nobody_publishes_without_seeing_the_receipt,
        a_release_is_not_published_while_its_receipt_is_unknown,
        a_release_for_devices_is_rolled_out_carefully,
        a_form_that_is_refused_can_be_mended,
        dropped_files_are_published,
        nothing_can_be_changed_while_files_are_sent,
        an_upload_that_was_refused_sends_only_the_rest,
        a_file_that_was_cut_is_sent_again,
        an_upload_that_outlives_its_addresses_goes_on,
        sent_files_are_completed_later,
        a_file_that_has_changed_has_to_be_chosen_again,
        file_names_that_are_scripts_are_text,
        a_new_login_goes_on_with_the_open_page,
        only_the_page_of_this_login_begins_uploads,
        a_storage_that_browsers_cannot_reach_is_explained,
        a_large_file_is_published_in_little_memory,
    ],
}

/// A visitor, logged in as the admin of `notes`, at the form.
fn at_the_form(world: impl FnOnce() -> World) -> Option<Visitor> {
    let visitor = Visitor::of(world)?;
    let _ = visitor.world.admin("acme").with_notes();
    visitor.log_in("acme");
    visitor.go("apps/notes/publish");
    Some(visitor)
}

impl Visitor {
    /// A file on this visitor's disk.
    fn file(&self, name: &str, content: &str) -> PathBuf {
        let file = self.world.dir().join("files").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, content).unwrap();
        file
    }

    /// Chooses files, and waits until the page lists them.
    fn choose(&self, files: &[PathBuf]) {
        let paths: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
        self.browser.send("#files", &paths.join("\n"));
        let listed = format!("return document.querySelectorAll('#chosen tr').length === {}", files.len());
        self.browser.wait_until("the files are listed", &listed);
    }

    fn value(&self, field: &str) -> Value {
        self.browser.run(&format!("return document.querySelector('[name={field}]').value"))
    }

    /// Sends the form, and waits for the page of the release.
    pub(super) fn publish(&self) {
        self.send_form();
        self.browser.wait_until("the release is shown", "return location.pathname.includes('/releases/')");
    }

    /// Sends the form, and returns why that did not work.
    fn fail_to_publish(&self) -> String {
        self.send_form();
        self.browser.wait_until("a problem is shown", "return !document.querySelector('#problem').hidden");
        self.browser.text_of("#problem")
    }
}

fn chosen_files_are_published_and_a_client_gets_them(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    // More than one slice, and not a whole number of them.
    let content = "notes ".repeat(1_000_000);
    let files = [visitor.file("notes.deb", &content), visitor.file("notes.empty", "")];
    visitor.choose(&files);
    visitor.browser.fill("[name=version]", "1.0.0");
    visitor.browser.fill("[name=changelog]", "The *first* one.");
    visitor.publish();
    assert!(visitor.browser.text().contains("notes-1.0.0.deb"), "{}", visitor.browser.text());

    let acme = visitor.world.login("acme", PASSWORD);
    let answer = acme.check("0.9.0");
    assert_eq!((&answer["update_available"], &answer["version"]), (&true.into(), &"1.0.0".into()));
    assert_eq!(answer["changelog"], "The *first* one.");
    let stored = Client::new("").get(answer["update_url_deb"].as_str().unwrap()).send().expect(200);
    assert_eq!(stored.text(), content);
    let release = acme.release("1.0.0");
    let deb = release.artifacts.iter().find(|artifact| artifact.package == "deb").unwrap();
    let bytes = content.as_bytes();
    assert_eq!((deb.size, &deb.md5), (bytes.len() as u64, &md5_hex(bytes)));
    assert_eq!((&deb.sha256, &deb.sha512), (&Some(sha256_hex(bytes)), &Some(sha512_hex(bytes))));
}

fn feeds_are_sent_with_the_form(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    acme.create_platform_with("windows", &["manual", "squirrel_windows"]);
    visitor.log_in("acme");
    visitor.go("apps/notes/publish");
    visitor.browser.run(
        "const platform = document.querySelector('[name=platform]'); platform.value = 'windows'; \
         platform.dispatchEvent(new Event('change'))",
    );
    let package = full_package("1.0.0");
    visitor.choose(&[visitor.file(&package, &package), visitor.file("RELEASES", &squirrel_line(&package))]);
    assert!(visitor.browser.text_of("#chosen").contains("feed of squirrel_windows"));
    assert_eq!(
        visitor.browser.run("return document.querySelector('[name=updater]').value"),
        "squirrel_windows"
    );
    visitor.browser.fill("[name=version]", "1.0.0");
    visitor.publish();
    let feed = acme.get("/update/acme/notes/stable/windows/amd64/0.9.0/RELEASES").send().expect(200);
    assert!(feed.text().contains(&package), "{}", feed.text());
}

/// In the time zone of the browser.
fn a_time_is_chosen_in_the_form(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let _ = visitor.world.admin("acme").with_notes();
    let zone = json!({ "timezoneId": "Asia/Tokyo" });
    let _ = visitor.browser.devtools("Emulation.setTimezoneOverride", &zone);
    visitor.log_in("acme");
    visitor.go("apps/notes/publish");
    assert!(visitor.browser.text().contains("Time (Asia/Tokyo)"), "{}", visitor.browser.text());
    visitor.choose(&[visitor.file("notes.deb", "x")]);
    visitor.browser.fill("[name=version]", "1.0.0");
    let (utc, tokyo) = (30, 39);
    let at = |hours| {
        (jiff::Timestamp::now() + jiff::SignedDuration::from_hours(hours)).to_string()[..16].to_owned()
    };
    let (at, shown) = (at(utc), at(tokyo));
    visitor.browser.run(&format!(
        "const field = document.querySelector('[name=publish_at]'); field.value = '{shown}'; \
         field.dispatchEvent(new Event('input', {{ bubbles: true }}))"
    ));
    visitor.publish();
    visitor.is_told("Scheduled: clients see it from");
    let release = visitor.world.login("acme", PASSWORD).release("1.0.0");
    let time = format!("{at}:00+00:00");
    assert_eq!((release.state.as_str(), release.publish_at), ("scheduled", Some(time)));
}

fn names_fill_in_the_form(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    visitor.choose(&[visitor.file("notes_1.2.0_amd64.deb", "x")]);
    assert_eq!(visitor.value("version"), "1.2.0");
    assert_eq!(
        visitor.browser.text_of("#read"),
        "Read from the names of the files: version 1.2.0, platform linux, architecture amd64."
    );
    visitor.choose(&[visitor.file("notes_1.2.0_amd64.deb", "x"), visitor.file("notes-1.2.0.rpm", "x")]);
    visitor.browser.fill("[name=version]", "1.2.1");
    visitor.browser.send("#files", visitor.file("notes-1.2.0.AppImage", "x").to_str().unwrap());
    visitor.browser.wait_until("it is listed", "return document.querySelectorAll('#chosen tr').length === 3");
    assert_eq!(visitor.value("version"), "1.2.1", "what somebody has written stays");
}

fn the_form_says_who_will_get_the_release(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    let acme = visitor.world.login("acme", PASSWORD);
    acme.publish(Release::new("1.0.0"));
    visitor.choose(&[visitor.file("notes.deb", "x")]);
    assert!(visitor.browser.has("#preview[hidden]"), "nothing is known without a version");
    visitor.browser.fill("[name=version]", "1.1.0");
    visitor
        .browser
        .wait_until("the receipt is shown", "return document.querySelector('#preview #receipt') !== null");
    let receipt = visitor.browser.text_of("#preview");
    assert!(receipt.contains("Who gets it") && receipt.contains("linux"), "{receipt}");
    visitor.browser.fill("[name=version]", "no version");
    visitor.is_told("Who gets it is not known yet: invalid version");
    let reason = visitor.browser.text_of("#preview");
    assert!(reason.ends_with('.') && !reason.ends_with(".."), "{reason}");
}

fn nobody_publishes_without_seeing_the_receipt(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    visitor.choose(&[visitor.file("notes_1.2.0_amd64.deb", "x")]);
    // In one step, so that there is no time for the receipt of the new version.
    visitor.browser.run(
        "const version = document.querySelector('[name=version]');
         version.value = '1.3.0';
         version.dispatchEvent(new Event('input', { bubbles: true }));
         document.querySelector('#publish').requestSubmit()",
    );
    visitor.is_told("Check who gets the release, then publish.");
    assert!(visitor.browser.has("#preview #receipt"), "it is there to be checked");
    let acme = visitor.world.login("acme", PASSWORD);
    let _ = acme.get("/releases?app=notes&version=1.3.0").send().expect(404);
    visitor.publish();
    assert_eq!(acme.release("1.3.0").artifacts.len(), 1);
}

fn a_release_is_not_published_while_its_receipt_is_unknown(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    visitor.browser.run(
        "const real = window.fetch;
         window.fetch = (address, call) =>
             address.endsWith('/receipt') ? Promise.reject(new TypeError('cut off')) : real(address, call);
         window.repair = () => { window.fetch = real }",
    );
    visitor.choose(&[visitor.file("notes_1.2.0_amd64.deb", "x")]);
    visitor.is_told("Who gets it is not known yet: cut off.");
    // Not the second time either.
    for _ in 0..2 {
        assert_eq!(visitor.fail_to_publish(), "cut off");
    }
    let acme = visitor.world.login("acme", PASSWORD);
    let _ = acme.get("/releases?app=notes&version=1.2.0").send().expect(404);
    visitor.browser.run("window.repair()");
    visitor.send_form();
    visitor.is_told("Check who gets the release, then publish.");
    visitor.publish();
    assert_eq!(acme.release("1.2.0").artifacts.len(), 1);
}

/// Where devices would notice a bad release, the form suggests a plan and a guard.
fn a_release_for_devices_is_rolled_out_carefully(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let acme = visitor.world.admin("acme");
    let _ = reports::create_notes(&acme);
    let devices =
        "INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests)
         SELECT unixepoch() / 86400, apps.id, 1, '0.9.0', 'stable', 'linux', 'amd64', 1, 1 FROM apps";
    visitor.world.database().execute(devices, []).unwrap();
    visitor.log_in("acme");
    visitor.go("apps/notes/publish");
    visitor.choose(&[visitor.file("notes_1.0.0_amd64.deb", "x")]);
    visitor.publish();
    let offer = acme.get(&format!("/releases/{}", acme.release("1.0.0").id)).ok()["offers"][0].clone();
    assert_eq!((&offer["rollout"]["state"], &offer["rollout"]["percent"]), (&json!("running"), &json!(1)));
    assert_eq!(offer["guard"]["on_unhealthy"], "halt");
}

fn a_form_that_is_refused_can_be_mended(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    let acme = visitor.world.login("acme", PASSWORD);
    acme.publish(Release::new("1.0.0"));
    visitor.browser.fill("[name=version]", "1.0.0");
    assert_eq!(visitor.fail_to_publish(), "Choose at least one file.");
    visitor.choose(&[visitor.file("other.deb", "x")]);
    let problem = visitor.fail_to_publish();
    assert!(problem.contains("exist"), "{problem}");
    assert_eq!(visitor.browser.run("return document.activeElement.name"), "version");
    assert!(
        visitor.browser.has("[name=version][aria-invalid=true]") && visitor.browser.has(".row + #problem")
    );
    visitor.browser.fill("[name=version]", "not a version");
    let problem = visitor.fail_to_publish();
    assert!(problem.contains("version"), "{problem}");
    visitor.browser.fill("[name=version]", "1.0.1");
    visitor.publish();
    assert_eq!(acme.release("1.0.1").artifacts.len(), 1);
}

fn dropped_files_are_published(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    let drop = |target: &str| {
        format!(
            "const files = new DataTransfer(); \
             for (const name of ['notes.deb', 'notes.rpm']) files.items.add(new File([name], name)); \
             const event = new DragEvent('drop', {{ dataTransfer: files, bubbles: true, cancelable: true }}); \
             {target}.dispatchEvent(event); \
             return event.defaultPrevented"
        )
    };
    // Once the page's script runs.
    visitor.browser.wait_until("beside the field nothing is opened", &drop("document.querySelector('h1')"));
    assert_eq!(visitor.browser.run(&drop("document.querySelector('#drop')")), true);
    visitor.browser.wait_until("listed", "return document.querySelectorAll('#chosen tr').length === 2");
    visitor.browser.fill("[name=version]", "1.0.0");
    visitor.publish();
    assert_eq!(visitor.world.login("acme", PASSWORD).release("1.0.0").artifacts.len(), 2);
}

const FILES: [&str; 3] = ["notes.deb", "notes.rpm", "notes.zip"];

/// At the form with three files, and a gate that watches where they go.
fn behind_a_gate(host: Driver) -> Option<Visitor> {
    let visitor = at_the_form(|| World::builder(host).with_gate_for_uploads().start())?;
    visitor.world.gate().watch("/spindrift-private/pending/");
    visitor.choose(&FILES.map(|name| visitor.file(name, name)));
    visitor.browser.fill("[name=version]", "1.0.0");
    Some(visitor)
}

impl Visitor {
    /// Files that were sent since it was last asked.
    fn sent(&self) -> usize {
        let calls = self.world.gate().take_calls();
        calls.iter().filter(|(method, _)| *method == http::Method::PUT).count()
    }

    /// For the page, more time has passed than its addresses are valid.
    fn let_addresses_end(&self) {
        self.browser.run("const now = Date.now; Date.now = () => now() + 31 * 60_000");
    }
}

fn nothing_can_be_changed_while_files_are_sent(host: Driver) {
    let Some(visitor) = behind_a_gate(host) else { return };
    let gate = visitor.world.gate();
    gate.hold();
    visitor.send_form();
    visitor
        .browser
        .wait_until("it sends", "return document.querySelector('#state').textContent === 'Sending'");
    gate.hold_no_more();
    let open = "return [...document.querySelectorAll('#publish :is(input, select, textarea, button)')] \
                .filter((field) => !field.disabled).map((field) => field.id).join()";
    assert_eq!(visitor.browser.run(open), "stop");
    visitor.browser.click("#stop");
    visitor.is_told("Stopped. Files that were sent are kept.");
    gate.release();
    visitor.browser.click("[name=when][value=draft]");
    visitor.publish();
    assert!(!visitor.world.login("acme", PASSWORD).release("1.0.0").published);
}

fn an_upload_that_was_refused_sends_only_the_rest(host: Driver) {
    let Some(visitor) = behind_a_gate(host) else { return };
    let gate = visitor.world.gate();
    // Each file is a preflight request of the browser, and then its upload.
    gate.refuse_after(5);
    let problem = visitor.fail_to_publish();
    assert!(problem.contains("was not sent"), "{problem}");
    assert!(gate.has_refused());
    assert_eq!(visitor.browser.text_of("#send"), "Try again");
    assert_eq!(visitor.sent(), 3);
    visitor.publish();
    assert_eq!(visitor.sent(), 1);
    let acme = visitor.world.login("acme", PASSWORD);
    assert_eq!(acme.release("1.0.0").artifacts.len(), FILES.len());
}

fn a_file_that_was_cut_is_sent_again(host: Driver) {
    let Some(visitor) = at_the_form(|| World::builder(host).with_gate_for_uploads().start()) else { return };
    let gate = visitor.world.gate();
    gate.watch("/spindrift-private/pending/");
    let content = "notes ".repeat(2_000_000);
    visitor.choose(&[visitor.file("notes.deb", &content)]);
    visitor.browser.fill("[name=version]", "1.0.0");
    gate.cut_bodies(true);
    let problem = visitor.fail_to_publish();
    let rule = format!("needs a CORS rule for {}", visitor.world.url());
    assert!(problem.contains("the connection was cut") && problem.contains(&rule), "{problem}");
    gate.cut_bodies(false);
    visitor.publish();
    let release = visitor.world.login("acme", PASSWORD).release("1.0.0");
    assert_eq!(release.artifacts[0].size, content.len() as u64);
}

fn an_upload_that_outlives_its_addresses_goes_on(host: Driver) {
    let Some(visitor) = behind_a_gate(host) else { return };
    let gate = visitor.world.gate();
    gate.refuse_after(5);
    let _ = visitor.fail_to_publish();
    assert_eq!(visitor.sent(), 3);
    let first = gate.take_passed().swap_remove(0).path;
    visitor.let_addresses_end();
    visitor.publish();
    let passed = gate.take_passed();
    assert_eq!(visitor.sent(), 1);
    let folder = |path: &str| path.rsplit_once('/').unwrap().0.to_owned();
    assert_eq!(folder(&passed[0].path), folder(&first), "the same upload");
    let acme = visitor.world.login("acme", PASSWORD);
    assert_eq!(acme.release("1.0.0").artifacts.len(), FILES.len());
}

fn sent_files_are_completed_later(host: Driver) {
    let Some(visitor) = behind_a_gate(host) else { return };
    let gate = visitor.world.gate();
    gate.watch("/spindrift-public/");
    gate.refuse(true);
    let _ = visitor.fail_to_publish();
    gate.refuse(false);
    gate.watch("/spindrift-private/pending/");
    visitor.let_addresses_end();
    visitor.publish();
    assert_eq!(visitor.sent(), 0);
    let acme = visitor.world.login("acme", PASSWORD);
    assert_eq!(acme.release("1.0.0").artifacts.len(), FILES.len());
}

fn a_file_that_has_changed_has_to_be_chosen_again(host: Driver) {
    let Some(visitor) = behind_a_gate(host) else { return };
    visitor.world.gate().refuse_after(5);
    let _ = visitor.fail_to_publish();
    for name in FILES {
        visitor.file(name, "other bytes");
    }
    let problem = visitor.fail_to_publish();
    assert!(problem.contains("has changed since it was chosen: choose it again"), "{problem}");
    visitor
        .browser
        .send("#files", &FILES.map(|name| visitor.file(name, name).display().to_string()).join("\n"));
    visitor.browser.wait_until(
        "the files are listed again",
        "return [...document.querySelectorAll('#chosen .state')].every((state) => state.textContent === 'chosen')",
    );
    visitor.publish();
    let acme = visitor.world.login("acme", PASSWORD);
    assert_eq!(acme.release("1.0.0").artifacts.len(), FILES.len());
}

fn file_names_that_are_scripts_are_text(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    let name = "<img src=x onerror=window.__pwned=1>.nupkg";
    visitor.choose(&[visitor.file(name, "x")]);
    assert!(visitor.browser.text_of("#chosen").contains(name));
    visitor.browser.fill("[name=version]", "<svg onload=window.__pwned=1>");
    let _ = visitor.fail_to_publish();
    assert_eq!(visitor.browser.run("return window.__pwned ?? 'nothing'"), "nothing");
    visitor.browser.fill("[name=version]", "1.0.0");
    visitor.publish();
    assert!(visitor.browser.text().contains(name));
    assert_eq!(visitor.browser.run("return window.__pwned ?? 'nothing'"), "nothing");
}

/// A form's token belongs to a login. The page gets the token of the new one.
fn a_new_login_goes_on_with_the_open_page(host: Driver) {
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    visitor.choose(&[visitor.file("notes.deb", "x")]);
    visitor.browser.fill("[name=version]", "1.0.0");
    visitor.receipt_settles();
    let before = visitor.browser.cookies();
    visitor.browser.forget();
    let problem = visitor.fail_to_publish();
    assert!(problem.contains("Your login has expired"), "{problem}");
    // Two logins of the same second have the same token.
    let token = until("another token", Duration::from_secs(5), || {
        let login = visitor.world.login("acme", PASSWORD);
        let token = login.authorization().trim_start_matches("Bearer ").to_owned();
        (before[0]["value"] != token).then_some(token)
    });
    let cookie = json!({ "name": "spindrift_session", "value": token, "url": visitor.world.url(), "path": "/console" });
    let _ = visitor.browser.devtools("Network.setCookie", &cookie);
    visitor.publish();
}

fn only_the_page_of_this_login_begins_uploads(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let reader = Reader::of(&world, &acme);
    let page = reader.page("apps/notes/publish").expect(200);
    let policy = page.header("content-security-policy");
    assert!(policy.contains(&format!("connect-src 'self' {};", world.store().url())), "{policy}");
    assert!(!policy.contains("wasm"), "the page itself runs none: {policy}");

    let init = "apps/notes/publish/init";
    let data = json!({ "app_name": "notes", "version": "1.0.0", "channel": "stable", "platform": "linux", "arch": "amd64" });
    let form = format!(
        "data={}&files={}",
        percent(&data.to_string()),
        percent(&json!([{ "name": "a.deb", "md5": md5_hex(b"a") }]).to_string())
    );
    let begin = |call: Call<'_>| {
        call.header("content-type", "application/x-www-form-urlencoded").body(form.as_bytes()).send()
    };
    let granted = begin(reader.script_call(init)).expect(200);
    assert!(granted.json()["upload_id"].is_string());
    let seconds = granted.json()["valid_seconds"].as_i64().unwrap();
    assert!((1700..=1800).contains(&seconds), "{seconds}");
    assert_eq!(granted.header("cache-control"), "private, no-store");
    assert_eq!(begin(reader.script_call_with(init, "")).status, 403);
    let other = begin(reader.script_call(init).header("sec-fetch-site", "cross-site"));
    assert_eq!((other.status, other.error().is_empty()), (403, false));
    let nobody = world.client().post(&format!("/console/{init}"));
    assert_eq!(begin(nobody.header("origin", &world.url())).status, 401);

    let eve = json!({ "username": "eve", "password": PASSWORD,
        "permissions": { "apps": { "allowed": [acme.app_id("notes")] } } });
    let _ = acme.post_json("/user/create", eve).send().expect(200);
    let eve = Reader::of(&world, &world.login("eve", PASSWORD));
    assert_eq!(begin(eve.script_call(init)).status, 403);
    let id = granted.json()["upload_id"].clone();
    let about = json!({ "upload_id": id }).to_string();
    for step in ["renew", "complete"] {
        let call = eve.script_call(&format!("apps/notes/publish/{step}"));
        let call = call.header("content-type", "application/json").body(about.as_bytes());
        assert_eq!(call.send().status, 403, "{step}");
    }
    let renew = reader.script_call("apps/notes/publish/renew").header("content-type", "application/json");
    let renewed = renew.body(about.as_bytes()).send().expect(200).json();
    assert_eq!((&renewed["upload_id"], renewed["files"].as_array().unwrap().len()), (&id, 1));
}

fn percent(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn a_storage_that_browsers_cannot_reach_is_explained(host: Driver) {
    let world = World::builder(host).with_variable("storage_driver", "s3_internal").start();
    let acme = world.admin("acme").with_notes();
    let page = Reader::of(&world, &acme).page("apps/notes/publish").expect(200);
    assert!(page.text().contains("spindrift publish --url"), "{}", page.text());
    assert!(!page.text().contains("id=\"files\""));
    let policy = page.header("content-security-policy");
    assert!(!policy.contains("wasm") && !policy.contains(world.store().url()), "{policy}");
}

/// Environment variable: size in MiB of a sparse file to publish in the browser.
const BROWSER_UPLOAD_MIB: &str = "SPINDRIFT_TEST_BROWSER_UPLOAD_MIB";
/// Size in MiB of the file to compare with.
const SMALL_MIB: u64 = 32;
/// How much more memory the large file may cost, in KiB, in all processes of the browser together.
const TOLERANCE_KIB: u64 = 96 * 1024;
/// Time limit for the whole of it.
const LARGE_LIMIT: Duration = Duration::from_mins(30);

fn a_large_file_is_published_in_little_memory(host: Driver) {
    let Some(mib) = std::env::var(BROWSER_UPLOAD_MIB).ok().and_then(|mib| mib.parse::<u64>().ok()) else {
        println!("skipped: set {BROWSER_UPLOAD_MIB} to the size of a file, like 2048");
        return;
    };
    let Some(visitor) = at_the_form(|| World::new(host)) else { return };
    let small = visitor.publish_sparse("1.0.0", SMALL_MIB);
    visitor.go("apps/notes/publish");
    let large = visitor.publish_sparse("2.0.0", mib);
    let (Some(small), Some(large)) = (small, large) else {
        println!("this system does not tell how much memory a process has used");
        return;
    };
    assert!(large < small + TOLERANCE_KIB, "{small} KiB, then {large} KiB");
}

impl Visitor {
    /// Publishes a file of zeros that takes no place on the disk. Returns what the browser has used at most, in KiB.
    fn publish_sparse(&self, version: &str, mib: u64) -> Option<u64> {
        let path = self.file(&format!("{version}.img"), "");
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_len(mib * 1024 * 1024).unwrap();
        self.choose(&[path]);
        self.browser.fill("[name=version]", version);
        self.browser.processes().reset_peak()?;
        let (begun, mut heap) = (Instant::now(), 0);
        self.send_form();
        until("the release is shown", LARGE_LIMIT, || {
            heap = heap.max(self.browser.run("return performance.memory.usedJSHeapSize").as_u64()?);
            self.path().contains("/releases/").then_some(())
        });
        let (seconds, heap, peak) =
            (begun.elapsed().as_secs(), heap / 1024, self.browser.processes().peak_kib());
        println!(
            "{mib} MiB in {seconds} s; the page's heap {heap} KiB, all processes of the browser {peak:?} KiB"
        );
        peak
    }
}
