//! Releases that are recalled from all clients.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Edge, Release, World, on_hosts, squirrel};

use super::Scene;
use crate::audit::{kinds_after, last, newest};

on_hosts! {
    every: [
        nobody_gets_it_and_those_who_run_it_are_told,
        its_files_are_gone,
        it_is_restored_as_a_draft,
        withdrawals_that_mean_nothing_are_refused,
        edges_tell_of_it,
    ],
}

const REASON: &str = "it deletes settings";

fn withdrawn(scene: &Scene) -> Value {
    scene.post("withdraw", json!({ "reason": REASON })).expect(200).json()
}

fn published(host: Driver) -> Scene {
    let scene = Scene::new(World::new(host));
    let _ = scene.offered(json!({ "publish": true }));
    scene
}

fn nobody_gets_it_and_those_who_run_it_are_told(host: Driver) {
    let scene = published(host);
    assert_eq!(scene.version(), "2.0.0");
    let before = last(&scene.acme);
    let release = withdrawn(&scene);
    assert_eq!(release["withdrawn"]["reason"], REASON);
    assert_eq!(release["offers"][0]["state"], "withdrawn");
    assert_eq!(kinds_after(&scene.acme, before), ["release.withdraw"]);
    let entry = newest(&scene.acme);
    assert_eq!(entry["after"], json!({ "published": false, "withdrawn": REASON }));
    assert_eq!(
        entry["text"].as_str().unwrap().split(':').next(),
        Some("acme withdrew notes 2.0.0 in stable")
    );

    assert_eq!(scene.version(), "1.0.0");
    let told = json!({ "reason": REASON });
    let of_2 = scene.acme.check("2.0.0");
    assert_eq!((&of_2["withdrawn"], &of_2["possible_rollback"]), (&told, &json!(true)));
    assert_eq!((&of_2["update_available"], &of_2["critical"]), (&json!(false), &json!(false)));
    assert_eq!(scene.acme.check("1.0.0")["withdrawn"], Value::Null);
    let latest = scene.acme.get("/apps/latest?app_name=notes&owner=acme&package=deb").send().expect(302);
    assert!(latest.header("location").contains("1.0.0"));

    scene.acme.publish(Release::new("2.1.0"));
    let of_2 = scene.acme.check("2.0.0");
    assert_eq!(
        (&of_2["version"], &of_2["critical"], &of_2["withdrawn"]),
        (&json!("2.1.0"), &json!(true), &told)
    );
    assert_eq!(scene.acme.check("1.0.0")["critical"], false);
    let _ = scene.post("withdraw", json!({ "reason": "and photos" })).expect(200);
    assert_eq!(scene.acme.check("2.0.0")["withdrawn"]["reason"], "and photos");
    assert_eq!(scene.acme.release("2.0.0").state, "withdrawn");
}

fn its_files_are_gone(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app_with(json!({ "app": "notes", "private": true }));
    acme.create_channel("stable");
    acme.create_platform_with("linux", &["manual", "squirrel_windows"]);
    acme.create_arch("amd64");
    let scene = Scene::of(world, acme);
    let _ = scene.offered(json!({ "publish": true }));
    let link = scene.acme.check("1.0.0")["update_url_deb"].as_str().unwrap().to_owned();
    let path = link.strip_prefix(&scene.world.url()).unwrap().to_owned();
    assert_eq!(scene.acme.get(&path).send().status, 302);
    let _ = withdrawn(&scene);
    let gone = scene.acme.get(&path).send();
    assert_eq!(
        (gone.status, gone.code(), gone.error()),
        (410, "withdrawn".to_owned(), "the release was withdrawn".to_owned())
    );
    feed_files_are_gone(&scene.acme);
}

fn feed_files_are_gone(acme: &Account) {
    acme.create_app("tasks");
    let release = squirrel("3.0.0", &[]).with("app_name", "tasks").with("platform", "linux").published();
    let id = acme.upload(&release);
    let file = release.manifest()[0]["name"].as_str().unwrap().to_owned();
    let path = format!("/update/acme/tasks/stable/linux/amd64/1.0.0/{file}");
    assert_eq!(acme.get(&path).send().status, 302);
    let body = json!({ "reason": REASON });
    let _ = acme.post_json(&format!("/releases/{id}/withdraw"), body).send().expect(200);
    let gone = acme.get(&path).send();
    assert_eq!((gone.status, gone.code()), (410, "withdrawn".to_owned()));
    let unknown = acme.get("/update/acme/tasks/stable/linux/amd64/1.0.0/other.nupkg").send();
    assert_eq!(unknown.status, 404);
}

fn it_is_restored_as_a_draft(host: Driver) {
    let scene = published(host);
    let _ = withdrawn(&scene);
    for call in [json!({ "publish": true }), json!({ "publish_at": "2100-01-01T00:00:00Z" })] {
        let answer = scene.post("offer", call);
        let expected = (409, "the release is withdrawn: restore the release first".to_owned());
        assert_eq!((answer.code(), answer.refusal()), ("wrong_state".to_owned(), expected));
    }
    let edited = scene.acme.edit(&scene.draft, json!({ "publish": true }));
    assert_eq!(edited.status, 409);
    let before = last(&scene.acme);
    let restored = scene.post("restore", json!({ "reason": "another version" })).expect(200).json();
    assert_eq!((&restored["withdrawn"], &restored["offers"][0]["state"]), (&Value::Null, &json!("draft")));
    assert_eq!(kinds_after(&scene.acme, before), ["release.restore"]);
    assert_eq!(scene.version(), "1.0.0");
    assert_eq!(scene.acme.check("2.0.0")["withdrawn"], Value::Null);
    let _ = scene.offered(json!({ "publish": true }));
    assert_eq!(scene.version(), "2.0.0");
}

fn withdrawals_that_mean_nothing_are_refused(host: Driver) {
    let scene = published(host);
    for (body, error) in [
        (json!({}), "missing reason"),
        (json!({ "reason": " " }), "missing reason"),
        (json!({ "reason": "x".repeat(201) }), "invalid reason: at most 200 characters"),
    ] {
        assert_eq!(scene.post("withdraw", body).refusal(), (400, error.to_owned()));
    }
    let expected = (409, "the release is not withdrawn".to_owned());
    assert_eq!(scene.post("restore", json!({})).refusal(), expected);
    assert_eq!(scene.version(), "2.0.0");
    assert_eq!(
        scene.acme.post_json("/releases/nothing/withdraw", json!({ "reason": "x" })).send().refusal(),
        (404, "release not found".to_owned())
    );
}

fn edges_tell_of_it(host: Driver) {
    let scene = published(host);
    let edge = Edge::of(&scene.world, host);
    let _ = withdrawn(&scene);
    let of_2 = edge.get(&scene.acme.check_path("2.0.0")).ok();
    assert_eq!((&of_2["withdrawn"]["reason"], &of_2["possible_rollback"]), (&json!(REASON), &json!(true)));
}
