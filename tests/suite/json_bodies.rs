//! A body in JSON must be an object, and unknown fields in it are ignored: one table for every call with a body.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{
    API_KEY, Account, Answer, Driver, Multipart, PASSWORD, WEBHOOKS_TO_NOBODY, World, on_hosts, routes,
};

on_hosts! {
    every: [
        an_array_is_no_body,
        unknown_keys_are_ignored,
        nobody_signs_up_by_position,
    ],
}

/// A call with a body, and the status of its answer.
struct Row {
    method: Method,
    path: &'static str,
    /// The fields of its object, in the order in which the interface names them.
    fields: Vec<(&'static str, Value)>,
    status: u16,
}

/// Calls whose body is `data` of a form.
const FORMS: [&str; 6] =
    ["/app/create", "/app/update", "/apps/update", "/artifact/delete", "/upload/init", "/upload"];
/// Calls that change something and have no body.
const WITHOUT_BODY: [&str; 26] = [
    "DELETE /releases/id/offer",
    "DELETE /passkeys",
    "DELETE /publishers",
    "/logout/all",
    "/logout/others",
    "/passkeys/login/new",
    "/passkeys/proof/new",
    "/passkeys/recovery-codes",
    "/sso/bind",
    "POST /logout",
    "/guard/run",
    "/maintenance/run",
    "/app/delete",
    "/channel/delete",
    "/platform/delete",
    "/arch/delete",
    "/apps/delete",
    "/shutoffs",
    "/freezes/id",
    "/webhooks",
    "/webhooks/id/test",
    "/releases/halt-link",
    "/device-groups",
    "/device-groups/id/key",
    "/reports/groups/hash",
    "/tuf/v1/bootstrap",
];

fn table(admin: &Account) -> Vec<Row> {
    let post = |path, status, fields| Row { method: Method::POST, path, fields, status };
    let delete = |path| Row { method: Method::DELETE, path, fields: vec![("id", json!("x"))], status: 404 };
    let new_user = |name: &str| vec![("username", json!(name)), ("password", json!(PASSWORD))];
    let id = |name, value: &str| vec![("id", json!("x")), (name, json!(value))];
    let report = vec![
        ("application", json!({ "name": "notes", "version": "1.0.0", "channel": "stable" })),
        ("system", json!({ "platform": "linux", "arch": "amd64" })),
        ("event", json!({ "type": "crash", "reason": "segv" })),
    ];
    let mut rows = trust_table(admin);
    rows.extend(release_table());
    rows.extend(people_table());
    rows.extend(identity_table());
    rows.extend([
        post("/signup", 200, [new_user("new"), vec![("api_key", json!(API_KEY))]].concat()),
        post(
            "/login",
            200,
            vec![("username", json!("acme")), ("password", json!(spindrift_tests::PASSWORD))],
        ),
        post(
            "/admin/update",
            200,
            vec![("id", admin.get("/whoami").ok()["id"].clone()), ("username", json!("acme"))],
        ),
        post("/user/create", 200, new_user("ann")),
        post("/user/update", 404, id("username", "ben")),
        delete("/user/delete"),
        post("/token/create", 404, vec![("name", json!("ci")), ("allowed_apps", json!(["x"]))]),
        delete("/token/delete"),
        post("/app/create", 200, vec![("app", json!("papers"))]),
        post("/app/update", 404, id("app", "sheets")),
        post("/channel/create", 200, vec![("channel", json!("beta"))]),
        post("/channel/update", 404, id("channel", "gamma")),
        post("/platform/create", 200, vec![("platform", json!("windows"))]),
        post("/platform/update", 404, id("platform", "darwin")),
        post("/arch/create", 200, vec![("arch", json!("arm64"))]),
        post("/arch/update", 404, id("arch", "riscv")),
        post("/download-tokens/regenerate", 404, vec![("app_id", json!("x"))]),
        post("/report-keys/regenerate", 404, vec![("app_id", json!("x"))]),
        post("/reports/ingest", 202, report),
        Row {
            method: Method::PATCH,
            path: "/reports/groups/hash",
            fields: vec![("status", json!("muted"))],
            status: 404,
        },
        Row {
            method: Method::PATCH,
            path: "/reports/causes",
            fields: vec![
                ("causes", json!([{ "app_id": "x", "type": "crash", "reason": "segv" }])),
                ("status", json!("muted")),
            ],
            status: 404,
        },
    ]);
    rows
}

/// Calls about invitations, logins and one's own password.
fn people_table() -> Vec<Row> {
    let post = |path, status, fields| Row { method: Method::POST, path, fields, status };
    let delete = |path| Row { method: Method::DELETE, path, fields: vec![("id", json!("x"))], status: 404 };
    vec![
        post("/invitations", 201, vec![("username", json!("cleo"))]),
        post("/invitations/accept", 200, vec![("username", json!("dan")), ("password", json!(PASSWORD))]),
        post("/password", 403, vec![("current_password", json!("wrong")), ("password", json!(PASSWORD))]),
        delete("/invitations"),
        delete("/logins"),
    ]
}

/// Calls about publishers, passkeys, device logins and single sign-on, which prove nothing or concern nothing.
fn identity_table() -> Vec<Row> {
    let post = |path, status, fields| Row { method: Method::POST, path, fields, status };
    let answer = || vec![("name", json!("Laptop")), ("challenge", json!("x")), ("credential", json!({}))];
    let sign_in = || vec![("challenge", json!("x")), ("code", json!("x")), ("state", json!("x"))];
    let publisher = vec![
        ("app", json!("unknown")),
        ("provider", json!("github")),
        ("repository", json!("acme/notes")),
        ("workflow", json!("release.yml")),
    ];
    let job = vec![("token", json!("x")), ("owner", json!("acme")), ("app", json!("notes"))];
    let recovery = vec![
        ("username", json!("acme")),
        ("password", json!(PASSWORD)),
        ("code", json!("abcd-efgh-jkmn-pqrs")),
    ];
    vec![
        post("/publishers", 404, publisher),
        post("/tokens/exchange", 401, job),
        post("/passkeys/new", 200, vec![("password", json!(PASSWORD))]),
        post("/passkeys", 403, answer()),
        post("/passkeys/login", 401, answer()),
        post("/passkeys/proof", 403, answer()),
        post("/passkeys/recover", 401, recovery),
        post("/passkeys/requirement", 409, vec![("required", json!(true))]),
        post("/device/code", 200, vec![("machine", json!("a laptop"))]),
        post("/device/token", 400, vec![("device_code", json!("x"))]),
        post("/device/answer", 404, vec![("user_code", json!("WDJB-MJHT")), ("allow", json!(true))]),
        post("/sso/begin", 409, vec![("then", json!("/console"))]),
        post("/sso/finish", 409, sign_in()),
        post("/sso/bind/finish", 409, sign_in()),
        post("/sso/requirement", 409, vec![("password_login", json!(false))]),
    ]
}

/// Calls about releases and uploads that do not exist.
fn release_table() -> Vec<Row> {
    let post = |path, status, fields| Row { method: Method::POST, path, fields, status };
    let release = || vec![("app_name", json!("unknown")), ("version", json!("1.0.0"))];
    vec![
        post("/explain", 404, vec![("app", json!("unknown")), ("version", json!("1.0.0"))]),
        post(
            "/releases/receipt",
            404,
            vec![
                (
                    "data",
                    Value::Object(
                        release().into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                    ),
                ),
                ("files", json!([])),
            ],
        ),
        post("/releases/id/offer", 404, vec![("publish", json!(true))]),
        post("/releases/id/promote", 404, vec![("channel", json!("beta"))]),
        post("/releases/id/rollout", 404, vec![("action", json!("halt"))]),
        post("/releases/id/requires", 404, vec![("requires", json!({}))]),
        post("/device-groups", 404, vec![("app", json!("unknown")), ("name", json!("qa"))]),
        post("/device-groups/id/devices", 404, vec![("add", json!(["device-1"]))]),
        post("/releases/id/withdraw", 404, vec![("reason", json!("bad"))]),
        post("/releases/id/restore", 404, vec![]),
        post("/shutoffs", 404, vec![("app", json!("unknown")), ("reason", json!("bad"))]),
        post(
            "/freezes",
            404,
            vec![("app", json!("unknown")), ("to", in_an_hour()), ("reason", json!("bad"))],
        ),
        post("/webhooks/id", 404, vec![("name", json!("on call"))]),
        post("/webhooks", 201, vec![("url", json!(WEBHOOKS_TO_NOBODY)), ("kinds", json!(["*"]))]),
        post("/upload/init", 404, release()),
        post("/upload/renew", 404, vec![("upload_id", json!("x"))]),
        post(
            "/upload/parts",
            404,
            vec![
                ("upload_id", json!("x")),
                ("name", json!("notes.deb")),
                ("part_length", json!(5_242_880)),
                ("md5", json!(["0".repeat(32)])),
            ],
        ),
        post("/upload/complete", 404, vec![("upload_id", json!("x"))]),
        post("/upload", 404, release()),
        post("/apps/update", 404, vec![("id", json!("x")), ("publish", json!(true))]),
        post(
            "/artifact/delete",
            404,
            vec![
                ("id", json!("x")),
                ("app_name", json!("notes")),
                ("version", json!("1.0.0")),
                ("artifacts_to_delete", json!([0])),
            ],
        ),
    ]
}

fn in_an_hour() -> Value {
    json!(crate::freezes::in_an_hour())
}

/// Calls about the repository of `notes`, which has none. The application has to exist: the metadata in a body names keys
/// of the service.
fn trust_table(admin: &Account) -> Vec<Row> {
    let row = |method, path, fields| Row { method, path, fields, status: 404 };
    let post = |path, fields| row(Method::POST, path, fields);
    if admin.get("/app/list").ok()["apps"].as_array().is_none_or(Vec::is_empty) {
        admin.create_app("notes");
    }
    let publisher = Publisher::new(admin, "notes");
    let root = publisher.root_file(1, &publisher.named(), &publisher.root.keys);
    let list = publisher.list(&[]);
    let signature = json!({ "keyid": "0a".repeat(32), "sig": "0a".repeat(64) });
    vec![
        post(
            "/tuf/v1/bootstrap",
            vec![("appName", json!("unknown")), ("metadata", json!({ "root": root, "targets": list }))],
        ),
        post("/tuf/v1/bootstrap/recovery", vec![("appName", json!("unknown"))]),
        row(Method::PUT, "/tuf/v1/config", vec![("settings", json!({ "keep": 3 }))]),
        post("/tuf/v1/metadata", vec![("metadata", json!({ "targets": list })), ("base", json!(0))]),
        post("/tuf/v1/metadata/online", vec![("roles", json!(["timestamp"]))]),
        post(
            "/tuf/v1/metadata/delegated/rotate",
            vec![
                ("role", json!("channel-stable")),
                ("delegator", json!("targets")),
                ("metadata", json!({ "channel-stable": list })),
            ],
        ),
        post("/tuf/v1/metadata/sign", vec![("role", json!("targets")), ("signature", signature)]),
        post("/tuf/v1/metadata/sign/delete", vec![("role", json!("targets"))]),
        post("/tuf/v1/artifacts/publish", vec![("app_id", json!("x")), ("version", json!("1.0.0"))]),
        post(
            "/tuf/v1/artifacts/delete",
            vec![
                ("id", json!("x")),
                ("app_name", json!("notes")),
                ("version", json!("1.0.0")),
                ("artifacts_to_delete", json!(["x"])),
            ],
        ),
    ]
}

/// An owner of `notes`, which accepts reports, and the key for them.
fn scene(host: Driver) -> (World, Account, String) {
    // Passkeys need a name.
    let world = World::builder(host).with_variable("api_url", "http://localhost:3000").start();
    let acme = world.admin("acme");
    acme.create_app_with(json!({ "app": "notes", "reports": true }));
    let key = acme.get("/report-keys/list").ok()["report_keys"][0]["key_value"].clone();
    (world, acme, key.as_str().unwrap().to_owned())
}

/// The secret of an invitation that lets the person choose a name.
fn invitation(admin: &Account) -> String {
    let made = admin.post_json("/invitations", json!({})).send().expect(201).json();
    made["secret"].as_str().unwrap().to_owned()
}

fn send(admin: &Account, key: &str, method: &Method, path: &str, body: &Value) -> Answer {
    let text = body.to_string();
    if FORMS.contains(&path) {
        let form = Multipart::new().field("data", text);
        return admin
            .post_multipart(path, if path == "/upload/init" { form.field("files", "[]") } else { form })
            .send();
    }
    // The body says which application it is about, or the query.
    let path = if path.starts_with("/tuf/v1/metadata") || path == "/tuf/v1/config" {
        format!("{path}?appName=notes")
    } else {
        path.to_owned()
    };
    let caller = match &*path {
        "/reports/ingest" => admin.with_credential(key),
        "/invitations/accept" => admin.with_credential(&invitation(admin)),
        _ => admin.clone(),
    };
    let call = caller.call(method.clone(), &path).header("content-type", "application/json");
    call.header("x-device-id", "a-device").body(text.as_bytes()).send()
}

#[test]
fn every_call_that_may_have_a_body_is_in_the_table() {
    let world = World::new(Driver::InProcess);
    let rows: BTreeSet<_> =
        table(&world.admin("acme")).iter().map(|row| format!("{} {}", row.method, row.path)).collect();

    for route in routes().iter().filter(|route| !matches!(route.method, Method::GET | Method::HEAD)) {
        let call = format!("{} {}", route.method, route.path);
        let has_no_body = WITHOUT_BODY.iter().any(|path| *path == route.path || *path == call);
        assert!(rows.contains(&call) || has_no_body, "{call}");
    }
}

fn an_array_is_no_body(host: Driver) {
    let (_world, acme, key) = scene(host);

    for row in table(&acme) {
        let by_position = row.fields.iter().map(|(_, value)| value.clone()).collect();
        for body in [Value::Array(by_position), json!([]), json!([{}])] {
            let answer = send(&acme, &key, &row.method, row.path, &body);
            assert_eq!(answer.status, 400, "{} {body}: {}", row.path, answer.text());
        }
    }
}

fn unknown_keys_are_ignored(host: Driver) {
    let (_world, acme, key) = scene(host);

    for row in table(&acme) {
        let fields = row.fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let unknown = [("surprise".to_owned(), json!([[]])), ("Surprise".to_owned(), json!({ "a": [1] }))];
        let body = Value::Object(fields.chain(unknown).collect());
        let answer = send(&acme, &key, &row.method, row.path, &body);
        assert_eq!(answer.status, row.status, "{} {body}: {}", row.path, answer.text());
    }
    for (path, body) in [
        (
            "/user/create",
            json!({ "id": "mine", "username": "cid", "password": PASSWORD, "permissions": { "apps": { "admin": true } } }),
        ),
        (
            "/platform/create",
            json!({ "id": "mine", "platform": "p", "updaters": [{ "type": "manual", "more": [] }] }),
        ),
        ("/channel/create", json!({ "id": "mine", "channel": "c", "updaters": 1 })),
        ("/app/create", json!({ "id": "mine", "app": "a" })),
    ] {
        let _ = send(&acme, &key, &Method::POST, path, &body).expect(200);
    }
    let list = acme.get("/app/list").ok();
    assert!(list["apps"].as_array().unwrap().iter().all(|app| app["ID"] != "mine"), "{list}");
}

fn nobody_signs_up_by_position(host: Driver) {
    let world = World::new(host);

    let answer = world.client().post_json("/signup", json!(["ada", "password-123", API_KEY])).send();

    let told = "invalid JSON: expected an object";
    assert_eq!(answer.refusal(), (400, told.to_owned()));
    let login = json!({ "username": "ada", "password": "password-123" });
    assert_eq!(world.client().post_json("/login", login).send().status, 401);
}
