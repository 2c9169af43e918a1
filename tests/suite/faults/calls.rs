//! The calls that write, except completions (`kill.rs`, `leftovers.rs`), static answers (`static_answers/kill.rs`) and
//! signed metadata (`trust/crashes.rs`).

use http::Method;
use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Client, Multipart, Release, WEBHOOKS_TO_NOBODY};

use crate::reports;

/// A call that can be repeated.
pub(super) type Call = Box<dyn Fn() -> Option<Answer> + Send>;

/// A kind of call. `round` makes names that nothing has yet.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The answers when it ends, and when it is repeated afterwards.
    pub(super) ends: &'static [u16],
    /// Makes a call, and everything that it needs.
    pub(super) prepare: fn(&Scene, &str) -> Call,
}

impl Kind {
    /// Whether it changes something of the owner that people see. An upload that begins does not, and what installed copies
    /// report is counted only.
    pub(super) fn is_audited(&self) -> bool {
        !matches!(self.name, "init" | "report" | "beacon")
    }
}

/// The world of the calls.
pub(super) struct Scene {
    pub(super) acme: Account,
    pub(super) nobody: Client,
    /// A release of `notes`.
    release: String,
    app: String,
    report_key: String,
}

impl Scene {
    /// With `notes`, which has one published release.
    pub(super) fn new(nobody: Client, acme: Account) -> Self {
        let report_key = reports::create_notes(&acme);
        let release = acme.publish(Release::new("1.0.0"));
        acme.create_channel(FURTHER);
        let app = acme.app_id("notes");
        Self { acme, nobody, release, app, report_key }
    }
}

/// A channel to which releases are promoted.
const FURTHER: &str = "further";

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

fn call(client: &Client, method: Method, path: &str, (kind, body): (&str, String)) -> Call {
    let (client, path, kind) = (client.clone(), path.to_owned(), kind.to_owned());
    Box::new(move || {
        let call = client.call(method.clone(), &path);
        let call =
            if body.is_empty() { call } else { call.header("content-type", &kind).body(body.as_bytes()) };
        call.try_send().ok()
    })
}

fn post(scene: &Scene, path: &str, body: &Value) -> Call {
    call(&scene.acme, Method::POST, path, (JSON, body.to_string()))
}

fn delete(scene: &Scene, path: &str) -> Call {
    call(&scene.acme, Method::DELETE, path, (JSON, String::new()))
}

/// A form with the field `data`.
fn data(scene: &Scene, path: &str, data: &Value) -> Call {
    let form = Multipart::new().field("data", data.to_string());
    let (client, path, body) = (scene.acme.clone(), path.to_owned(), form.finish());
    Box::new(move || {
        let call = client.post(&path).header("content-type", &Multipart::content_type());
        call.body(&body).try_send().ok()
    })
}

fn edit(scene: &Scene, change: &Value) -> Call {
    let mut change = change.clone();
    change["id"] = json!(scene.release);
    let text = percent_encoding::utf8_percent_encode(&change.to_string(), percent_encoding::NON_ALPHANUMERIC)
        .to_string();
    call(&scene.acme, Method::POST, "/apps/update", (FORM, format!("data={text}")))
}

fn user(name: &str) -> Value {
    json!({ "username": name, "password": "password of a user", "permissions": { "apps": { "create": true } } })
}

/// The id of a user of acme's team.
fn user_id(scene: &Scene, name: &str) -> Value {
    let list = scene.acme.get("/users/list").ok();
    let found = list["users"].as_array().unwrap().iter().find(|user| user["username"] == name);
    found.unwrap_or_else(|| panic!("{list}"))["id"].clone()
}

fn init(scene: &Scene, round: &str) -> Call {
    let release = Release::new(&format!("2.0.0-{round}"));
    let fields = [release.data().to_string(), release.manifest().to_string()];
    let [data, files] = fields.map(|text| {
        percent_encoding::utf8_percent_encode(&text, percent_encoding::NON_ALPHANUMERIC).to_string()
    });
    call(&scene.acme, Method::POST, "/upload/init", (FORM, format!("data={data}&files={files}")))
}

fn rename_channel(scene: &Scene, round: &str) -> Call {
    let id = scene.acme.create_channel(&format!("c{round}"));
    let change = json!({ "id": id, "channel": format!("d{round}"), "includes": ["stable"] });
    post(scene, "/channel/update", &change)
}

fn change_platform(scene: &Scene, round: &str) -> Call {
    let id = scene.acme.create_platform(&format!("p{round}"));
    let updaters = json!([{ "type": "manual", "default": true }, { "type": "tauri" }]);
    let change = json!({ "id": id, "platform": format!("q{round}"), "updaters": updaters });
    post(scene, "/platform/update", &change)
}

fn report(scene: &Scene, round: &str) -> Call {
    let body = reports::failure_because(round).to_string();
    let (client, device) = (scene.nobody.with_token(&scene.report_key), round.to_owned());
    Box::new(move || {
        let call = client.post("/reports/ingest").header("content-type", JSON);
        call.header("x-device-id", &device).body(body.as_bytes()).try_send().ok()
    })
}

