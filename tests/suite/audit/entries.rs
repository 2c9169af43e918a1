//! Entries: who did what, and who may read that.

use serde_json::{Value, json};
use spindrift_tests::{Account, Client, Driver, Multipart, PASSWORD, Release, World, on_hosts};

use super::{items, kinds_after, last, newest};

on_hosts! {
    every: [
        an_entry_says_who_changed_what,
        a_change_of_a_release_shows_both_states,
        an_upload_is_one_entry,
        files_that_come_and_go_with_a_change_are_in_its_entry,
        secrets_are_in_no_entry,
        refused_calls_leave_no_entry,
        names_and_reasons_are_one_line,
        signing_up_and_logging_out_are_entries,
        people_see_what_concerns_them,
        entries_are_filtered,
        names_that_are_no_more_are_found,
        pages_follow_each_other,
        what_cannot_be_read_is_refused,
    ],
}

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

fn an_entry_says_who_changed_what(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let me = acme.get("/whoami").ok()["id"].clone();
    let call = acme.post_json("/channel/create", json!({ "channel": "beta" }));
    let _ = call.header("x-request-id", "from-the-test").send().expect(200);

    let entry = newest(&acme);
    assert_eq!(entry["seq"], 6, "sign-up, and an application with its place");
    assert_eq!(entry["actor"], json!({ "type": "user", "id": me, "name": "acme" }));
    assert_eq!((&entry["kind"], &entry["request_id"]), (&json!("channel.create"), &json!("from-the-test")));
    assert_eq!(entry["object"]["name"], "beta");
    let after = json!({ "name": "beta", "default": false, "includes": [] });
    assert_eq!((&entry["before"], &entry["after"]), (&Value::Null, &after));
    assert_eq!(entry["text"], "acme created the channel beta");
}

fn a_change_of_a_release_shows_both_states(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = acme.publish(Release::new("1.0.0"));
    let _ = acme
        .edit(&release, json!({ "rollout": 20, "critical": true, "changelog": "x".repeat(3000) }))
        .expect(200);

    let entry = newest(&acme);
    let place = (&entry["app"], &entry["channel"], &entry["release"]);
    assert_eq!(place, (&json!("notes"), &json!("stable"), &json!({ "id": release, "version": "1.0.0" })));
    assert_eq!(entry["before"]["rollout"], 100);
    assert_eq!((&entry["after"]["rollout"], &entry["after"]["critical"]), (&json!(20), &json!(true)));
    let notes = entry["after"]["changelog"].as_str().unwrap();
    assert_eq!(notes.chars().count(), 1001, "the beginning of long notes");
    assert_eq!(entry["after"].get("published"), None, "it has not changed");
}

fn an_upload_is_one_entry(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    let before = last(&acme);
    let upload = ci.stage(&Release::new("1.0.0"));
    assert_eq!(kinds_after(&acme, before), [] as [&str; 0], "nothing is visible yet");
    for _ in 0..2 {
        let _ = ci.complete(&upload).expect(200);
    }
    assert_eq!(kinds_after(&acme, before), ["release.create"]);
    let entry = newest(&acme);
    assert_eq!(entry["actor"]["type"], "token");
    let after = json!({
        "arch": "amd64", "changelog": "", "critical": false, "files": ["notes.deb"], "intermediate": false, "platform": "linux",
        "published": false, "rollout": 100,
    });
    assert_eq!(entry["after"], after);

    let _ = acme.upload_in_one(&Release::empty("1.0.0").file("notes.rpm", "rpm")).expect(200);
    assert_eq!(kinds_after(&acme, before), ["release.create", "release.add"]);
    assert_eq!(newest(&acme)["after"]["files"], json!(["notes.rpm"]));
}

