//! The page of a release: its content and its forms.

use serde_json::json;
use spindrift_tests::{Account, Driver, PASSWORD, Release, World, md5_hex, on_hosts, sha256_hex, tauri};

use super::reader::Reader;
use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [
        a_release_shows_its_files_and_what_clients_ask,
        the_next_check_sees_a_smaller_rollout,
        a_form_changes_how_a_release_is_offered,
        a_form_takes_nothing_back_that_others_changed,
        long_notes_are_taken_and_shown_once,
        the_release_before_is_one_of_its_channel_that_is_published,
        addresses_are_those_of_the_owners_names,
        a_deletion_is_confirmed_first,
        notes_and_names_that_are_scripts_are_text,
        users_without_rights_see_no_buttons_and_are_refused,
        failures_are_shown_beside_those_of_the_version_before,
    ],
}

fn page_of(release: &str) -> String {
    format!("apps/notes/releases/{release}")
}

fn a_release_shows_its_files_and_what_clients_ask(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").with_digests().with("changelog", "It is **fast**."));
    let page = Reader::of(&world, &acme).read(&format!("{}?tab=files", page_of(&id)));
    let base = format!("{}/checkVersion?app_name=notes&amp;owner=acme", world.url());
    let md5 = md5_hex(b"notes 1.0.0");
    let sha256 = sha256_hex(b"notes 1.0.0");
    for part in ["notes-1.0.0.deb", "<strong>fast</strong>", "linux, amd64", &base, &md5, &sha256] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // An address with another application, or with no release, shows nothing of it.
    acme.create_app("other");
    let reader = Reader::of(&world, &acme);
    assert_eq!(reader.page(&format!("apps/other/releases/{id}")).status, 404);
    assert_eq!(reader.page(&page_of("nothing")).status, 404);
    let bob = world.admin("bob");
    assert_eq!(Reader::of(&world, &bob).page(&page_of(&id)).status, 404);
}

fn the_next_check_sees_a_smaller_rollout(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let id = acme.publish(Release::new("1.1.0"));
    assert_eq!(acme.check_as("device", "1.0.0")["update_available"], true);
    visitor.log_in("acme");
    visitor.go(&page_of(&id));
    visitor.browser.click("#percentage summary");
    visitor.browser.fill("[name=percent]", "0");
    visitor.browser.press("Set");
    visitor.is_told("Saved.");
    visitor.is_told("0 % of devices");
    assert_eq!(acme.release("1.1.0").rollout_percent, 0);
    assert_eq!(acme.check_as("device", "1.0.0")["update_available"], false);
}

fn a_form_changes_how_a_release_is_offered(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").critical());
    let reader = Reader::of(&world, &acme);
    let page = reader.read(&format!("{}?tab=settings", page_of(&id)));
    let shown = [("was_critical", "on")];
    for (name, value) in shown {
        assert!(page.contains(&format!("type=\"hidden\" name=\"{name}\" value=\"{value}\"")), "{page}");
    }
    assert!(!page.contains("was_intermediate"), "{page}");
    let chosen = [("part", "offer"), ("intermediate", "on")];
    let sent = reader.send(&page_of(&id), &[&chosen[..], &shown[..]].concat());
    assert_eq!(sent.status, 303, "{}", sent.text());
    let release = acme.release("1.0.0");
    assert_eq!((release.published, release.critical, release.intermediate), (true, false, true));
    let sent = reader.send(&page_of(&id), &[("part", "notes"), ("changelog", "a\r\nb")]);
    assert_eq!(sent.status, 303, "{}", sent.text());
    assert_eq!(acme.release("1.0.0").changelog[0].changes, "a\nb");
    let refused = reader.send(&page_of(&id), &[("critical", "on")]);
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(!acme.release("1.0.0").critical);
}

fn a_form_takes_nothing_back_that_others_changed(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    visitor.log_in("acme");
    visitor.go(&format!("{}?tab=settings", page_of(&id)));
    let _ = acme.edit(&id, json!({ "publish": false, "rollout": 20 })).expect(200);
    visitor.browser.click("[name=critical]");
    visitor.browser.press("Save");
    visitor.is_told("Saved.");
    let release = acme.release("1.0.0");
    assert_eq!((release.published, release.critical, release.rollout_percent), (false, true, 20));
    // Saving the shown values changes nothing.
    visitor.browser.press("Save");
    visitor.is_told("Saved.");
    assert!(!acme.release("1.0.0").published);
}

