//! No change by an operator cuts off installed copies unasked.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Multipart, Release, World, on_hosts};

use crate::defaults::entry;
use crate::telemetry::{counting, figures};

mod updaters;

on_hosts! {
    every: [
        a_rename_names_the_devices_that_it_cuts_off,
        a_deletion_names_the_devices_that_it_cuts_off,
        names_in_use_stay_even_with_force,
        a_call_insists_in_three_ways,
        names_that_nobody_sends_change_freely,
        defaults_do_not_cut_off_copies_that_name_none,
        a_new_user_name_names_the_devices,
        where_nothing_is_counted_releases_count,
        devices_of_others_do_not_count,
        team_users_are_told_too,
        devices_of_applications_that_the_caller_may_not_see_are_not_told,
    ],
    in_process: [devices_count_for_thirty_days],
}

const KINDS: [(&str, &str); 3] = [("channel", "stable"), ("platform", "linux"), ("arch", "amd64")];

/// The owner of a release that `devices` devices have asked about.
pub(crate) fn with_devices(world: &World, devices: u64) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    ask(&acme, devices);
    acme
}

/// This number of devices checks for updates and is counted.
fn ask(account: &Account, devices: u64) {
    for device in 0..devices {
        account.check_as(&format!("device-{device}"), "0.1");
    }
    figures(account, devices);
}

fn id(account: &Account, kind: &str, name: &str) -> String {
    entry(account, kind, name)["ID"].as_str().unwrap().to_owned()
}

/// The answer has this number of devices, and names the cause.
#[track_caller]
pub(crate) fn assert_cut_off(answer: &Answer, devices: &Value) {
    assert_eq!((answer.status, answer.code().as_str()), (409, "would_cut_off"), "{}", answer.text());
    assert_eq!(&answer.json()["devices"], devices);
    if let Some(number) = devices.as_u64() {
        assert!(answer.error().contains(&number.to_string()), "{}", answer.error());
    }
}

fn rename_app(account: &Account, id: &str, name: &str) -> Answer {
    let data = json!({ "id": id, "app": name }).to_string();
    account.post_multipart("/app/update", Multipart::new().field("data", data)).send()
}

fn a_rename_names_the_devices_that_it_cuts_off(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 3);
    let before = acme.check("0.1");
    for (kind, name) in KINDS {
        let rename = json!({ "id": id(&acme, kind, name), kind: "new" });
        assert_cut_off(&acme.post_json(&format!("/{kind}/update"), &rename).send(), &json!(3));
        assert_eq!(acme.check("0.1"), before, "{kind}");
        let same = json!({ "id": id(&acme, kind, name), kind: name });
        acme.post_json(&format!("/{kind}/update"), same).ok();
    }
    assert_cut_off(&rename_app(&acme, &acme.app_id("notes"), "papers"), &json!(3));
    assert_eq!(acme.check("0.1"), before);
    let description = json!({ "id": acme.app_id("notes"), "app": "notes", "description": "new" }).to_string();
    acme.post_multipart("/app/update", Multipart::new().field("data", description)).ok();
}

fn a_deletion_names_the_devices_that_it_cuts_off(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 2);
    let release = acme.release("1.0.0").id;
    acme.delete(&format!("/apps/delete?id={release}")).ok();
    for (kind, name) in KINDS {
        let path = format!("/{kind}/delete?id={}", id(&acme, kind, name));
        assert_cut_off(&acme.delete(&path).send(), &json!(2));
        assert_eq!(acme.check("0.1")["error"], "Not found", "{kind}");
    }
    let path = format!("/app/delete?id={}", acme.app_id("notes"));
    assert_cut_off(&acme.delete(&path).send(), &json!(2));
    let deleted = acme.delete(&format!("{path}&force=true")).ok();
    assert_eq!(deleted["deleteAppResult.DeletedCount"], 1);
    for (kind, name) in KINDS {
        acme.delete(&format!("/{kind}/delete?id={}", id(&acme, kind, name))).ok();
    }
}

fn names_in_use_stay_even_with_force(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 1);
    for (kind, name) in KINDS {
        let path = format!("/{kind}/delete?id={}&force=true", id(&acme, kind, name));
        assert_eq!(acme.delete(&path).send().code(), "in_use", "{kind}");
    }
    let path = format!("/app/delete?id={}&force=true", acme.app_id("notes"));
    assert_eq!(acme.delete(&path).send().code(), "in_use");
}