/// A guard run that halts a release, the only one of its kind.
fn run_guard(scene: &Scene, round: &str) -> Call {
    for before in scene.acme.releases().iter().filter(|release| release.version.starts_with("0.0.1-")) {
        let _ = scene.acme.delete(&format!("/apps/delete?id={}", before.id)).send().expect(200);
    }
    let version = format!("0.0.1-{round}");
    let release = scene.acme.publish(Release::new(&version));
    let guard = json!({ "guard": { "on_unhealthy": "halt", "max_failing": 1 } });
    let _ = scene.acme.post_json(&format!("/releases/{release}/offer"), guard).send().expect(200);
    let mut report = reports::failure_because(round);
    report["application"]["version"] = json!(version);
    for device in ["one", "other"] {
        let _ = reports::send(&scene.nobody, &scene.report_key, device, &report).expect(202);
    }
    call(&scene.acme, Method::POST, "/guard/run", (JSON, String::new()))
}

fn beacon(scene: &Scene, round: &str) -> Call {
    let (client, device) = (scene.nobody.clone(), round.to_owned());
    Box::new(move || client.get(crate::telemetry::BEACON).header("x-device-id", &device).try_send().ok())
}

fn change_user(scene: &Scene, round: &str) -> Call {
    let name = format!("w{round}");
    let _ = scene.acme.post_json("/user/create", user(&name)).ok();
    let permissions = json!({ "apps": { "upload": true, "allowed": [scene.app] } });
    let change =
        json!({ "id": user_id(scene, &name), "username": format!("x{round}"), "permissions": permissions });
    post(scene, "/user/update", &change)
}

fn create_token(scene: &Scene, round: &str) -> Value {
    let body = json!({ "name": format!("t{round}"), "allowed_apps": [scene.app] });
    scene.acme.post_json("/token/create", body).send().expect(201).json()
}