/// Notes of a mebibyte in another alphabet than the Latin one, which a form writes as three.
fn long_notes_are_taken_and_shown_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ids: Vec<String> = (0..10).map(|n| acme.publish(Release::new(&format!("1.{n}.0")))).collect();
    let reader = Reader::of(&world, &acme);
    let notes = "заметка ".repeat(68_000);
    for id in &ids {
        let sent = reader.send(&page_of(id), &[("part", "notes"), ("changelog", &notes)]);
        assert_eq!(sent.status, 303, "{}", sent.text());
    }
    assert_eq!(acme.release("1.3.0").changelog[0].changes, notes);

    // Pages that list releases do not carry their notes.
    for path in ["apps/notes", "apps/notes/client?version=1.0.0&channel=stable&platform=linux&arch=amd64"] {
        assert!(reader.read(path).len() < 200 * 1024, "{path}");
    }
    let page = reader.read(&format!("{}?tab=files", page_of(&ids[3])));
    let edited = reader.read(&format!("{}?edit=notes", page_of(&ids[3])));
    for shown in [&page, &edited] {
        assert_eq!(shown.matches("заметка").count(), 68_000);
    }
    // The history quotes the beginning of them.
    let history = reader.read(&format!("{}?tab=history", page_of(&ids[3])));
    assert!((1..10).contains(&history.matches("заметка").count()), "{history}");
    assert!(!page.contains("<textarea") && edited.contains("<textarea"));
}

fn the_release_before_is_one_of_its_channel_that_is_published(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.publish(Release::new("1.0.0"));
    acme.upload(&Release::new("1.1.0"));
    acme.publish(Release::new("2.0.0-beta.7").with("channel", "beta"));
    let id = acme.publish(Release::new("2.0.0"));
    let page = Reader::of(&world, &acme).read(&format!("{}?tab=who", page_of(&id)));
    // The form asks for a client of the release before.
    assert!(page.contains("name=\"version\" value=\"1.0.0\""), "{page}");
}

fn addresses_are_those_of_the_owners_names(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform_with("mac", &["tauri", "velopack"]);
    let id = acme.publish(tauri("1.0.0", "notes.app.tar.gz").with("platform", "mac"));
    let page = Reader::of(&world, &acme).read(&format!("{}?tab=files", page_of(&id)));
    for address in [
        "/update/acme/notes/stable/mac/amd64/{{current_version}}/tauri.json",
        "/velopack/acme/notes/stable/mac/amd64",
    ] {
        assert!(page.contains(&format!("{}{address}", world.url())), "{address}: {page}");
    }
    assert!(!page.contains("{{target}}"), "{page}");
}

fn a_deletion_is_confirmed_first(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").file("notes.rpm", "rpm"));
    let _ = acme.check_as("device", "1.0.0");
    let reader = Reader::of(&world, &acme);
    let rpm = acme.release("1.0.0").artifacts.into_iter().find(|artifact| artifact.package == "rpm");
    let one = format!("{}/artifacts/{}/delete", page_of(&id), rpm.unwrap().id);
    let question = reader.read(&one);
    assert!(question.contains("notes-1.0.0.rpm") && question.contains("3 B"), "{question}");
    assert!(!question.contains("notes-1.0.0.deb"), "{question}");
    assert_eq!(acme.release("1.0.0").artifacts.len(), 2, "a question deletes nothing");
    assert_eq!(reader.send(&one, &[]).status, 303);
    assert_eq!(acme.release("1.0.0").artifacts.len(), 1);
    assert_eq!(reader.page(&one).status, 404);

    let all = format!("{}/delete", page_of(&id));
    let question = reader.read_until(&all, "1 device had this version");
    for part in ["Delete notes 1.0.0?", "notes-1.0.0.deb"] {
        assert!(question.contains(part), "{part}: {question}");
    }
    assert_eq!(reader.send(&all, &[]).status, 303);
    assert!(acme.releases().is_empty());
}

