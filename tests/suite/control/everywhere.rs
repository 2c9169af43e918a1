//! A request that leaves a place out means all places, and needs permission for all of them.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Multipart, Release, World, on_hosts};

use super::shut_off;
use crate::defaults::entry;

on_hosts! {
    every: [
        a_shut_off_of_everything_needs_everything,
        only_those_who_may_make_a_shut_off_lift_it,
        a_freeze_needs_everything,
        a_group_is_changed_by_those_who_may_change_what_lets_it_in,
        causes_of_all_channels_need_all_channels,
        a_promoted_release_needs_all_its_channels,
    ],
}

const PASSWORD: &str = "password of a user";

/// `notes` with files in two channels and on two platforms.
struct Scene {
    world: World,
    acme: Account,
    /// The id of the release in `beta`.
    tested: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        let world = World::new(host);
        let acme = world.admin("acme").with_notes();
        acme.create_channel("beta");
        acme.create_platform("windows");
        acme.create_arch("arm64");
        acme.publish(Release::new("1.0.0"));
        acme.publish(Release::new("1.0.0").with("platform", "windows").with("arch", "arm64"));
        let tested = acme.publish(Release::new("2.0.0").with("channel", "beta"));
        Self { world, acme, tested }
    }

    /// A team user who may do everything in these channels, platforms and architectures.
    fn user(&self, name: &str, [channels, platforms, archs]: [&[&str]; 3]) -> Account {
        let list = |kind: &str, names: &[&str]| {
            let id = |name: &&str| entry(&self.acme, kind, name)["ID"].clone();
            let ids: Vec<Value> = names.iter().map(id).collect();
            json!({ "create": true, "edit": true, "delete": true, "allowed": ids })
        };
        let permissions = json!({
            "apps": {
                "create": true, "edit": true, "delete": true, "upload": true, "download": true,
                "allowed": [self.acme.app_id("notes")],
            },
            "channels": list("channel", channels),
            "platforms": list("platform", platforms),
            "archs": list("arch", archs),
        });
        let body = json!({ "username": name, "password": PASSWORD, "permissions": permissions });
        self.acme.post_json("/user/create", body).ok();
        self.world.login(name, PASSWORD)
    }

    /// Users with a part of the channels, of the platforms and of the architectures, and one with all.
    fn users(&self) -> [Account; 4] {
        let channels: &[&str] = &["stable", "beta"];
        let (platforms, archs): (&[&str], &[&str]) = (&["linux", "windows"], &["amd64", "arm64"]);
        [
            self.user("of-beta", [&["beta"], platforms, archs]),
            self.user("of-linux", [channels, &["linux"], archs]),
            self.user("of-amd64", [channels, platforms, &["amd64"]]),
            self.user("of-all", [channels, platforms, archs]),
        ]
    }

    fn freeze(user: &Account) -> u16 {
        let freeze = json!({ "app": "notes", "to": crate::freezes::in_an_hour(), "reason": "holidays" });
        user.post_json("/freezes", freeze).send().status
    }

    fn shutoffs(&self) -> Vec<String> {
        let all = self.acme.get("/shutoffs").ok();
        let ids = all["shutoffs"].as_array().unwrap().iter();
        ids.map(|shutoff| shutoff["id"].as_str().unwrap().to_owned()).collect()
    }

    fn lift_all(&self) {
        for id in self.shutoffs() {
            self.acme.delete(&format!("/shutoffs?id={id}")).ok();
        }
    }
}

/// The channel and the platform of a shut-off, and the answers to [`Scene::users`].
const SHUT_OFFS: [(&str, &str, [u16; 4]); 5] = [
    ("", "", [403, 403, 403, 201]),
    ("beta", "", [201, 403, 403, 201]),
    ("stable", "", [403, 403, 403, 201]),
    ("", "linux", [403, 201, 403, 201]),
    ("beta", "linux", [201, 201, 403, 201]),
];

fn a_shut_off_of_everything_needs_everything(host: Driver) {
    let scene = Scene::new(host);
    let users = scene.users();
    for (channel, platform, expected) in SHUT_OFFS {
        for (user, status) in users.iter().zip(expected) {
            let answer = shut_off(user, json!({ "channel": channel, "platform": platform }));
            assert_eq!(answer.status, status, "{} {channel} {platform}: {}", user.name(), answer.text());
            scene.lift_all();
        }
    }
}

fn a_freeze_needs_everything(host: Driver) {
    let scene = Scene::new(host);
    assert_eq!(scene.users().map(|user| Scene::freeze(&user)), [403, 403, 403, 201]);
    let freezes = scene.acme.get("/freezes").ok();
    let path = format!("/freezes/{}", freezes["freezes"][0]["id"].as_str().unwrap());
    let users = ["of-beta", "of-linux", "of-amd64", "of-all"].map(|name| scene.world.login(name, PASSWORD));
    assert_eq!(users.map(|user| user.delete(&path).send().status), [403, 403, 403, 200]);
}

fn only_those_who_may_make_a_shut_off_lift_it(host: Driver) {
    let scene = Scene::new(host);
    let users = scene.users();
    for (channel, platform, expected) in SHUT_OFFS {
        for (user, status) in users.iter().zip(expected) {
            let _ = shut_off(&scene.acme, json!({ "channel": channel, "platform": platform })).expect(201);
            let lifted = user.delete(&format!("/shutoffs?id={}", scene.shutoffs()[0])).send().status;
            let expected = if status == 201 { 200 } else { 403 };
            assert_eq!(lifted, expected, "{} {channel} {platform}", user.name());
            scene.lift_all();
        }
    }
}

