//! Sign-up, login, team users and CI tokens.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{API_KEY, Account, Driver, Release, World, on_hosts};

on_hosts! {
    every: [
        an_admin_signs_up_and_logs_in,
        a_service_says_whether_it_has_an_admin,
        signing_up_needs_the_api_key,
        an_empty_api_key_lets_nobody_in,
        a_name_is_given_once,
        names_and_passwords_have_rules,
        a_wrong_login_does_not_tell_what_was_wrong,
        an_admin_changes_the_own_account,
        a_name_that_releases_use_stays,
        team_users_are_made_changed_and_deleted,
        omitted_fields_of_an_update_stay,
        team_users_administer_nothing,
        ci_tokens_are_shown_once,
        a_token_needs_an_application_and_a_name_of_its_own,
        a_revoked_token_is_invalid,
        a_token_shows_when_it_was_used_last,
        bodies_are_checked,
    ],
    in_process: [
        a_token_ends_when_it_says,
        the_use_of_a_token_is_recorded_by_the_hour,
        cheap_hashes_are_for_tests_on_this_machine,
    ],
}

const PASSWORD: &str = "password of a user";

fn error(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

fn sign_up(world: &World, body: Value) -> (u16, String) {
    world.client().post_json("/signup", body).send().refusal()
}

fn an_admin_signs_up_and_logs_in(host: Driver) {
    let world = World::new(host);
    let body = json!({ "username": "acme", "password": PASSWORD, "api_key": API_KEY });

    let answer = world.client().post_json("/signup", body).send().expect(200);
    assert_eq!(answer.json(), json!({ "result": "Successfully created admin user." }));
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let login = json!({ "username": "acme", "password": PASSWORD });
    let answer = world.client().post_json("/login", login).send().expect(200);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let token = answer.json()["token"].as_str().unwrap().to_owned();

    let me = world.client().with_token(&token).get("/whoami").ok();
    assert_eq!((&me["username"], &me["is_admin"]), (&json!("acme"), &json!(true)));
    assert_eq!(me.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "is_admin", "username"]);
}

fn cheap_hashes_are_for_tests_on_this_machine(host: Driver) {
    let world = World::new(host);
    let set = |name: &str, value: &str| world.platform().set_variable(name, value);
    let body = |name: &str| json!({ "username": name, "password": PASSWORD, "api_key": API_KEY });
    let sign_up = |name: &str| world.client().post_json("/signup", body(name)).send();
    let log_in = |name: &str| world.client().post_json("/login", body(name)).send();
    let hashes = |work: &str| {
        let sql = "SELECT count(*) FROM users WHERE password_hash LIKE '$argon2id$v=19$";
        world.number(&format!("{sql}{work}$%'")).unwrap()
    };
    let _ = sign_up("cheap").expect(200);
    assert_eq!((hashes("m=8,t=1,p=1"), hashes("m=19456,t=2,p=1")), (1, 0));

    set("api_url", "https://updates.example.com");
    let details =
        "the setting password_hash_cost must be default, unless api_url is an address of this machine";
    assert_eq!(world.get("/health").send().expect(503).json()["details"], details);
    assert_eq!(sign_up("other").refusal(), error(503, details));
    for name in ["cheap", "nobody"] {
        assert_eq!(log_in(name).refusal(), error(503, details), "{name}");
    }

    set("password_hash_cost", "default");
    let _ = world.get("/health").send().expect(200);
    let _ = sign_up("dear").expect(200);
    assert_eq!((hashes("m=8,t=1,p=1"), hashes("m=19456,t=2,p=1")), (1, 1));
    for (name, status) in [("cheap", 200), ("dear", 200), ("nobody", 401)] {
        let _ = log_in(name).expect(status);
    }
}

fn a_service_says_whether_it_has_an_admin(host: Driver) {
    let world = World::new(host);
    let state = || world.get("/signup").send().expect(200);

    assert_eq!(state().json(), json!({ "has_admin": false }));
    assert_eq!(state().header("cache-control"), "private, no-store");
    let wrong = json!({ "username": "acme", "password": PASSWORD, "api_key": "wrong" });
    assert_eq!(sign_up(&world, wrong).0, 401);
    assert_eq!(state().json(), json!({ "has_admin": false }));
    let _ = world.admin("acme");
    assert_eq!(state().json(), json!({ "has_admin": true }));
}

