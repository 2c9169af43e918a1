//! Permissions that depend on the places that a call leaves out, and on the state of the release that it is
//! about.

use http::Method;
use serde_json::{Value, json};
use spindrift_tests::{
    Account, Answer, Driver, Multipart, Release, World, full_package, on_hosts, squirrel, squirrel_line,
};

use crate::control::rights::token;
use crate::defaults::entry;

on_hosts! {
    every: [],
    in_process: [everybody_gets_what_the_table_of_states_says],
}

/// The answer's status in each of these cases. The application has 1.0.0 in `stable` for `linux`, and 2.0.0
/// in `beta` for `windows`, which is published. Updates are shut off everywhere. In order:
///
/// - `all`: a team user with every permission in `beta` and on `windows`, whose call leaves out every place that it can.
/// - `promoted`: the same user, about a release that was promoted from `beta` to `stable`.
/// - `halted`: the owner, about a release that is halted.
/// - `visible`: a CI token with every right, about a release that clients see.
const TABLE: &str = "
                                all promoted halted visible
POST   /upload                  200 403      200    409
POST   /apps/update             200 403      200    403
DELETE /apps/delete             200 403      200    403
POST   /artifact/delete         200 403      200    403
POST   /releases/id/offer       409 409      409    409
POST   /releases/id/rollout     200 200      409    200
POST   /releases/id/requires    200 403      200    200
POST   /releases/id/promote     403 403      409    201
DELETE /releases/id/offer       404 403      404    404
POST   /releases/id/withdraw    200 403      200    200
POST   /releases/id/restore     409 403      409    403
POST   /shutoffs                403 403      200    200
DELETE /shutoffs                403 403      200    403
POST   /freezes                 403 403      201    201
DELETE /freezes/id              403 403      200    200
POST   /device-groups/id/devices 403 403     200    200
PATCH  /reports/causes          403 403      200    403
";

const PASSWORD: &str = "password of a user";

struct Scene {
    _world: World,
    caller: Account,
    app: String,
    /// The id of 2.0.0.
    release: String,
    shutoff: String,
    freeze: String,
    group: String,
    /// The channel that an order names. `None`: the release has one offer.
    channel: Option<&'static str>,
}

impl Scene {
    fn new(host: Driver, case: &str) -> Self {
        let world = World::new(host);
        let acme = world.admin("acme").with_notes();
        for channel in ["beta", "nightly"] {
            acme.create_channel(channel);
        }
        acme.create_platform_with("windows", &["squirrel_windows"]);
        let stable = acme.publish(Release::new("1.0.0"));
        let release = acme.publish(squirrel("2.0.0", &[]).with("channel", "beta"));
        let app = acme.app_id("notes");
        report(&world, &acme, &app);
        let group = acme.post_json("/device-groups", json!({ "app": "notes", "name": "qa" })).send();
        let group = group.expect(201).json()["id"].as_str().unwrap().to_owned();
        acme.post_json(&format!("/releases/{stable}/offer"), json!({ "groups": ["qa"] })).ok();
        let all = json!({ "app": "notes", "reason": "tried" });
        let shutoff = acme.post_json("/shutoffs", all).send().expect(201).json()["id"].clone();
        let freeze = json!({ "app": "notes", "to": crate::freezes::in_an_hour(), "reason": "tried" });
        let freeze = acme.post_json("/freezes", freeze).send().expect(201).json()["id"].clone();
        match case {
            "promoted" => {
                let order = json!({ "channel": "stable" });
                let promoted = acme.post_json(&format!("/releases/{release}/promote"), order).send();
                let _ = promoted.expect(201);
            }
            "halted" => {
                acme.post_json(&format!("/releases/{release}/rollout"), json!({ "action": "halt" })).ok();
            }
            _ => {}
        }
        let caller = match case {
            "halted" => acme,
            "visible" => token(&acme, &["upload", "publish", "stop", "roll", "guard"]),
            _ => limited(&world, &acme, &app),
        };
        let shutoff = shutoff.as_str().unwrap().to_owned();
        let freeze = freeze.as_str().unwrap().to_owned();
        let channel = (case == "promoted").then_some("beta");
        Self { _world: world, caller, app, release, shutoff, freeze, group, channel }
    }

