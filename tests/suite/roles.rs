//! Roles of people, and the right to stop releases without the permission to edit.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, PASSWORD, Release, World, on_hosts, squirrel};

use crate::audit::{kinds_after, last, newest};
use crate::defaults::entry;
use crate::reports::{create_notes, failure, send};

on_hosts! {
    every: [
        a_person_on_call_stops_and_does_nothing_else,
        a_person_on_call_triages_failures,
        stopping_alone_is_no_triage,
        support_sees_and_changes_nothing,
        a_release_manager_publishes,
        a_role_sets_the_permissions,
        permissions_have_a_role,
        a_role_for_all_is_for_the_entries_of_today,
        bad_roles_are_refused,
        losing_a_role_ends_logins,
        an_editor_stops_in_the_lists_only,
        a_person_has_another_role_in_one_application,
        a_role_in_an_application_goes_with_it,
    ],
}

/// An owner with a published 1.0.0, and 2.0.0, which a plan offers to half of the devices.
struct Scene {
    world: World,
    acme: Account,
    app: String,
    /// The id of 2.0.0.
    release: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        let world = World::new(host);
        let acme = world.admin("acme").with_notes();
        acme.publish(Release::new("1.0.0"));
        let release = acme.upload(&Release::new("2.0.0"));
        let app = acme.app_id("notes");
        let scene = Self { world, acme, app, release };
        let plan = json!([{ "percent": 50, "for": "12h" }, { "percent": 100 }]);
        let _ = scene.order(&scene.acme, "offer", json!({ "publish": true, "plan": plan })).expect(200);
        scene
    }

    fn person(&self, name: &str, role: &str) -> Account {
        person(&self.world, &self.acme, name, json!({ "role": role, "permissions": lists(&self.app) }))
    }

    fn order(&self, by: &Account, call: &str, body: Value) -> Answer {
        by.post_json(&format!("/releases/{}/{call}", self.release), body).send()
    }

    fn rollout_state(&self) -> Value {
        self.acme.get(&format!("/releases/{}", self.release)).ok()["offers"][0]["rollout"]["state"].clone()
    }
}

fn lists(app: &str) -> Value {
    json!({ "apps": { "allowed": [app] } })
}

/// A user of the team. `granted`: a role, permissions, or both.
pub(crate) fn person(world: &World, acme: &Account, name: &str, granted: Value) -> Account {
    let mut body = granted;
    body["username"] = json!(name);
    body["password"] = json!(PASSWORD);
    acme.post_json("/user/create", body).ok();
    world.login(name, PASSWORD)
}

fn user(acme: &Account, name: &str) -> Value {
    let all = acme.get("/users/list").ok();
    all["users"].as_array().unwrap().iter().find(|user| user["username"] == name).unwrap().clone()
}

