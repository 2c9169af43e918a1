//! Two owners with the same names: nothing of one is seen or changed by the other.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Multipart, Release, World, on_hosts};

on_hosts! {
    every: [
        the_same_names_are_different_things,
        identifiers_of_another_owner_do_not_exist,
        tokens_and_users_of_another_owner_do_not_exist,
        lists_hold_the_owners_things_only,
    ],
}

/// Two owners with equal catalogs and a release of the same version each.
fn two(world: &World) -> (Account, Account) {
    let (acme, umbrella) = (world.admin("acme").with_notes(), world.admin("umbrella").with_notes());
    for owner in [&acme, &umbrella] {
        owner.publish(
            Release::empty("1.0.0")
                .file("n.deb", format!("of {}", owner.name()))
                .with("changelog", owner.name()),
        );
    }
    (acme, umbrella)
}

fn the_same_names_are_different_things(host: Driver) {
    let world = World::new(host);
    let (acme, umbrella) = two(&world);
    let before = umbrella.check("0.1");

    let id = acme.release("1.0.0").id.to_string();
    let _ = acme.edit(&id, json!({ "publish": false, "rollout": 5 })).expect(200);
    acme.publish(Release::new("2.0.0"));
    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);

    assert_eq!(umbrella.check("0.1"), before);
    assert_eq!(before["changelog"], "umbrella");
    assert_eq!(umbrella.releases().len(), 1);
    let location = world.get("/apps/latest?app_name=notes&owner=umbrella").send().expect(302);
    assert!(location.header("location").contains("/umbrella/notes/"), "{}", location.header("location"));
}

fn ids(list: &Value) -> Vec<String> {
    let entries = list.as_object().unwrap().values().next().unwrap().as_array().unwrap();
    entries.iter().map(|entry| entry["ID"].as_str().unwrap().to_owned()).collect()
}

fn identifiers_of_another_owner_do_not_exist(host: Driver) {
    let world = World::new(host);
    let (acme, umbrella) = two(&world);
    let stolen = acme.release("1.0.0");
    let release = stolen.id.as_str();
    let before = (acme.releases(), acme.check("0.1"));

    let data = |value: Value| [("data", value.to_string())];
    let form = |path: &str, value: Value| {
        let fields = data(value);
        umbrella.post_form(path, &[(fields[0].0, &fields[0].1)]).send().status
    };
    assert_eq!(umbrella.edit(release, json!({ "publish": false })).status, 404);
    let artifacts =
        json!({ "id": release, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": [0] });
    assert_eq!(form("/artifact/delete", artifacts), 404);
    assert_eq!(umbrella.delete(&format!("/apps/delete?id={release}")).send().status, 404);
    let own = umbrella.release("1.0.0").id.to_string();
    let link = &stolen.artifacts[0].link;
    assert_eq!(umbrella.edit(&own, json!({ "artifacts_to_delete": [link] })).status, 404);

    let app = &ids(&acme.get("/app/list").ok())[0];
    let update = Multipart::new().field("data", json!({ "id": app, "app": "taken" }).to_string());
    assert_eq!(umbrella.post_multipart("/app/update", update).send().status, 404);
    assert_eq!(umbrella.delete(&format!("/app/delete?id={app}")).send().status, 404);
    for kind in ["channel", "platform", "arch"] {
        let id = &ids(&acme.get(&format!("/{kind}/list")).ok())[0];
        let body = json!({ "id": id, kind: "taken" });
        assert_eq!(umbrella.post_json(&format!("/{kind}/update"), body).send().status, 404, "{kind}");
        assert_eq!(umbrella.delete(&format!("/{kind}/delete?id={id}")).send().status, 404, "{kind}");
    }

    assert_eq!((acme.releases(), acme.check("0.1")), before);
}

fn tokens_and_users_of_another_owner_do_not_exist(host: Driver) {
    let world = World::new(host);
    let (acme, umbrella) = two(&world);
    let app = acme.app_id("notes");
    let ci = acme.ci_token(&[&app]);
    let token = acme.get("/token/list").ok()["tokens"][0]["id"].as_str().unwrap().to_owned();
    acme.post_json("/user/create", json!({ "username": "ann", "password": "password of a user" })).ok();
    let user = acme.get("/users/list").ok()["users"][0]["id"].as_str().unwrap().to_owned();

    assert_eq!(umbrella.delete(&format!("/token/delete?id={token}")).send().status, 404);
    assert_eq!(umbrella.delete(&format!("/user/delete?id={user}")).send().status, 404);
    let body = json!({ "id": user, "password": "taken over, taken over" });
    assert_eq!(umbrella.post_json("/user/update", body).send().status, 404);
    let body = json!({ "name": "ci", "allowed_apps": [app] });
    assert_eq!(
        umbrella.post_json("/token/create", body).send().status,
        404,
        "a token for another's application"
    );
    let body = json!({ "username": "ben", "password": "password of a user", "permissions": { "apps": { "allowed": [app] } } });
    assert_eq!(
        umbrella.post_json("/user/create", body).send().status,
        404,
        "a user for another's application"
    );

    world.login("ann", "password of a user");
    let _ = ci.init(&Release::new("2.0.0")).expect(200);
}

fn lists_hold_the_owners_things_only(host: Driver) {
    let world = World::new(host);
    let (acme, umbrella) = two(&world);
    let _ = acme.ci_token(&[&acme.app_id("notes")]);
    acme.post_json("/user/create", json!({ "username": "ann", "password": "password of a user" })).ok();

    for path in ["/app/list", "/channel/list", "/platform/list", "/arch/list"] {
        let (own, other) = (ids(&acme.get(path).ok()), ids(&umbrella.get(path).ok()));
        assert_eq!((own.len(), other.len()), (1, 1), "{path}");
        assert_ne!(own, other, "{path}");
    }
    assert_eq!(umbrella.get("/token/list").ok()["tokens"], json!([]));
    assert_eq!(umbrella.get("/users/list").ok()["users"], json!([]));
    assert_eq!(umbrella.get("/search?limit=100").ok()["total"], 1);
}
