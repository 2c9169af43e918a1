//! The dashboard's settings: users and tokens.

use serde_json::{Value, json};
use spindrift_tests::{Driver, PASSWORD, md5_hex, on_hosts};

use super::dashboard::{delete, get, post, with_myapp, world};
use super::{admin, items, myapp, text};

on_hosts! {
    every: [
        the_logged_in_user_is_shown,
        a_user_is_made_renamed_and_given_rights,
        tokens_are_made_listed_and_revoked,
    ],
}

/// As the page builds them from a list.
fn permissions(of: &Value, apps: &[&str]) -> Value {
    let flag = |kind: &str, name: &str| of[kind][name].as_bool().unwrap_or(false);
    let allowed = |kind: &str| of[kind]["Allowed"].as_array().cloned().unwrap_or_default();
    let kind = |name: &str| {
        json!({
            "create": flag(name, "Create"), "delete": flag(name, "Delete"), "edit": flag(name, "Edit"),
            "allowed": allowed(name),
        })
    };
    let mut all = json!({
        "apps": kind("Apps"), "channels": kind("Channels"), "platforms": kind("Platforms"), "archs": kind("Archs"),
    });
    all["apps"]["download"] = json!(flag("Apps", "Download"));
    all["apps"]["upload"] = json!(flag("Apps", "Upload"));
    if !apps.is_empty() {
        all["apps"]["allowed"] = json!(apps);
    }
    all
}

fn the_logged_in_user_is_shown(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    let me = get(&client, "/whoami");
    assert_eq!((&me["username"], &me["is_admin"]), (&json!("admin"), &json!(true)));

    let body = json!({ "id": me["id"], "username": "admin", "password": "another password" });
    let _ = post(&client, "/admin/update", body).expect(200);

    let login =
        |password: &str| post(world.client(), "/login", json!({ "username": "admin", "password": password }));
    assert_eq!(login(PASSWORD).status, 401);
    assert!(login("another password").expect(200).json()["token"].is_string());
}

fn a_user_is_made_renamed_and_given_rights(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    let app = with_myapp(&client);
    let body = json!({ "username": "ann", "password": "password of ann", "permissions": permissions(&json!({}), &[]) });
    let _ = post(&client, "/user/create", body).expect(200);
    let user = || get(&client, "/users/list")["users"][0].clone();
    let id = user()["id"].clone();

    let mut rights = permissions(&user()["permissions"], &[&app]);
    rights["apps"]["edit"] = json!(true);
    let body = json!({ "id": id, "username": "ann", "permissions": rights });
    let _ = post(&client, "/user/update", body).expect(200);
    assert_eq!(user()["permissions"]["Apps"]["Edit"], true, "{}", user());
    let renamed =
        json!({ "id": id, "username": "renamed", "permissions": permissions(&user()["permissions"], &[]) });
    let _ = post(&client, "/user/update", renamed).expect(200);
    let after = user();
    assert_eq!(
        (&after["username"], &after["permissions"]["Apps"]["Edit"]),
        (&json!("renamed"), &json!(true))
    );
    assert_eq!(after["permissions"]["Apps"]["Allowed"], json!([app]));
    let _ = post(&client, "/user/update", json!({ "id": id, "username": "ann" })).expect(200);
    assert_eq!(user()["permissions"], after["permissions"], "without permissions they stay");

    let login = post(world.client(), "/login", json!({ "username": "ann", "password": "password of ann" }));
    let member = world.client().with_token(text(&login.expect(200).json()["token"]));
    let me = get(&member, "/whoami");
    assert_eq!((&me["is_admin"], &me["owner"]), (&json!(false), &json!("admin")));
    assert_eq!(me["permissions"]["Apps"]["Edit"], true);
    assert_eq!(items(&get(&member, "/app/list"), "apps").len(), 1);
    let _ = delete(&client, "/user/delete", Some(json!({ "id": id })));
    assert!(items(&get(&client, "/users/list"), "users").is_empty());
}

fn tokens_are_made_listed_and_revoked(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    let app = with_myapp(&client);
    let body = json!({ "name": "ci", "allowed_apps": [app], "expires_at": "2999-12-31T10:20:30.123Z" });

    let made = post(&client, "/token/create", body).expect(201).json();
    let endless =
        post(&client, "/token/create", json!({ "name": "never", "allowed_apps": [app] })).expect(201).json();

    assert!(text(&made["token"]).starts_with(text(&made["token_prefix"])));
    assert_eq!((&made["allowed_apps"], &endless["expires_at"]), (&json!([app]), &Value::Null));
    let listed = get(&client, "/token/list");
    let [first, _] = items(&listed, "tokens") else { panic!("{listed}") };
    assert!(first.get("token").is_none() && first["created_at"].is_string(), "{first}");
    assert_eq!(first["last_used_at"], Value::Null);
    let ci = world.client().with_token(text(&made["token"]));
    let files = json!([{ "name": "a.deb", "md5": md5_hex(b"a deb") }]).to_string();
    ci.post_form("/upload/init", &[("data", &myapp("0.0.1", true)), ("files", &files)]).ok();
    let used = || {
        let listed = get(&client, "/token/list");
        listed["tokens"][0]["last_used_at"].is_string().then_some(())
    };
    spindrift_tests::until("a token that was used", std::time::Duration::from_secs(10), used);
    for token in [&made, &endless] {
        let gone = delete(&client, "/token/delete", Some(json!({ "id": token["id"] })));
        assert_eq!(gone, json!({ "message": "Token revoked" }));
    }
}