fn a_person_on_call_stops_and_does_nothing_else(host: Driver) {
    let scene = Scene::new(host);
    let (acme, release) = (&scene.acme, &scene.release);
    let joe = scene.person("joe", "on-call");
    let order = |call: &str, body: Value| scene.order(&joe, call, body).status;

    let before = last(acme);
    assert_eq!(order("rollout", json!({ "action": "pause" })), 200);
    assert_eq!(order("rollout", json!({ "action": "halt" })), 200);
    assert_eq!(scene.rollout_state(), "halted");
    assert_eq!(kinds_after(acme, before), ["rollout.pause", "rollout.halt"]);
    assert_eq!(newest(acme)["actor"]["name"], "joe");

    for (call, body) in [
        ("rollout", json!({ "action": "resume" })),
        ("rollout", json!({ "action": "complete" })),
        ("rollout", json!({ "action": "set", "percent": 51 })),
        ("requires", json!({ "requires": {} })),
        ("restore", json!({})),
    ] {
        let refused = scene.order(&joe, call, body.clone());
        assert_eq!(refused.status, 403, "{call} {body}: {}", refused.text());
        let error = refused.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains("you lack the permission to edit applications"), "{error}");
    }
    acme.create_channel("nightly");
    let other = acme.publish(Release::new("2.1.0").with("channel", "nightly"));
    let promote = json!({ "channel": "stable", "publish": true });
    assert_eq!(joe.post_json(&format!("/releases/{other}/promote"), promote).send().status, 403);
    assert_eq!(joe.edit(release, json!({ "changelog": "new" })).status, 403);
    assert_eq!(joe.init(&Release::new("3.0.0")).status, 403);
    assert_eq!(joe.delete(&format!("/apps/delete?id={release}")).send().status, 403);
    assert_eq!(joe.post_json("/channel/create", json!({ "channel": "beta" })).send().status, 403);
    let freeze = json!({ "app": "notes", "to": crate::freezes::in_an_hour(), "reason": "tried" });
    assert_eq!(joe.post_json("/freezes", freeze).send().status, 403);
    assert_eq!(joe.get("/users/list").send().status, 403);
    assert_eq!(scene.rollout_state(), "halted");

    // A channel of which the lists know nothing is stopped too.
    let halt = joe.post_json(&format!("/releases/{other}/rollout"), json!({ "action": "halt" })).send();
    assert_eq!(halt.status, 200, "{}", halt.text());
    let shut_off = json!({ "app": "notes", "reason": "it deletes files" });
    let shutoff = joe.post_json("/shutoffs", shut_off).send().expect(201).json()["id"].clone();
    let lift = format!("/shutoffs?id={}", shutoff.as_str().unwrap());
    assert_eq!(joe.delete(&lift).send().status, 403, "lifting is for those who edit");
    let unpublish = joe.post_json(&format!("/releases/{other}/offer"), json!({ "publish": false })).send();
    assert_eq!(unpublish.status, 200, "{}", unpublish.text());
    assert_eq!(order("withdraw", json!({ "reason": "it deletes files" })), 200);

    for seen in ["/app/list", "/channel/list", "/search", "/shutoffs", "/audit", "/telemetry/overview"] {
        joe.get(seen).ok();
    }
    let question = json!({
        "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0.0",
    });
    joe.post_json("/explain", question).ok();
}

fn reporting(host: Driver) -> (World, Account, String, String) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    let sent = send(world.client(), &key, "device", &failure()).expect(202).json();
    let group = sent["group_hash"].as_str().unwrap().to_owned();
    let app = acme.app_id("notes");
    (world, acme, app, group)
}

/// Changes a group of failures, and the cause of all groups.
fn triage(by: &Account, app: &str, group: &str) -> [u16; 2] {
    let patch = |path: &str, body: Value| {
        let call = by.call(http::Method::PATCH, path).header("content-type", "application/json");
        call.body(body.to_string().as_bytes()).send().status
    };
    let event = failure()["event"].clone();
    let cause = json!({ "app_id": app, "type": event["type"], "reason": event["reason"] });
    [
        patch(&format!("/reports/groups/{group}"), json!({ "note": "seen" })),
        patch("/reports/causes", json!({ "causes": [cause], "status": "muted" })),
    ]
}

fn a_person_on_call_triages_failures(host: Driver) {
    let (world, acme, app, group) = reporting(host);
    let joe = person(&world, &acme, "joe", json!({ "role": "on-call", "permissions": lists(&app) }));
    let ann = person(&world, &acme, "ann", json!({ "role": "support", "permissions": lists(&app) }));

    assert_eq!(triage(&joe, &app, &group), [200, 200]);
    assert_eq!(triage(&ann, &app, &group), [403, 403]);
    assert_eq!(joe.delete(&format!("/reports/groups/{group}")).send().status, 403);
    ann.get("/reports/groups").ok();
}

fn stopping_alone_is_no_triage(host: Driver) {
    let (world, acme, app, group) = reporting(host);
    let with = |name: &str, switch: &str| {
        let mut permissions = lists(&app);
        permissions["apps"][switch] = json!(true);
        person(&world, &acme, name, json!({ "permissions": permissions }))
    };
    let (stopper, triager) = (with("joe", "stop"), with("ann", "triage"));
    let shut_off =
        |by: &Account| by.post_json("/shutoffs", json!({ "app": "notes", "reason": "tried" })).send().status;

    assert_eq!(triage(&stopper, &app, &group), [403, 403]);
    assert_eq!(triage(&triager, &app, &group), [200, 200]);
    assert_eq!(shut_off(&triager), 403);
    assert_eq!(shut_off(&stopper), 201);
    assert_eq!(user(&acme, "joe")["role"], "custom");
}