    /// A call that leaves out every place that it can.
    fn call(&self, method: &Method, path: &str) -> Answer {
        let caller = &self.caller;
        let id = |id: &str| caller.call(method.clone(), &format!("{path}?id={id}")).send();
        let json = |body: Value| {
            let path = path.replace("/device-groups/id", &format!("/device-groups/{}", self.group));
            let path = path.replace("/releases/id", &format!("/releases/{}", self.release));
            let call = caller.call(method.clone(), &path).header("content-type", "application/json");
            call.body(body.to_string().as_bytes()).send()
        };
        let order = |mut body: Value| {
            if let Some(channel) = self.channel {
                body["channel"] = json!(channel);
            }
            json(body)
        };
        match path {
            "/upload" => caller.upload_in_one(&with_delta()),
            "/apps/update" => {
                let data = json!({ "id": self.release, "changelog": "new" }).to_string();
                caller.post_multipart(path, Multipart::new().field("data", data)).send()
            }
            "/artifact/delete" => {
                let data = json!({
                    "id": self.release, "app_name": "notes", "version": "2.0.0", "artifacts_to_delete": [0],
                });
                caller.post_multipart(path, Multipart::new().field("data", data.to_string())).send()
            }
            "/apps/delete" => id(&self.release),
            "/freezes" => {
                json(json!({ "app": "notes", "to": crate::freezes::in_an_hour(), "reason": "tried" }))
            }
            "/freezes/id" => caller.call(method.clone(), &path.replace("id", &self.freeze)).send(),
            "/shutoffs" if *method == Method::DELETE => id(&self.shutoff),
            "/shutoffs" => json(json!({ "app": "notes", "channel": "", "platform": "", "reason": "tried" })),
            "/releases/id/offer" if *method == Method::DELETE => {
                let path = format!("/releases/{}/offer?channel=stable", self.release);
                caller.delete(&path).send()
            }
            "/releases/id/offer" => order(json!({ "publish": true, "plan": [{ "percent": 100 }] })),
            "/releases/id/rollout" => order(json!({ "action": "complete" })),
            "/releases/id/promote" => json(json!({ "channel": "nightly", "publish": true })),
            "/releases/id/requires" => json(json!({ "requires": { "os_version": { "min": "10" } } })),
            "/releases/id/withdraw" => json(json!({ "reason": "tried" })),
            "/reports/causes" => {
                let cause = json!({ "app_id": self.app, "type": "crash", "reason": "segv" });
                json(json!({ "causes": [cause], "status": "muted" }))
            }
            "/device-groups/id/devices" => json(json!({ "add": ["device-1"] })),
            _ => json(json!({})),
        }
    }
}

/// A user who may do everything, in `beta` and on `windows` only.
fn limited(world: &World, acme: &Account, app: &str) -> Account {
    let list = |kind: &str, name: &str| {
        let ids = [entry(acme, kind, name)["ID"].clone()];
        json!({ "create": true, "edit": true, "delete": true, "allowed": ids })
    };
    let permissions = json!({
        "apps": {
            "create": true, "edit": true, "delete": true, "upload": true, "download": true, "allowed": [app],
        },
        "channels": list("channel", "beta"),
        "platforms": list("platform", "windows"),
        "archs": list("arch", "amd64"),
    });
    let body = json!({ "username": "limited", "password": PASSWORD, "permissions": permissions });
    acme.post_json("/user/create", body).ok();
    world.login("limited", PASSWORD)
}

/// Another file for 2.0.0, with a second feed.
fn with_delta() -> Release {
    let delta = "Notes-2.0.0-delta.nupkg";
    let lines = [&*full_package("2.0.0"), delta].map(squirrel_line).concat();
    let more = Release::empty("2.0.0").with("channel", "beta").with("platform", "windows");
    more.with("updater", "squirrel_windows").file(delta, delta).feed("RELEASES", lines)
}

fn report(world: &World, acme: &Account, app: &str) {
    let data = json!({ "id": app, "app": "notes", "reports": true }).to_string();
    acme.post_multipart("/app/update", Multipart::new().field("data", data)).ok();
    let key = acme.get("/report-keys/list").ok()["report_keys"][0]["key_value"].clone();
    let failure = json!({
        "application": { "name": "notes", "version": "2.0.0", "channel": "beta" },
        "system": { "platform": "windows", "arch": "amd64" },
        "event": { "type": "crash", "reason": "segv" },
    });
    let client = world.client().with_token(key.as_str().unwrap());
    let sent = client.post_json("/reports/ingest", failure).header("x-device-id", "device-1").send();
    let _ = sent.expect(202);
}

fn everybody_gets_what_the_table_of_states_says(host: Driver) {
    let mut lines = TABLE.trim().lines();
    let cases: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let mut wrong = Vec::new();
    for line in lines {
        let mut words = line.split_whitespace();
        let (method, path): (Method, &str) = (words.next().unwrap().parse().unwrap(), words.next().unwrap());
        let statuses: Vec<u16> = words.map(|word| word.parse().unwrap()).collect();
        assert_eq!(statuses.len(), cases.len(), "{line}");
        for (case, expected) in cases.iter().zip(statuses) {
            let answer = Scene::new(host, case).call(&method, path);
            if answer.status != expected {
                wrong.push(format!("{method} {path}, {case}: {} {}", answer.status, answer.text()));
            }
        }
    }
    assert!(wrong.is_empty(), "not as in the table:\n{}", wrong.join("\n"));
}