fn files_that_come_and_go_with_a_change_are_in_its_entry(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = acme.publish(Release::new("1.0.0"));
    let before = last(&acme);
    let added = Release::empty("1.0.0").file("notes.rpm", "rpm");
    let change = json!({ "artifacts_to_delete": [0], "critical": true });
    let _ = acme.edit_with_files(&release, &added, &change).expect(200);
    assert_eq!(kinds_after(&acme, before), ["release.update"]);
    let entry = newest(&acme);
    assert_eq!(
        (&entry["before"]["files"], &entry["after"]["files"]),
        (&json!(["notes.deb"]), &json!(["notes.rpm"]))
    );
    assert_eq!(entry["after"]["critical"], true);

    let _ = acme.delete(&format!("/apps/delete?id={release}")).send().expect(200);
    let entry = newest(&acme);
    assert_eq!(
        (&entry["kind"], &entry["before"]["files"]),
        (&json!("release.delete"), &json!(["notes.rpm"]))
    );
    assert_eq!(entry["text"], "acme deleted notes 1.0.0 in stable: files were notes.rpm, published was yes");
}

fn secrets_are_in_no_entry(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let app = acme.create_app_with(json!({ "app": "notes", "reports": true, "private": true }));
    let id = |answer: Value| answer["id"].as_str().unwrap().to_owned();
    let user = json!({ "username": "ann", "password": "a secret of ann", "permissions": {} });
    let _ = acme.post_json("/user/create", user).ok();
    let ann = acme.get("/users/list").ok()["users"][0]["id"].clone();
    let _ = acme.post_json("/user/update", json!({ "id": ann, "password": "another secret of ann" })).ok();
    let entry = newest(&acme);
    assert_eq!(entry["after"], json!({ "logins": "ended", "password": "changed" }));
    let token = acme
        .post_json("/token/create", json!({ "name": "ci", "allowed_apps": [app] }))
        .send()
        .expect(201)
        .json();
    let download = acme.post_json("/download-tokens/regenerate", json!({ "app_id": app })).ok();
    let report = acme.post_json("/report-keys/regenerate", json!({ "app_id": app })).ok();
    let me = acme.get("/whoami").ok();
    let new = json!({ "id": id(me), "password": "a new secret of acme" });
    let _ = acme.post_json("/admin/update", new).ok();

    let acme = world.login("acme", "a new secret of acme");
    let log = acme.get("/audit?format=jsonl&limit=1000").send().expect(200).text();
    for secret in [
        "secret of ann",
        "secret of acme",
        PASSWORD,
        token["token"].as_str().unwrap(),
        download["token"].as_str().unwrap(),
        report["key_value"].as_str().unwrap(),
        "argon2",
    ] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}

fn refused_calls_leave_no_entry(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = acme.publish(Release::new("1.0.0"));
    let before = last(&acme);
    let refused = |status: u16, answer: spindrift_tests::Answer| drop(answer.expect(status));
    refused(409, acme.post_json("/channel/create", json!({ "channel": "stable" })).send());
    refused(409, acme.delete(&format!("/app/delete?id={}", acme.app_id("notes"))).send());
    refused(404, acme.delete("/token/delete?id=none").send());
    refused(404, acme.delete("/user/delete?id=none").send());
    refused(400, acme.edit(&release, json!({ "rollout": 101 })));
    refused(404, acme.edit("none", json!({ "rollout": 1 })));
    refused(409, acme.upload_in_one(&Release::new("1.0.0")));
    let wrong = json!({ "username": "acme", "password": "a wrong password" });
    refused(401, acme.post_json("/login", wrong).send());
    assert_eq!(kinds_after(&acme, before), [] as [&str; 0]);
}