fn support_sees_and_changes_nothing(host: Driver) {
    let scene = Scene::new(host);
    let ann = scene.person("ann", "support");

    for (call, body) in [
        ("rollout", json!({ "action": "halt" })),
        ("rollout", json!({ "action": "pause" })),
        ("offer", json!({ "publish": false })),
        ("withdraw", json!({ "reason": "tried" })),
    ] {
        let refused = scene.order(&ann, call, body.clone());
        assert_eq!(refused.status, 403, "{call} {body}");
        let error = refused.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains("you lack the permission to stop releases of applications"), "{error}");
    }
    let shut_off = json!({ "app": "notes", "reason": "tried" });
    assert_eq!(ann.post_json("/shutoffs", shut_off).send().status, 403);
    assert_eq!(scene.rollout_state(), "running");
    ann.get(&format!("/releases/{}", scene.release)).ok();
    let question = json!({
        "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0.0",
    });
    ann.post_json("/explain", question).ok();
}

fn a_release_manager_publishes(host: Driver) {
    let scene = Scene::new(host);
    let eve = scene.person("eve", "release-manager");

    let new = eve.publish(Release::new("3.0.0"));
    assert_eq!(scene.order(&eve, "rollout", json!({ "action": "halt" })).status, 200);
    assert_eq!(scene.order(&eve, "rollout", json!({ "action": "resume" })).status, 200);
    assert_eq!(eve.edit(&new, json!({ "changelog": "new" })).status, 200);
    assert_eq!(eve.delete(&format!("/apps/delete?id={new}")).send().status, 403);
    assert_eq!(eve.post_json("/channel/create", json!({ "channel": "beta" })).send().status, 403);
}

fn a_role_sets_the_permissions(host: Driver) {
    let scene = Scene::new(host);
    let (acme, app) = (&scene.acme, &scene.app);
    let joe = scene.person("joe", "on-call");
    let me = joe.get("/whoami").ok();
    let shown = user(acme, "joe");

    assert_eq!((&me["role"], &shown["role"]), (&json!("on-call"), &json!("on-call")));
    assert_eq!(me["permissions"], shown["permissions"]);
    let apps = json!({
        "Create": false, "Delete": false, "Edit": false, "Download": false, "Upload": false, "Stop": true,
        "Triage": true, "Allowed": [app],
    });
    assert_eq!(shown["permissions"]["Apps"], apps);

    // Another role keeps the lists.
    acme.post_json("/user/update", json!({ "id": shown["id"], "role": "admin" })).ok();
    let shown = user(acme, "joe");
    assert_eq!((&shown["role"], &shown["permissions"]["Apps"]["Allowed"]), (&json!("admin"), &json!([app])));
    assert_eq!(shown["permissions"]["Channels"]["Create"], true);
    assert_eq!(shown["permissions"]["Channels"]["Allowed"].as_array().unwrap().len(), 1);
    // An answer may be sent back.
    let same = json!({ "id": shown["id"], "role": shown["role"], "permissions": shown["permissions"] });
    acme.post_json("/user/update", same).ok();
    assert_eq!(user(acme, "joe")["permissions"], shown["permissions"]);
    let joe = scene.world.login("joe", PASSWORD);
    joe.create_channel("beta");
    assert_eq!(joe.get("/users/list").send().status, 403, "people stay with the owner");
}

