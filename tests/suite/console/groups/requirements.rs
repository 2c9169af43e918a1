//! Requirements on the version of the client's system.

use serde_json::{Value, json};
use spindrift_tests::{Driver, Release, on_hosts};

use super::super::session::between;
use super::Scene;

on_hosts! {
    every: [],
    hosted: [
        requirements_are_set_and_taken_away,
        a_refused_requirement_keeps_what_was_entered,
        each_platform_has_its_own,
        a_client_is_told_what_its_system_lacks,
    ],
}

/// 2.0.0 for everybody.
fn scene(host: Driver) -> Scene {
    let scene = Scene::new(host);
    let _ = scene.acme.edit(&scene.id, json!({ "rollout": 100 })).expect(200);
    scene
}

fn section(page: &str) -> &str {
    between(page, "id=\"requirements\"", "</section>")
}

fn requirements_are_set_and_taken_away(host: Driver) {
    let scene = scene(host);
    let page = scene.session().page(&scene.page("?tab=who"));
    assert!(section(&page).contains("It runs on all versions of its systems."), "{page}");
    assert!(!section(&page).contains("Require nothing"), "{page}");

    let form =
        [("min", "12"), ("max", "14"), ("not", "13.2, 13.3"), ("unknown", "offer"), ("reason", "it crashes")];
    let page = scene.send("/requires", &form);

    let requires =
        json!({ "os_version": { "min": "12", "max": "14", "not": ["13.2", "13.3"] }, "unknown": "offer" });
    let places = json!([{ "platform": "linux", "arch": "amd64", "requires": requires }]);
    assert_eq!(scene.release()["requires"], places);
    let entry = scene.newest();
    assert_eq!((&entry["kind"], &entry["reason"]), (&json!("release.requires"), &json!("it crashes")));
    for part in [
        "12 to 14, but not 13.2, 13.3, and clients that do not say theirs</td>",
        "name=\"min\" value=\"12\"",
        "name=\"max\" value=\"14\"",
        "name=\"not\" value=\"13.2, 13.3\"",
        "value=\"offer\" checked>",
        "Require nothing",
    ] {
        assert!(section(&page).contains(part), "{part}: {page}");
    }
    for (said, expected) in
        [("&os_version=12.7", true), ("&os_version=13.2.1", false), ("&os_version=11", false), ("", true)]
    {
        assert_eq!(scene.is_offered(said), expected, "{said}");
    }

    let page = scene.send("/requires", &[("action", "remove"), ("min", "12")]);
    assert_eq!(scene.release().get("requires"), None);
    assert!(section(&page).contains("It runs on all versions of its systems."), "{page}");
    assert!(scene.is_offered("&os_version=11"));
}

fn a_refused_requirement_keeps_what_was_entered(host: Driver) {
    let scene = scene(host);
    let session = scene.session();
    let before = scene.release();
    for (wrong, told) in [
        (("max", "fourteen"), "invalid requires: max: 1 to 4 numbers"),
        (("not", "13.2.0.0.1"), "invalid requires: not: 1 to 4 numbers"),
        (("arch", "mips"), "file of the release for this platform and architecture not found"),
    ] {
        let form = [wrong, ("part", "requirements"), ("min", "12"), ("unknown", "offer"), ("reason", "new")];
        let answer = session.post(&scene.page("/requires"), &form);
        let page = answer.text();
        assert!(matches!(answer.status, 400 | 404), "{}: {page}", answer.status);
        let kept = if wrong.0 == "arch" {
            "<option value=\"mips\" selected>mips</option>".to_owned()
        } else {
            format!("name=\"{}\" value=\"{}\"", wrong.0, wrong.1)
        };
        for part in [
            &*format!("role=\"alert\">{told}"),
            "<details class=\"choice\" open>",
            "name=\"min\" value=\"12\"",
            "value=\"offer\" checked>",
            "value=\"new\"",
            &kept,
        ] {
            assert!(section(&page).contains(part), "{part}: {page}");
        }
        assert_eq!(page.matches("role=\"alert\"").count(), 1, "{page}");
    }
    let nothing = session.post(&scene.page("/requires"), &[("part", "requirements"), ("unknown", "offer")]);
    assert!(nothing.expect(400).text().contains("enter a version first"));
    assert_eq!(scene.release(), before);

    let old = before["offers"][0]["revision"].to_string();
    let _ = scene.send("/requires", &[("min", "11")]);
    let form = [("part", "requirements"), ("min", "12"), ("if_revision", old.as_str())];
    let page = session.post(&scene.page("/requires"), &form).expect(409).text();
    for part in ["Its present requirements are shown above.", "11 or later", "name=\"min\" value=\"12\""] {
        assert!(section(&page).contains(part), "{part}: {page}");
    }
}

fn each_platform_has_its_own(host: Driver) {
    let scene = scene(host);
    scene.acme.create_platform("mac");
    let mac = Release::new("2.0.0").with("platform", "mac").file("notes.dmg", "dmg");
    scene.acme.upload(&mac);

    let page = scene.send("/requires", &[("platform", "mac"), ("min", "13")]);

    let places: Vec<Value> = scene.release()["requires"].as_array().unwrap().clone();
    assert_eq!((places.len(), &places[0]["platform"]), (1, &json!("mac")));
    assert!(section(&page).contains("linux, amd64</th><td class=\"words\">any</td>"), "{page}");
    assert!(section(&page).contains("name=\"min\" value=\"\""), "its parts differ: {page}");
    let link = scene.page("?edit=requirements&platform=mac&arch=amd64");
    assert!(section(&page).contains(&link.replace('&', "&amp;")), "{page}");
    let page = scene.session().page(&link);
    for part in
        ["<details class=\"choice\" open>", "<option value=\"mac\" selected>", "name=\"min\" value=\"13\""]
    {
        assert!(section(&page).contains(part), "{part}: {page}");
    }
}

fn a_client_is_told_what_its_system_lacks(host: Driver) {
    let scene = scene(host);
    let _ = scene.send("/requires", &[("min", "12")]);
    let page = |said: &str| {
        let place = "channel=stable&platform=linux&arch=amd64&updater=manual";
        let page = scene.session().page(&format!("apps/notes/client?version=1.0.0&{place}{said}"));
        assert!(!page.contains("role=\"alert\""), "{page}");
        page
    };
    let old = page("&os_version=11");
    for part in [
        "is offered <strong>nothing</strong>",
        "does not meet the requirements of <strong>2.0.0</strong>: system version 12 or later.",
    ] {
        assert!(old.contains(part), "{part}: {old}");
    }
    let unknown = page("");
    assert!(unknown.contains("another answer if it said the version of its system."), "{unknown}");
    let new = page("&os_version=12.1");
    assert!(new.contains("is offered <strong>2.0.0</strong>") && !new.contains("does not meet"), "{new}");
}