/// Each kind of call that can be repeated. A new token, of any kind, is another one each time.
pub(super) const KINDS: &[Kind] = &[
    Kind { name: "init", ends: &[200], prepare: init },
    Kind {
        name: "publish or unpublish",
        ends: &[200],
        prepare: |scene, round| {
            let number: u32 = round.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or_default();
            edit(scene, &json!({ "publish": number.is_multiple_of(2), "changelog": round }))
        },
    },
    Kind {
        name: "order to a rollout",
        ends: &[200],
        prepare: |scene, round| {
            let number: u8 = round.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or_default();
            let order = json!({ "action": "set", "percent": number + 1, "reason": round });
            post(scene, &format!("/releases/{}/rollout", scene.release), &order)
        },
    },
    Kind {
        name: "offer",
        ends: &[200],
        prepare: |scene, round| {
            let number: u32 = round.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or_default();
            let offer = json!({ "publish": number.is_multiple_of(2), "reason": round });
            post(scene, &format!("/releases/{}/offer", scene.release), &offer)
        },
    },
    Kind {
        name: "guard",
        ends: &[200],
        prepare: |scene, round| {
            let number: u64 = round.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or_default();
            let guard = json!({ "on_unhealthy": "halt", "max_failing": number + 100 });
            let order = json!({ "guard": guard, "reason": round });
            post(scene, &format!("/releases/{}/offer", scene.release), &order)
        },
    },
    Kind { name: "guard run", ends: &[200, 409], prepare: run_guard },
    Kind {
        name: "withdrawal",
        ends: &[200],
        prepare: |scene, round| {
            let release = scene.acme.upload(&Release::new(&format!("1.0.0-{round}")));
            post(scene, &format!("/releases/{release}/withdraw"), &json!({ "reason": round }))
        },
    },
    Kind {
        name: "shut-off",
        ends: &[200, 201],
        prepare: |scene, round| {
            let _ = scene.acme.create_channel(&format!("s{round}"));
            let shutoff = json!({ "app": "notes", "channel": format!("s{round}"), "reason": round });
            post(scene, "/shutoffs", &shutoff)
        },
    },
    Kind {
        name: "promotion",
        ends: &[201, 409],
        prepare: |scene, round| {
            let release = scene.acme.upload(&Release::new(&format!("1.0.0-{round}")));
            let order = json!({ "channel": FURTHER, "publish": true, "reason": round });
            post(scene, &format!("/releases/{release}/promote"), &order)
        },
    },
    Kind {
        name: "end of a promotion",
        ends: &[200, 404],
        prepare: |scene, round| {
            let release = scene.acme.upload(&Release::new(&format!("1.0.0-{round}")));
            let order = json!({ "channel": FURTHER, "publish": true });
            let path = format!("/releases/{release}/promote");
            let _ = scene.acme.post_json(&path, order).send().expect(201);
            delete(scene, &format!("/releases/{release}/offer?channel={FURTHER}"))
        },
    },
    Kind {
        name: "requirements",
        ends: &[200],
        prepare: |scene, round| {
            let number: u32 = round.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or_default();
            let order =
                json!({ "requires": { "os_version": { "max": number.to_string() } }, "reason": round });
            post(scene, &format!("/releases/{}/requires", scene.release), &order)
        },
    },
    Kind {
        name: "new group",
        ends: &[201, 409],
        prepare: |scene, round| {
            post(scene, "/device-groups", &json!({ "app": "notes", "name": format!("g{round}") }))
        },
    },
    Kind {
        name: "devices of a group",
        ends: &[200],
        prepare: |scene, round| {
            let name = format!("d{round}");
            let made = scene.acme.post_json("/device-groups", json!({ "app": "notes", "name": name })).send();
            let id = made.expect(201).json()["id"].as_str().unwrap().to_owned();
            let change = json!({ "add": ["device-1", round], "remove": ["device-2"] });
            post(scene, &format!("/device-groups/{id}/devices"), &change)
        },
    },
    Kind {
        name: "end of a group",
        ends: &[200, 404],
        prepare: |scene, round| {
            let name = format!("e{round}");
            let made = scene.acme.post_json("/device-groups", json!({ "app": "notes", "name": name })).send();
            let id = made.expect(201).json()["id"].as_str().unwrap().to_owned();
            let _ =
                scene.acme.post_json(&format!("/device-groups/{id}/devices"), json!({ "add": ["1"] })).send();
            delete(scene, &format!("/device-groups?id={id}"))
        },
    },
    Kind {
        name: "end of a webhook",
        ends: &[200, 404],
        prepare: |scene, _| {
            let webhook = json!({ "url": WEBHOOKS_TO_NOBODY, "kinds": ["trust.*"] });
            let made = scene.acme.post_json("/webhooks", webhook).send().expect(201).json();
            delete(scene, &format!("/webhooks?id={}", made["id"].as_str().unwrap()))
        },
    },
    Kind {
        name: "new app",
        ends: &[200, 409],
        prepare: |scene, round| {
            data(
                scene,
                "/app/create",
                &json!({ "app": format!("a{round}"), "private": true, "reports": true }),
            )
        },
    },
    Kind {
        name: "change of an app",
        ends: &[200],
        prepare: |scene, round| data(scene, "/app/update", &json!({ "id": scene.app, "description": round })),
    },
    Kind {
        name: "end of an app",
        ends: &[200, 404],
        prepare: |scene, round| {
            let id = scene.acme.create_app(&format!("b{round}"));
            delete(scene, &format!("/app/delete?id={id}"))
        },
    },
    Kind {
        name: "new channel",
        ends: &[200, 409],
        prepare: |scene, round| post(scene, "/channel/create", &json!({ "channel": format!("n{round}") })),
    },
    Kind { name: "change of a channel", ends: &[200], prepare: rename_channel },
    Kind {
        name: "end of a channel",
        ends: &[200, 404],
        prepare: |scene, round| {
            let id = scene.acme.create_channel(&format!("e{round}"));
            delete(scene, &format!("/channel/delete?id={id}"))
        },
    },
    Kind {
        name: "new platform",
        ends: &[200, 409],
        prepare: |scene, round| post(scene, "/platform/create", &json!({ "platform": format!("n{round}") })),
    },
    Kind { name: "change of a platform", ends: &[200], prepare: change_platform },
    Kind {
        name: "end of a platform",
        ends: &[200, 404],
        prepare: |scene, round| {
            let id = scene.acme.create_platform(&format!("e{round}"));
            delete(scene, &format!("/platform/delete?id={id}"))
        },
    },
    Kind {
        name: "new architecture",
        ends: &[200, 409],
        prepare: |scene, round| post(scene, "/arch/create", &json!({ "arch": format!("n{round}") })),
    },
    Kind {
        name: "new user",
        ends: &[200, 409],
        prepare: |scene, round| post(scene, "/user/create", &user(&format!("u{round}"))),
    },
    Kind { name: "change of a user", ends: &[200], prepare: change_user },
    Kind {
        name: "end of a user",
        ends: &[200, 404],
        prepare: |scene, round| {
            let name = format!("v{round}");
            let _ = scene.acme.post_json("/user/create", user(&name)).ok();
            delete(scene, &format!("/user/delete?id={}", user_id(scene, &name).as_str().unwrap()))
        },
    },
    Kind {
        name: "end of a token",
        ends: &[200, 404],
        prepare: |scene, round| {
            let id = create_token(scene, round)["id"].clone();
            delete(scene, &format!("/token/delete?id={}", id.as_str().unwrap()))
        },
    },
    Kind { name: "report", ends: &[202, 429], prepare: report },
    Kind { name: "beacon", ends: &[204], prepare: beacon },
    Kind {
        name: "maintenance",
        ends: &[200, 409],
        prepare: |scene, _| post(scene, "/maintenance/run", &json!({})),
    },
];