fn permissions_have_a_role(host: Driver) {
    let scene = Scene::new(host);
    let all = json!({ "create": true, "edit": true, "delete": true, "allowed": [] });
    for (name, permissions, role) in [
        ("ann", json!({}), "support"),
        ("bob", json!({ "apps": { "stop": true, "triage": true } }), "on-call"),
        ("cid", json!({ "apps": { "edit": true, "upload": true, "download": true } }), "release-manager"),
        ("dan", json!({ "apps": { "edit": true } }), "custom"),
        (
            "eve",
            json!({
                "apps": { "create": true, "edit": true, "delete": true, "upload": true, "download": true },
                "channels": all, "platforms": all, "archs": all,
            }),
            "admin",
        ),
    ] {
        let _ = person(&scene.world, &scene.acme, name, json!({ "permissions": permissions }));
        assert_eq!(user(&scene.acme, name)["role"], role, "{name}");
    }
}

fn a_role_for_all_is_for_the_entries_of_today(host: Driver) {
    let scene = Scene::new(host);
    let acme = &scene.acme;
    let beta = acme.create_channel("beta");
    let _ = scene.person("joe", "release-manager");
    assert_eq!(user(acme, "joe")["permissions"]["Channels"]["Allowed"].as_array().unwrap().len(), 2);

    let mut limited = lists(&scene.app);
    limited["channels"] = json!({ "allowed": [beta] });
    let granted = json!({ "role": "release-manager", "permissions": limited });
    let ann = person(&scene.world, acme, "ann", granted);
    assert_eq!(user(acme, "ann")["permissions"]["Channels"]["Allowed"], json!([beta]));
    assert_eq!(user(acme, "ann")["permissions"]["Platforms"]["Allowed"], json!([]));
    assert_eq!(ann.init(&Release::new("3.0.0")).status, 403);
}

fn bad_roles_are_refused(host: Driver) {
    let scene = Scene::new(host);
    let create = |granted: Value| {
        let mut body = granted;
        body["username"] = json!("joe");
        body["password"] = json!(PASSWORD);
        let answer = scene.acme.post_json("/user/create", body).send();
        (answer.status, answer.json()["error"].as_str().unwrap_or_default().to_owned())
    };
    let (status, error) = create(json!({ "role": "boss" }));
    assert_eq!(status, 400);
    assert!(error.contains("admin, release-manager, on-call or support, not \"boss\""), "{error}");
    let (status, error) = create(json!({ "role": "on-call", "permissions": { "apps": { "edit": true } } }));
    assert_eq!(status, 400);
    assert!(error.starts_with("a role sets the permissions"), "{error}");
    assert_eq!(create(json!({ "role": "on-call", "permissions": lists("unknown") })).0, 404);
    assert_eq!(scene.acme.get("/users/list").ok()["users"], json!([]));
}

fn losing_a_role_ends_logins(host: Driver) {
    let scene = Scene::new(host);
    let joe = scene.person("joe", "on-call");
    let id = user(&scene.acme, "joe")["id"].clone();
    scene.acme.post_json("/user/update", json!({ "id": id, "role": "support" })).ok();
    assert_eq!(joe.get("/whoami").send().status, 401);
    let joe = scene.world.login("joe", PASSWORD);
    assert_eq!(scene.order(&joe, "rollout", json!({ "action": "halt" })).status, 403);
    scene.acme.post_json("/user/update", json!({ "id": id, "role": "release-manager" })).ok();
    assert_eq!(joe.get("/whoami").send().status, 200, "more permissions end nothing");
}

fn an_editor_stops_in_the_lists_only(host: Driver) {
    let scene = Scene::new(host);
    let (acme, app) = (&scene.acme, &scene.app);
    acme.create_platform_with("windows", &["squirrel_windows"]);
    let windows = acme.publish(squirrel("2.2.0", &[]));
    let list = |kind: &str, name: &str| json!({ "allowed": [entry(acme, kind, name)["ID"]] });
    let permissions = json!({
        "apps": { "edit": true, "allowed": [app] },
        "channels": list("channel", "stable"),
        "platforms": list("platform", "linux"),
        "archs": list("arch", "amd64"),
    });
    let ann = person(&scene.world, acme, "ann", json!({ "permissions": permissions }));
    let halt = |id: &str| {
        ann.post_json(&format!("/releases/{id}/rollout"), json!({ "action": "halt" })).send().status
    };
    assert_eq!((halt(&scene.release), halt(&windows)), (200, 403));

    let mut with_stop = permissions.clone();
    with_stop["apps"]["stop"] = json!(true);
    let id = user(acme, "ann")["id"].clone();
    acme.post_json("/user/update", json!({ "id": id, "permissions": with_stop })).ok();
    assert_eq!(halt(&windows), 200);
    let resume = json!({ "action": "resume" });
    let resumed = ann.post_json(&format!("/releases/{windows}/rollout"), resume).send();
    assert_eq!(resumed.status, 403, "only stopping is for everywhere");
}