fn signing_up_needs_the_api_key(host: Driver) {
    let world = World::new(host);

    for key in [json!("wrong"), json!(""), Value::Null, json!(format!("{API_KEY} ")), json!(&API_KEY[1..])] {
        let body = json!({ "username": "acme", "password": PASSWORD, "api_key": key });
        assert_eq!(sign_up(&world, body), error(401, "wrong api key"), "{key}");
    }
    assert_eq!(
        sign_up(&world, json!({ "username": "acme", "password": PASSWORD })),
        error(401, "wrong api key")
    );
}

fn an_empty_api_key_lets_nobody_in(host: Driver) {
    let world = World::builder(host).with_variable("api_key", "").start();

    for key in [json!(""), Value::Null] {
        let body = json!({ "username": "acme", "password": PASSWORD, "api_key": key });
        let (status, _) = sign_up(&world, body);
        assert!(matches!(status, 401 | 503), "{status}");
    }
}

fn a_name_is_given_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.post_json("/user/create", json!({ "username": "ann", "password": PASSWORD })).ok();

    for name in ["acme", "ann"] {
        let body = json!({ "username": name, "password": PASSWORD, "api_key": API_KEY });
        assert_eq!(sign_up(&world, body), error(409, "user already exists"));
        let answer = acme.post_json("/user/create", json!({ "username": name, "password": PASSWORD })).send();
        assert_eq!(answer.refusal(), error(409, "user already exists"));
    }
    world.admin("Acme");
}

fn names_and_passwords_have_rules(host: Driver) {
    let world = World::new(host);
    let body =
        |name: &str, password: &str| json!({ "username": name, "password": password, "api_key": API_KEY });

    for name in ["a b", "a/b", ".", "..", ".a", "a..b", "a\\b", "ä", &"x".repeat(65)] {
        assert_eq!(sign_up(&world, body(name, PASSWORD)), error(400, "invalid username parameter"), "{name}");
    }
    assert_eq!(sign_up(&world, body("", PASSWORD)), error(400, "missing username"));
    for password in ["1234567", &"x".repeat(1025)] {
        assert_eq!(
            sign_up(&world, body("acme", password)),
            error(400, "invalid password: 8 to 1024 characters")
        );
    }
    assert_eq!(sign_up(&world, body("acme", "")), error(400, "missing password"));
    for (name, password) in
        [("a.b_c-d@e", "ein päßwort ☃"), ("x", "12345678"), (&"y".repeat(64), &"z".repeat(1024))]
    {
        assert_eq!(sign_up(&world, body(name, password)).0, 200, "{name}");
        world.login(name, password);
    }
}

fn a_wrong_login_does_not_tell_what_was_wrong(host: Driver) {
    let world = World::new(host);
    world.admin("acme");
    let login = |body: Value| world.client().post_json("/login", body).send().refusal();
    let refused = error(401, "invalid username or password");

    assert_eq!(login(json!({ "username": "acme", "password": "wrong password" })), refused);
    assert_eq!(login(json!({ "username": "nobody", "password": "wrong password" })), refused);
    assert_eq!(login(json!({ "username": "no name at all", "password": "wrong password" })), refused);
    assert_eq!(login(json!({ "username": "acme", "password": "x" })), refused);
    assert_eq!(login(json!({ "username": "acme" })), error(400, "missing password"));
    assert_eq!(login(json!({ "password": "x" })), error(400, "missing username"));
}

fn an_admin_changes_the_own_account(host: Driver) {
    let world = World::new(host);
    let (acme, other) = (world.admin("acme"), world.admin("other"));
    let id = |account: &Account| account.get("/whoami").ok()["id"].clone();
    let change = |body: Value| acme.post_json("/admin/update", body).send();

    let answer =
        change(json!({ "id": id(&acme), "username": "acme2", "password": "another password" })).expect(200);
    assert!(answer.json()["message"].is_string());
    let acme2 = world.login("acme2", "another password");
    assert_eq!(acme2.get("/whoami").ok()["id"], id(&acme2));

    let change = |body: Value| acme2.post_json("/admin/update", body).send().refusal();
    assert_eq!(change(json!({ "id": id(&other), "username": "mine" })).0, 403);
    assert_eq!(change(json!({ "id": id(&acme2), "username": "other" })), error(409, "user already exists"));
    assert_eq!(change(json!({ "username": "x" })), error(400, "missing id"));
    assert_eq!(acme.get("/whoami").send().refusal(), error(401, "invalid token"), "nobody has the old name");
}