fn names_and_reasons_are_one_line(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = acme.publish(Release::new("1.0.0"));
    let group =
        acme.post_json("/device-groups", json!({ "app": "notes", "name": "qa" })).send().expect(201).json();
    let group = group["id"].as_str().unwrap();
    let of_release = |call: &str| format!("/releases/{release}/{call}");
    let before = last(&acme);
    for (path, field, rest) in [
        ("/token/create".to_owned(), "name", json!({ "allowed_apps": [] })),
        ("/shutoffs".to_owned(), "reason", json!({ "app": "notes" })),
        ("/freezes".to_owned(), "reason", json!({ "app": "notes", "to": crate::freezes::in_an_hour() })),
        ("/device-groups".to_owned(), "reason", json!({ "app": "notes", "name": "beta" })),
        (format!("/device-groups/{group}/devices"), "reason", json!({ "add": ["one"] })),
        (of_release("rollout"), "reason", json!({ "action": "halt" })),
        (of_release("offer"), "reason", json!({ "publish": false })),
        (of_release("requires"), "reason", json!({ "requires": {} })),
        (of_release("promote"), "reason", json!({ "to": "beta" })),
        (of_release("withdraw"), "reason", json!({})),
        (of_release("restore"), "reason", json!({})),
    ] {
        for (c, code) in
            [("\n", "U+000A"), ("\u{1b}", "U+001B"), ("\u{202e}", "U+202E"), ("\u{2028}", "U+2028")]
        {
            let mut body = rest.clone();
            body[field] = json!(format!("late{c}bob agreed"));
            let (status, error) = acme.post_json(&path, body).send().refusal();
            let expected = format!("invalid {field}: it has the character {code}; use one line");
            assert!(status == 400 && error.starts_with(&expected), "{path}: {status} {error}");
        }
    }
    let file = Release::empty("1.1.0").file("gpj.\u{202e}exe", "x");
    assert_eq!(acme.upload_in_one(&file).refusal(), (400, "invalid file name".to_owned()));
    assert_eq!(kinds_after(&acme, before), [] as [&str; 0]);
}

fn signing_up_and_logging_out_are_entries(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    assert_eq!(kinds_after(&acme, 0), ["admin.create"]);
    assert_eq!(newest(&acme)["text"], "acme signed up");
    let _ = acme.post_json("/logout/all", json!({})).ok();
    let acme = world.login("acme", PASSWORD);
    assert_eq!(kinds_after(&acme, 0), ["admin.create", "user.logout"]);
}

fn people_see_what_concerns_them(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let notes = acme.app_id("notes");
    acme.create_app("other");
    let permissions = json!({ "apps": { "edit": true, "allowed": [notes] } });
    let ann = json!({ "username": "ann", "password": "password of ann", "permissions": permissions });
    let _ = acme.post_json("/user/create", ann).ok();
    let ann = world.login("ann", "password of ann");
    let stranger = world.admin("stranger").with_notes();

    assert_eq!(kinds_after(&ann, 0), ["app.create"], "of the application that she may see");
    let refusal = |client: &Client, path: &str| client.get(path).send().status;
    assert_eq!(refusal(&ann, "/audit/head"), 403);
    assert_eq!(refusal(&ann, "/audit?format=jsonl"), 403);
    assert_eq!(refusal(&ann, "/audit?app=other"), 404);
    assert_eq!(refusal(&acme.ci_token(&[&notes]), "/audit"), 403);
    let texts = items(&stranger, "?limit=1000");
    assert!(texts.iter().all(|item| item["actor"]["name"] == "stranger"), "{texts:?}");
    let release = acme.publish(Release::new("1.0.0"));
    assert_eq!(items(&stranger, &format!("?release={release}")), [] as [Value; 0]);
}