/// More devices in a group let more devices have each release that lets the group in.
fn a_group_is_changed_by_those_who_may_change_what_lets_it_in(host: Driver) {
    let scene = Scene::new(host);
    let [of_beta, _, _, of_all] = scene.users();
    let made = json!({ "app": "notes", "name": "qa" });
    let group = of_beta.post_json("/device-groups", made).send().expect(201).json()["id"].clone();
    let path = format!("/device-groups/{}", group.as_str().unwrap());
    let add = |user: &Account| {
        user.post_json(&format!("{path}/devices"), json!({ "add": [user.name()] })).send().status
    };
    let new_key = |user: &Account| user.post_json(&format!("{path}/key"), json!({})).send().status;
    let let_in = |release: &str| {
        let body = json!({ "groups": ["qa"] });
        let _ = scene.acme.post_json(&format!("/releases/{release}/offer"), body).send().expect(200);
    };
    let_in(&scene.tested);
    assert_eq!((add(&of_beta), new_key(&of_beta)), (200, 201), "only a release in beta lets it in");
    let_in(&scene.acme.release("1.0.0").id.to_string());
    assert_eq!((add(&of_beta), new_key(&of_beta)), (403, 403));
    assert_eq!((add(&of_all), new_key(&of_all)), (200, 201));
}

fn causes_of_all_channels_need_all_channels(host: Driver) {
    let scene = Scene::new(host);
    let users = scene.users();
    let app = scene.acme.app_id("notes");
    let data = json!({ "id": app, "app": "notes", "reports": true }).to_string();
    scene.acme.post_multipart("/app/update", Multipart::new().field("data", data)).ok();
    let key = scene.acme.get("/report-keys/list").ok()["report_keys"][0]["key_value"].clone();
    let failure = json!({
        "application": { "name": "notes", "version": "2.0.0", "channel": "beta" },
        "system": { "platform": "linux", "arch": "amd64" },
        "event": { "type": "crash", "reason": "segv" },
    });
    let client = scene.world.client().with_token(key.as_str().unwrap());
    let sent = client.post_json("/reports/ingest", failure).header("x-device-id", "device-1").send();
    let _ = sent.expect(202);
    let cause = json!({ "app_id": app, "type": "crash", "reason": "segv" });
    let body = json!({ "causes": [cause], "status": "muted" }).to_string();
    let mute = |user: &Account, query: &str| {
        let call = user.call("PATCH".parse().unwrap(), &format!("/reports/causes?{query}"));
        call.header("content-type", "application/json").body(body.as_bytes()).send().status
    };
    for (query, expected) in [
        ("", [403, 403, 403, 200]),
        ("channel=beta", [200, 403, 403, 200]),
        ("platform=linux", [403, 200, 403, 200]),
        ("channel=beta&platform=linux&arch=amd64", [200, 200, 200, 200]),
    ] {
        for (user, status) in users.iter().zip(expected) {
            assert_eq!(mute(user, query), status, "{} {query}", user.name());
        }
    }
}

/// Its files, flags and notes are the same in all of them.
fn a_promoted_release_needs_all_its_channels(host: Driver) {
    let scene = Scene::new(host);
    let of_beta = scene.user("of-beta", [&["beta"], &["linux", "windows"], &["amd64", "arm64"]]);
    let promote = format!("/releases/{}/promote", scene.tested);
    let _ = scene.acme.post_json(&promote, json!({ "channel": "stable" })).send().expect(201);
    let post = |call: &str, body: Value| {
        of_beta.post_json(&format!("/releases/{}/{call}", scene.tested), body).send().status
    };
    for (change, expected) in [
        (json!({ "rollout": 50 }), 200),
        (json!({ "critical": true }), 403),
        (json!({ "intermediate": true }), 403),
        (json!({ "changelog": "forged" }), 403),
        (json!({ "requires": { "os_version": { "min": "99" } } }), 403),
        (json!({ "artifacts_to_delete": [0] }), 403),
    ] {
        assert_eq!(of_beta.edit(&scene.tested, change.clone()).status, expected, "{change}");
    }
    assert_eq!(post("requires", json!({ "requires": {} })), 403);
    assert_eq!(post("withdraw", json!({ "reason": "tried" })), 403);
    assert_eq!(post("rollout", json!({ "action": "halt", "channel": "stable" })), 403);
    assert_eq!(post("rollout", json!({ "action": "halt", "channel": "beta" })), 200);
    let more = Release::new("2.0.0").with("channel", "beta").with("platform", "windows");
    assert_eq!(of_beta.upload_in_one(&more).status, 403, "clients of stable would get it");
    let deletion = json!({
        "id": scene.tested, "app_name": "notes", "version": "2.0.0", "artifacts_to_delete": [0],
    });
    let form = Multipart::new().field("data", deletion.to_string());
    assert_eq!(of_beta.post_multipart("/artifact/delete", form).send().status, 403);
    assert_eq!(of_beta.delete(&format!("/apps/delete?id={}", scene.tested)).send().status, 403);
    let end = format!("/releases/{}/offer?channel=stable", scene.tested);
    assert_eq!(of_beta.delete(&end).send().status, 403);
    scene.acme.delete(&end).ok();
    assert_eq!(of_beta.upload_in_one(&more).status, 200);
    assert_eq!(of_beta.delete(&format!("/apps/delete?id={}", scene.tested)).send().status, 200);
}