fn a_name_that_releases_use_stays(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let id = acme.get("/whoami").ok()["id"].clone();

    let answer = acme.post_json("/admin/update", json!({ "id": id, "username": "acme2" })).send();
    assert_eq!(answer.refusal(), error(409, "the user name is used by releases"));
    acme.post_json("/admin/update", json!({ "id": id, "username": "acme", "password": "another password" }))
        .ok();
    world.login("acme", "another password");
}

fn team_users_are_made_changed_and_deleted(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let app = acme.app_id("notes");
    let permissions = json!({ "apps": { "edit": true, "allowed": [app, ""] } });
    let body = json!({ "username": "ann", "password": PASSWORD, "permissions": permissions });

    assert!(acme.post_json("/user/create", body).ok()["message"].is_string());
    let users = acme.get("/users/list").send().expect(200);
    assert!(!users.text().contains("password") && !users.text().contains("argon2"), "{}", users.text());
    let user = users.json()["users"][0].clone();
    assert_eq!(user["username"], "ann");
    let none = json!({ "Create": false, "Delete": false, "Edit": false, "Allowed": [] });
    let apps = json!({
        "Create": false, "Delete": false, "Edit": true, "Download": false, "Upload": false, "Stop": false,
        "Triage": false, "Allowed": [app],
    });
    assert_eq!(user["role"], "custom");
    let shown = json!({ "Apps": apps, "Channels": none, "Platforms": none, "Archs": none });
    assert_eq!(user["permissions"], shown);
    let ann = world.login("ann", PASSWORD);
    let me = ann.get("/whoami").ok();
    assert_eq!((&me["is_admin"], &me["owner"]), (&json!(false), &json!("acme")));
    assert_eq!(me["permissions"], user["permissions"]);

    let change = json!({ "id": user["id"], "permissions": { "Channels": { "Create": true } } });
    acme.post_json("/user/update", change).ok();
    let ann = world.login("ann", PASSWORD);
    assert_eq!(ann.get("/app/list").ok()["apps"], json!([]), "an empty list allows none");
    let channel = ann.create_channel("beta");
    assert_eq!(ann.get("/whoami").ok()["permissions"]["Channels"]["Allowed"], json!([channel]));
    assert_eq!(ann.get("/channel/list").ok()["channels"][0]["Owner"], "acme");

    acme.delete(&format!("/user/delete?id={}", user["id"].as_str().unwrap())).ok();
    assert_eq!(ann.get("/whoami").send().refusal(), error(401, "invalid token"));
    let login = json!({ "username": "ann", "password": PASSWORD });
    assert_eq!(world.client().post_json("/login", login).send().status, 401);
    assert_eq!(
        acme.get("/channel/list").ok()["channels"].as_array().unwrap().len(),
        2,
        "things that ann created stay"
    );
}

fn omitted_fields_of_an_update_stay(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let permissions = json!({ "apps": { "upload": true, "allowed": [acme.app_id("notes")] } });
    let body = json!({ "username": "ann", "password": PASSWORD, "permissions": permissions });
    acme.post_json("/user/create", body).ok();
    let user = || acme.get("/users/list").ok()["users"][0].clone();
    let before = user();
    assert_eq!(before["permissions"]["Apps"]["Upload"], true);

    for name in ["bea", "cid"] {
        let change = match name {
            "bea" => json!({ "id": before["id"], "username": name }),
            _ => json!({ "id": before["id"], "username": name, "password": "", "permissions": null }),
        };
        acme.post_json("/user/update", change).ok();
        assert_eq!((&user()["username"], &user()["permissions"]), (&json!(name), &before["permissions"]));
        world.login(name, PASSWORD);
    }
    // The permissions in a list can be sent back.
    let change = json!({ "id": before["id"], "permissions": before["permissions"] });
    acme.post_json("/user/update", change).ok();
    assert_eq!(user()["permissions"], before["permissions"]);
}