fn entries_are_filtered(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    let _ = ci.upload_in_one(&Release::new("1.0.0")).expect(200);
    let release = acme.release("1.0.0").id.to_string();
    let _ = acme.edit(&release, json!({ "publish": true })).expect(200);
    acme.create_app("other");
    let token = acme.get("/token/list").ok()["tokens"][0]["id"].as_str().unwrap().to_owned();
    let kinds = |query: &str| {
        let kinds = items(&acme, query).into_iter().map(|item| item["kind"].as_str().unwrap().to_owned());
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(kinds("?app=other"), ["app.create"]);
    assert_eq!(kinds(&format!("?release={release}")), ["release.update", "release.create"]);
    assert_eq!(kinds(&format!("?release={release}&order=asc")), ["release.create", "release.update"]);
    assert_eq!(kinds("?kind=release.*"), ["release.update", "release.create"]);
    assert_eq!(kinds("?kind=token.create,arch.create"), ["token.create", "arch.create"]);
    assert_eq!(kinds(&format!("?actor={token}")), ["release.create"]);
    assert_eq!(kinds("?app=notes&kind=app.*"), ["app.create"]);
    assert_eq!(kinds("?to=2020-01-01T00:00:00Z"), [] as [&str; 0]);
    assert_eq!(kinds("?from=2020-01-01T00:00:00Z").len(), 9);
}

fn names_that_are_no_more_are_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let notes = acme.app_id("notes");
    let ci = acme.ci_token(&[&notes]);
    let _ = ci.upload_in_one(&Release::new("1.0.0")).expect(200);
    let permissions = json!({ "apps": { "create": true, "edit": true, "delete": true } });
    let ann = json!({ "username": "ann", "password": "password of ann", "permissions": permissions });
    let _ = acme.post_json("/user/create", ann).ok();
    let ann = world.login("ann", "password of ann");
    let other = ann.create_app("other");
    let kinds = |query: &str| {
        let kinds = items(&acme, query).into_iter().map(|item| item["kind"].as_str().unwrap().to_owned());
        kinds.collect::<Vec<_>>()
    };
    let id = acme.get("/users/list").ok()["users"][0]["id"].as_str().unwrap().to_owned();
    let _ = acme.post_json("/user/update", json!({ "id": id, "username": "anna" })).ok();
    assert_eq!(kinds("?actor=anna"), ["app.create"], "she was called otherwise then");
    let release = acme.release("1.0.0").id.to_string();
    let token = acme.get("/token/list").ok()["tokens"][0]["id"].as_str().unwrap().to_owned();
    for path in [
        format!("/apps/delete?id={release}"),
        format!("/app/delete?id={other}"),
        format!("/token/delete?id={token}"),
        format!("/user/delete?id={id}"),
    ] {
        let _ = acme.delete(&path).send().expect(200);
    }

    for name in ["ci", token.as_str()] {
        assert_eq!(kinds(&format!("?actor={name}")), ["release.create"]);
    }
    assert_eq!(kinds("?actor=ann"), ["app.create"]);
    assert_eq!(kinds("?app=other"), ["app.delete", "app.create"]);
    assert_eq!(kinds("?version=1.0.0&app=notes"), ["release.delete", "release.create"]);
    let created = items(&acme, "?app=other&kind=app.create").remove(0);
    assert_eq!(created["app_id"], json!(other));
    let (status, error) = acme.get("/audit?app=never").send().refusal();
    assert_eq!((status, error.as_str()), (404, "application not found"));
    let stranger = world.admin("stranger");
    assert_eq!(stranger.get("/audit?app=other").send().status, 404);
    assert_eq!(items(&stranger, "?actor=ci"), [] as [Value; 0]);
}

fn pages_follow_each_other(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let page = |query: &str| {
        let body = acme.get(&format!("/audit?limit=2&{query}")).ok();
        let seqs: Vec<u64> =
            body["items"].as_array().unwrap().iter().map(|item| item["seq"].as_u64().unwrap()).collect();
        (seqs, body["next"].as_u64())
    };
    assert_eq!(page(""), (vec![5, 4], Some(4)));
    assert_eq!(page("after=4"), (vec![3, 2], Some(2)));
    assert_eq!(page("after=2"), (vec![1], None));
    assert_eq!(page("order=asc"), (vec![1, 2], Some(2)));
    assert_eq!(page("order=asc&after=4"), (vec![5], None));
}

fn what_cannot_be_read_is_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    for (query, refusal) in [
        ("limit=1001", (400, "invalid limit parameter")),
        ("kind=release", (400, "invalid kind parameter")),
        ("from=today", (400, "invalid from parameter")),
        ("format=csv", (400, "invalid format parameter")),
        ("app=nope", (404, "application not found")),
    ] {
        let (status, text) = acme.get(&format!("/audit?{query}")).send().refusal();
        assert_eq!((status, text.as_str()), refusal, "{query}");
    }
    let form = Multipart::new().field("data", json!({ "app": "audit" }).to_string());
    let _ = acme.post_multipart("/app/create", form).send().expect(200);
}