fn a_person_has_another_role_in_one_application(host: Driver) {
    let scene = Scene::new(host);
    let (acme, notes) = (&scene.acme, &scene.app);
    acme.create_app("desk");
    let desk = acme.app_id("desk");
    let permissions = json!({ "apps": { "allowed": [desk], "roles": { notes: "on-call" } } });
    let granted = json!({ "role": "release-manager", "permissions": permissions });
    let joe = person(&scene.world, acme, "joe", granted);

    let shown = user(acme, "joe");
    assert_eq!(shown["role"], "release-manager");
    assert_eq!(shown["permissions"]["Apps"]["Roles"], json!({ notes: "on-call" }));
    assert_eq!(shown["permissions"]["Apps"]["Allowed"], json!([desk]));
    assert_eq!(joe.get("/whoami").ok()["permissions"], shown["permissions"]);
    let apps = joe.get("/app/list").ok();
    assert_eq!(apps["apps"].as_array().unwrap().len(), 2, "{apps}");

    // On call in one application, and a release manager in the other.
    assert_eq!(scene.order(&joe, "rollout", json!({ "action": "halt" })).status, 200);
    let resumed = scene.order(&joe, "rollout", json!({ "action": "resume" }));
    assert_eq!(resumed.status, 403, "{}", resumed.text());
    assert_eq!(joe.init(&Release::new("3.0.0")).status, 403);
    joe.publish(Release::new("1.0.0").with("app_name", "desk"));

    // Another role keeps it, and permissions without it take it away, which ends the logins.
    acme.post_json("/user/update", json!({ "id": shown["id"], "role": "support" })).ok();
    let shown = user(acme, "joe");
    assert_eq!(
        (&shown["role"], &shown["permissions"]["Apps"]["Roles"][notes]),
        (&json!("support"), &json!("on-call"))
    );
    let joe = scene.world.login("joe", PASSWORD);
    let without = json!({ "id": shown["id"], "role": "support", "permissions": { "apps": { "allowed": [notes, desk] } } });
    acme.post_json("/user/update", without).ok();
    assert_eq!(joe.get("/whoami").send().status, 401);
    let joe = scene.world.login("joe", PASSWORD);
    assert_eq!(scene.order(&joe, "rollout", json!({ "action": "halt" })).status, 403);

    let create = |roles: Value| {
        let permissions = json!({ "apps": { "roles": roles } });
        let body = json!({ "username": "eve", "password": PASSWORD, "permissions": permissions });
        acme.post_json("/user/create", body).send().status
    };
    assert_eq!(create(json!({ notes: "boss" })), 400);
    assert_eq!(create(json!({ "unknown": "support" })), 404);
}

fn a_role_in_an_application_goes_with_it(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app("desk");
    let desk = acme.app_id("desk");
    let permissions = json!({ "apps": { "allowed": [acme.app_id("notes")], "roles": { &desk: "on-call" } } });
    let _ = person(&world, &acme, "joe", json!({ "permissions": permissions }));
    let invited = json!({ "permissions": permissions });
    let _ = acme.post_json("/invitations", invited).send().expect(201);

    let _ = acme.delete(&format!("/app/delete?id={desk}")).send().expect(200);
    assert_eq!(user(&acme, "joe")["permissions"]["Apps"]["Roles"], Value::Null);
    assert_eq!(user(&acme, "joe")["permissions"]["Apps"]["Allowed"].as_array().unwrap().len(), 1);
    let open = acme.get("/invitations").ok();
    assert_eq!(open["invitations"][0]["permissions"]["Apps"]["Roles"], Value::Null, "{open}");
}