fn team_users_administer_nothing(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.post_json("/user/create", json!({ "username": "ann", "password": PASSWORD })).ok();
    let ann = world.login("ann", PASSWORD);
    let me = ann.get("/whoami").ok()["id"].clone();

    for call in [
        ann.get("/users/list"),
        ann.get("/token/list"),
        ann.post_json("/user/create", json!({ "username": "ben", "password": PASSWORD })),
        ann.post_json("/user/update", json!({ "id": me, "permissions": { "apps": { "create": true } } })),
        ann.post_json("/admin/update", json!({ "id": me, "username": "boss" })),
        ann.post_json("/token/create", json!({ "name": "ci", "allowed_apps": [] })),
        ann.delete("/user/delete?id=1"),
        ann.delete("/token/delete?id=1"),
        ann.post_json("/channel/create", json!({ "channel": "beta" })),
        ann.post_json("/platform/create", json!({ "platform": "linux" })),
        ann.post_json("/arch/create", json!({ "arch": "amd64" })),
    ] {
        let what = format!("{call:?}");
        assert_eq!(call.send().refusal(), error(403, "not allowed"), "{what}");
    }
}

fn ci_tokens_are_shown_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let app = acme.app_id("notes");
    let body = json!({ "name": "release job", "allowed_apps": [app], "expires_at": "2100-01-01T00:00:00Z" });

    let created = acme.post_json("/token/create", body).send().expect(201).json();

    let token = created["token"].as_str().unwrap();
    let digits = token.strip_prefix("sdt_").unwrap();
    assert!(digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit()), "{token}");
    assert!(token.starts_with(created["token_prefix"].as_str().unwrap()));
    assert_eq!((&created["name"], &created["allowed_apps"]), (&json!("release job"), &json!([app])));
    assert_eq!(created["expires_at"], "2100-01-01T00:00:00+00:00");
    let list = acme.get("/token/list").send().expect(200);
    assert!(!list.text().contains(digits), "never again");
    assert_eq!(list.json()["tokens"][0]["id"], created["id"]);
    let stored: String =
        world.database().query_row("SELECT token_hash FROM tokens", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, spindrift_tests::sha256_hex(token.as_bytes()));
    let unknown = json!({ "name": "ci", "allowed_apps": ["unknown"] });
    assert_eq!(
        acme.post_json("/token/create", unknown).send().refusal(),
        error(404, "application not found")
    );
    let past = json!({ "name": "ci", "allowed_apps": [app], "expires_at": "2020-01-01T00:00:00Z" });
    assert_eq!(acme.post_json("/token/create", past).send().status, 400);
}

fn a_token_needs_an_application_and_a_name_of_its_own(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let create = |account: &Account, name: &str, apps: Value| {
        account.post_json("/token/create", json!({ "name": name, "allowed_apps": apps })).send()
    };
    let app = acme.app_id("notes");

    let none = error(400, "invalid allowed_apps: name at least one application");
    assert_eq!(create(&acme, "ci", json!([])).refusal(), none);
    let first = create(&acme, "ci", json!([app])).expect(201).json();
    let again = create(&acme, "ci", json!([app])).expect(409).json();
    assert_eq!(again["code"], "already_exists");
    assert!(again["error"].as_str().unwrap().contains("revoke it, or choose another name"), "{again}");
    assert_eq!(acme.get("/token/list").ok()["tokens"].as_array().unwrap().len(), 1);

    let other = world.admin("other");
    let theirs = other.create_app("notes");
    let _ = create(&other, "ci", json!([theirs])).expect(201);
    acme.delete(&format!("/token/delete?id={}", first["id"].as_str().unwrap())).ok();
    let _ = create(&acme, "ci", json!([app])).expect(201);
}