fn a_call_insists_in_three_ways(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 1);
    for (kind, name) in KINDS {
        let rename =
            |to: &str, force: Value| json!({ "id": id(&acme, kind, name), kind: to, "force": force });
        let update = format!("/{kind}/update");
        assert_cut_off(&acme.post_json(&update, rename("new", json!(false))).send(), &json!(1));
        acme.post_json(&update, rename("new", json!(true))).ok();
        let back = json!({ "id": entry(&acme, kind, "new")["ID"], kind: name });
        acme.post_json(&format!("{update}?force=true"), back).ok();
        assert_eq!(
            acme.post_json(&format!("{update}?force=yes"), rename("new", json!(null))).send().status,
            400
        );
    }
    let app = acme.app_id("notes");
    let data = |name: &str, force: Option<bool>| {
        let mut data = json!({ "id": app, "app": name });
        if let Some(force) = force {
            data["force"] = json!(force);
        }
        Multipart::new().field("data", data.to_string())
    };
    let send = |path: &str, form: Multipart| acme.post_multipart(path, form).send();
    assert_cut_off(&send("/app/update", data("papers", Some(false))), &json!(1));
    let back = || assert_eq!(send("/app/update?force=true", data("notes", None)).status, 200);
    for (path, form) in [
        ("/app/update", data("papers", Some(true))),
        ("/app/update", data("papers", None).field("force", "true")),
        ("/app/update?force=true", data("papers", None)),
    ] {
        assert_eq!(send(path, form).status, 200, "{path}");
        back();
    }
    assert_eq!(send("/app/update", data("papers", None).field("force", "perhaps")).status, 400);
}

fn names_that_nobody_sends_change_freely(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 1);
    acme.create_channel("beta");
    acme.publish(Release::new("2.0.0").with("channel", "beta"));
    let rename = json!({ "id": id(&acme, "channel", "beta"), "channel": "preview" });
    acme.post_json("/channel/update", rename).ok();
    let other = acme.create_app("other");
    assert_eq!(rename_app(&acme, &other, "another").status, 200);
    acme.delete(&format!("/app/delete?id={other}")).ok();
}

fn defaults_do_not_cut_off_copies_that_name_none(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.publish(Release::new("1.0.0"));
    let set = |name: &str, is_default: bool| {
        let body = json!({ "id": id(&acme, "channel", name), "default": is_default });
        acme.post_json("/channel/update", body).send()
    };
    assert_eq!(set("stable", true).status, 200);
    let check = "/checkVersion?app_name=notes&owner=acme&version=0.1&platform=linux&arch=amd64";
    let _ = world.get(check).header("x-device-id", "d1").send().expect(200);
    figures(&acme, 1);

    assert_cut_off(&set("stable", false), &json!(1));
    assert_cut_off(&set("beta", true), &json!(1));
    assert_eq!(world.get(check).send().expect(200).json()["version"], "1.0.0");
    let rename = json!({ "id": id(&acme, "channel", "stable"), "channel": "main" });
    acme.post_json("/channel/update", rename).ok();
    assert_eq!(
        world.get(check).send().expect(200).json()["version"],
        "1.0.0",
        "the name does not matter to them"
    );
    acme.publish(Release::new("1.1.0").with("channel", "beta"));
    assert_eq!(set("beta", true).status, 200, "now they get something there");
    assert_eq!(world.get(check).send().expect(200).json()["version"], "1.1.0");
}

fn a_new_user_name_names_the_devices(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 2);
    let me = acme.get("/whoami").ok()["id"].clone();
    let rename = |force: bool| {
        acme.post_json("/admin/update", json!({ "id": me, "username": "umbrella", "force": force })).send()
    };
    assert_cut_off(&rename(false), &json!(2));
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    acme.post_json("/admin/update", json!({ "id": me, "username": "acme" })).ok();
    assert_eq!(rename(true).status, 200);
    assert_eq!(acme.get(&acme.check_path("0.1")).send().refusal(), (404, "owner not found".to_owned()));
    let umbrella = world.login("umbrella", spindrift_tests::PASSWORD);
    assert_eq!(umbrella.check("0.1")["version"], "1.0.0");
    let body = json!({ "id": me, "username": "acme" });
    umbrella.post_json("/admin/update?force=true", body).ok();
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}

fn where_nothing_is_counted_releases_count(host: Driver) {
    let world = World::builder(host).with_variable("telemetry_enabled", "false").start();
    let acme = world.admin("acme").with_notes();
    let rename = |kind: &str, from: &str, to: &str| {
        acme.post_json(&format!("/{kind}/update"), json!({ "id": id(&acme, kind, from), kind: to })).send()
    };
    assert_eq!(rename("channel", "stable", "main").status, 200, "nothing is published");
    assert_eq!(rename("channel", "main", "stable").status, 200);
    let release = acme.upload(&Release::new("1.0.0"));
    assert_eq!(rename("platform", "linux", "gnu").status, 200, "a draft is offered to nobody");
    assert_eq!(rename("platform", "gnu", "linux").status, 200);
    let _ = acme.edit(&release, json!({ "publish": true })).expect(200);
    for (kind, name) in KINDS {
        assert_cut_off(&rename(kind, name, "new"), &Value::Null);
    }
    assert_cut_off(&rename_app(&acme, &acme.app_id("notes"), "papers"), &Value::Null);
    acme.create_channel("beta");
    assert_eq!(rename("channel", "beta", "preview").status, 200);
}