/// A script that runs sets `__pwned`.
fn notes_and_names_that_are_scripts_are_text(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    // Packages that may repeat keep their names.
    let name = "<img src=x onerror=window.__pwned=1>.nupkg";
    let notes = "<script>window.__pwned=1</script><img src=x onerror=window.__pwned=1>\n\n\
                 [a](javascript:window.__pwned=1)\n\n</textarea><svg onload=window.__pwned=1>";
    let id = acme.publish(Release::empty("1.0.0").file(name, "x").with("changelog", notes));
    let artifact = acme.release("1.0.0").artifacts[0].id.to_string();
    visitor.log_in("acme");
    let page = page_of(&id);
    let files = format!("{page}?tab=files");
    for path in [
        "apps/notes",
        &page,
        &files,
        &format!("{page}/delete"),
        &format!("{page}/artifacts/{artifact}/delete"),
    ] {
        visitor.go(path);
        let has_run = visitor.browser.run("return window.__pwned ?? 'nothing'");
        assert_eq!(has_run, "nothing", "{path}");
    }
    visitor.go(&files);
    visitor.browser.click(".notes a");
    assert_eq!(visitor.browser.run("return window.__pwned ?? 'nothing'"), "nothing");
    assert!(visitor.browser.text().contains(name), "{}", visitor.browser.text());
    visitor.browser.press("Edit the notes");
    assert_eq!(visitor.browser.run("return window.__pwned ?? 'nothing'"), "nothing");
    let edited = visitor.browser.run("return document.querySelector('[name=changelog]').value");
    assert_eq!(edited, notes);
}

fn team_user(world: &World, owner: &Account, permissions: &serde_json::Value) -> Account {
    let body = json!({ "username": "eve", "password": PASSWORD, "permissions": permissions });
    let _ = owner.post_json("/user/create", body).send().expect(200);
    world.login("eve", PASSWORD)
}

fn users_without_rights_see_no_buttons_and_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    let eve = team_user(&world, &acme, &json!({ "apps": { "allowed": [acme.app_id("notes")] } }));
    let reader = Reader::of(&world, &eve);
    let parts = ["failures", "files", "who", "settings"];
    let all =
        |reader: &Reader| parts.map(|part| reader.read(&format!("{}?tab={part}", page_of(&id)))).concat();
    let page = all(&reader);
    for button in ["Save", "Delete this release", "/artifacts/", "Add files", "Edit the notes"] {
        assert!(!page.contains(button), "{button}: {page}");
    }
    assert!(!reader.read(&format!("{}?edit=notes", page_of(&id))).contains("<textarea"));
    assert!(!reader.read("apps/notes").contains("Publish a release"));
    assert!(all(&Reader::of(&world, &acme)).contains("Delete this release"));

    let artifact = acme.release("1.0.0").artifacts[0].id.to_string();
    for (path, fields) in [
        (page_of(&id), &[("part", "offer"), ("critical", "on")][..]),
        (format!("{}/delete", page_of(&id)), &[]),
        (format!("{}/artifacts/{artifact}/delete", page_of(&id)), &[]),
    ] {
        let refused = reader.send(&path, fields);
        assert_eq!(refused.status, 403, "{path}: {}", refused.text());
    }
    assert_eq!(reader.page("apps/notes/publish").status, 403);
    let release = acme.release("1.0.0");
    assert_eq!((release.published, release.critical, release.artifacts.len()), (true, false, 1));
}

fn failures_are_shown_beside_those_of_the_version_before(host: Driver) {
    let world = World::builder(host).with_variable("reports_enabled", "true").start();
    let acme = world.admin("acme");
    let app = acme.create_app_with(json!({ "app": "notes", "reports": true }));
    acme.create_channel("stable");
    acme.create_platform("linux");
    acme.create_arch("amd64");
    acme.publish(Release::new("1.0.0"));
    let id = acme.publish(Release::new("1.1.0"));
    let key = acme.post_json("/report-keys/regenerate", json!({ "app_id": app })).ok();
    let key = key["key_value"].as_str().unwrap();
    let report = json!({
        "application": { "name": "notes", "version": "1.0.0", "channel": "stable" },
        "system": { "platform": "linux", "arch": "amd64" }, "event": { "type": "crash", "reason": "segv" },
    });
    let copy = world.client().with_token(key);
    let _ = copy.post_json("/reports/ingest", report).header("x-device-id", "d").send().expect(202);
    let _ = acme.check_as("d", "1.0.0");
    let page = Reader::of(&world, &acme).read_until(&page_of(&id), "100.0");
    let rows: Vec<&str> = page.split("/console/failures?app=notes&amp;version=").skip(1).collect();
    let [this, before] = rows[..] else { panic!("two rows: {page}") };
    assert!(this.starts_with("1.1.0") && this.contains("no failures"), "{this}");
    assert!(before.starts_with("1.0.0") && before.contains("100.0"), "{before}");
}