fn a_revoked_token_is_invalid(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    let _ = ci.init(&Release::new("1.0.0")).expect(200);
    let id = acme.get("/token/list").ok()["tokens"][0]["id"].as_str().unwrap().to_owned();

    let answer = acme.delete(&format!("/token/delete?id={id}")).ok();

    assert_eq!(answer, json!({ "message": "Token revoked" }));
    assert_eq!(ci.init(&Release::new("1.0.0")).refusal(), error(401, "invalid token"));
    assert_eq!(acme.delete(&format!("/token/delete?id={id}")).send().status, 404);
}

fn a_token_shows_when_it_was_used_last(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let (ci, unused) = (acme.ci_token(&[&acme.app_id("notes")]), acme.ci_token(&[&acme.create_app("tasks")]));
    let last_used = |token: usize| acme.get("/token/list").ok()["tokens"][token]["last_used_at"].clone();
    assert_eq!((last_used(0), last_used(1)), (Value::Null, Value::Null));

    let _ = ci.init(&Release::new("1.0.0")).expect(200);

    // It is recorded after the answer.
    let shown = spindrift_tests::until("a recorded use", Duration::from_secs(30), || {
        last_used(0).as_str().map(str::to_owned)
    });
    assert!(shown.ends_with(":00:00+00:00"), "{shown}");
    let _ = unused.init(&Release::new("1.0.0")).expect(403);
    spindrift_tests::until("a recorded use", Duration::from_secs(30), || last_used(1).as_str().map(drop));
}

fn the_use_of_a_token_is_recorded_by_the_hour(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    world.platform().set_time(crate::tokens::time("2026-11-21T12:10:00Z"));
    let acme = world.login(acme.name(), "correct horse");
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    let last_used = || acme.get("/token/list").ok()["tokens"][0]["last_used_at"].clone();
    let shows = |hour: &str| {
        spindrift_tests::until(hour, Duration::from_secs(30), || (last_used() == hour).then_some(()));
    };

    let complete = || ci.post_json("/upload/complete", json!({ "upload_id": "x" })).send().status;
    assert_eq!(complete(), 404);
    shows("2026-11-21T12:00:00+00:00");

    world.advance(3600);
    assert_eq!(complete(), 404);
    shows("2026-11-21T13:00:00+00:00");

    // A column that is computed cannot be written: that is nothing to the answer.
    let database = world.database();
    for change in [
        "ALTER TABLE tokens RENAME COLUMN last_used_at TO renamed",
        "ALTER TABLE tokens ADD COLUMN last_used_at INTEGER GENERATED ALWAYS AS (renamed)",
    ] {
        database.execute(change, []).unwrap();
    }
    world.advance(3600);
    assert_eq!(complete(), 404);
    assert_eq!(last_used(), "2026-11-21T13:00:00+00:00");
}

fn a_token_ends_when_it_says(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    world.platform().set_time(crate::tokens::time("2026-11-21T12:00:00Z"));
    let acme = world.login(acme.name(), "correct horse");
    let body = json!({ "name": "ci", "allowed_apps": [acme.app_id("notes")], "expires_at": "2026-11-21T14:00:00+01:00" });
    let token = acme.post_json("/token/create", body).send().expect(201).json();
    let ci = acme.with_credential(token["token"].as_str().unwrap());

    world.advance(3599);
    let _ = ci.init(&Release::new("1.0.0")).expect(200);
    world.advance(1);
    assert_eq!(ci.init(&Release::new("1.0.0")).refusal(), error(401, "token expired"));
}

fn bodies_are_checked(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let calls = [
        "/signup",
        "/login",
        "/password",
        "/admin/update",
        "/user/create",
        "/user/update",
        "/token/create",
        "/invitations",
    ];

    for path in calls {
        let send =
            |body: &[u8]| acme.post(path).header("content-type", "application/json").body(body).send().status;
        for body in [&b""[..], b"{", b"\xff", br#"{"username":"a","username":"b"}"#] {
            assert_eq!(send(body), 400, "{path} {}", String::from_utf8_lossy(body));
        }
        let large = acme.post(path).header("content-type", "application/json").announce(300 * 1024);
        assert!(large.starts_with("HTTP/1.1 413"), "{path}: {large}");
        assert_eq!(
            acme.post(path).header("content-type", "text/plain").body(b"{}").send().status,
            415,
            "{path}"
        );
    }
}