fn devices_of_others_do_not_count(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 2);
    let umbrella = world.admin("umbrella").with_notes();
    umbrella.publish(Release::new("1.0.0"));
    for (kind, name) in KINDS {
        let own = json!({ "id": id(&umbrella, kind, name), kind: "new" });
        umbrella.post_json(&format!("/{kind}/update"), own).ok();
        let theirs = json!({ "id": id(&acme, kind, name), kind: "new", "force": true });
        assert_eq!(umbrella.post_json(&format!("/{kind}/update"), theirs).send().status, 404);
        let path = format!("/{kind}/delete?id={}&force=true", id(&acme, kind, name));
        assert_eq!(umbrella.delete(&path).send().status, 404);
    }
    assert_eq!(rename_app(&umbrella, &umbrella.app_id("notes"), "papers").status, 200);
    assert_eq!(rename_app(&umbrella, &acme.app_id("notes"), "papers").status, 404);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}

fn team_users_are_told_too(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 2);
    let channel = id(&acme, "channel", "stable");
    for (name, allowed) in [("ann", json!([channel])), ("bob", json!([]))] {
        let permissions = json!({
            "apps": { "allowed": [acme.app_id("notes")] },
            "channels": { "edit": true, "delete": true, "allowed": allowed },
        });
        let body = json!({ "username": name, "password": "password of a user", "permissions": permissions });
        acme.post_json("/user/create", body).ok();
    }
    let rename = |user: &str, force: bool| {
        let user = world.login(user, "password of a user");
        user.post_json("/channel/update", json!({ "id": channel, "channel": "main", "force": force })).send()
    };
    assert_eq!(rename("bob", false).status, 403);
    assert_eq!(rename("bob", true).status, 403);
    assert_cut_off(&rename("ann", false), &json!(2));
    assert_eq!(rename("ann", true).status, 200);
}

/// A channel belongs to all applications. A user who may see only some of them is told of their devices only.
fn devices_of_applications_that_the_caller_may_not_see_are_not_told(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 2);
    acme.create_app("secret");
    acme.publish(Release::new("1.0.0").with("app_name", "secret"));
    let of_secret = acme.check_path("0.1").replace("app_name=notes", "app_name=secret");
    for device in ["a", "b", "c"] {
        let _ = acme.get(&of_secret).header("x-device-id", device).ok();
    }
    figures(&acme, 5);
    let channel = id(&acme, "channel", "stable");
    let told = |name: &str, apps: Value| {
        let permissions = json!({
            "apps": { "allowed": apps },
            "channels": { "edit": true, "delete": true, "allowed": [channel] },
        });
        let body = json!({ "username": name, "password": "password of a user", "permissions": permissions });
        acme.post_json("/user/create", body).ok();
        let user = world.login(name, "password of a user");
        user.post_json("/channel/update", json!({ "id": channel, "channel": "main" })).send()
    };
    let (notes, secret) = (acme.app_id("notes"), acme.app_id("secret"));
    assert_cut_off(&told("ann", json!([notes])), &json!(2));
    assert_cut_off(&told("bob", json!([secret])), &json!(3));
    assert_cut_off(&told("cid", json!([notes, secret])), &json!(5));
    assert_cut_off(&told("dot", json!([])), &Value::Null);
}

fn devices_count_for_thirty_days(host: Driver) {
    const DAY: u64 = 24 * 60 * 60;
    let world = counting(host);
    let acme = with_devices(&world, 1);
    let rename = |account: &Account, to: &str| {
        let list = account.get("/channel/list").ok();
        let body = json!({ "id": list["channels"][0]["ID"], "channel": to });
        account.post_json("/channel/update", body).send()
    };
    assert_cut_off(&rename(&acme, "main"), &json!(1));
    world.advance(29 * DAY);
    let acme = world.login("acme", spindrift_tests::PASSWORD);
    assert_cut_off(&rename(&acme, "main"), &json!(1));
    world.advance(DAY);
    let acme = world.login("acme", spindrift_tests::PASSWORD);
    assert_eq!(rename(&acme, "main").status, 200);
}
