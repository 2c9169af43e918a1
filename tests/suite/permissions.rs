//! Permissions of calls: one table for every route and every kind of caller.

mod states;

use std::collections::BTreeSet;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{
    API_KEY, Account, Call, Client, Driver, Multipart, Release, WEBHOOKS_TO_NOBODY, World, on_hosts, routes,
    squirrel, until, velopack,
};

use crate::tokens::{SECRET, claims, hs256, unsigned};

on_hosts! {
    every: [
        everybody_gets_what_the_table_says,
        a_refused_token_says_why,
    ],
}

/// The answer's status for each caller. In order:
///
/// - `nobody`: no credentials.
/// - `expired`, `unsigned`, `forged`: JWTs of the owner that have expired, have `alg: none`, or another signature.
/// - `ci`: a CI token for the application.
/// - `other`: another owner's admin, with this owner's ids and names.
/// - `without`: a team user whose lists hold everything, with every permission off.
/// - `unlisted`: a team user with every permission on, whose lists are empty.
/// - `with`: a team user with every permission on, whose lists hold everything.
/// - `admin`: the owner.
///
/// The rows are called in their order: the last one ends the logins of its callers.
const TABLE: &str = "
                                        nobody expired unsigned forged ci  other without unlisted with admin
GET    /signup                          200    200     200      200    200 200   200     200      200  200
POST   /signup                          200    200     200      200    200 200   200     200      200  200
POST   /login                           200    200     200      200    200 200   200     200      200  200
GET    /whoami                          401    401     401      401    403 200   200     200      200  200
GET    /passkeys                        401    401     401      401    403 200   200     200      200  200
POST   /passkeys/new                    401    401     401      401    403 403   200     200      200  403
POST   /passkeys                        401    401     401      401    403 403   403     403      403  403
DELETE /passkeys                        401    401     401      401    403 404   404     404      404  404
POST   /passkeys/login/new              200    200     200      200    200 200   200     200      200  200
POST   /passkeys/login                  401    401     401      401    401 401   401     401      401  401
POST   /passkeys/recover                401    401     401      401    401 401   401     401      401  401
POST   /passkeys/proof/new              401    401     401      401    403 200   200     200      200  200
POST   /passkeys/proof                  401    401     401      401    403 403   403     403      403  403
POST   /passkeys/recovery-codes         401    401     401      401    403 409   409     409      409  409
POST   /passkeys/requirement            401    401     401      401    403 409   403     403      403  409
GET    /device                          401    401     401      401    403 404   404     404      404  404
POST   /device/code                     200    200     200      200    200 200   200     200      200  200
POST   /device/token                    400    400     400      400    400 400   400     400      400  400
POST   /device/answer                   401    401     401      401    403 404   404     404      404  404
GET    /sso                             200    200     200      200    200 200   200     200      200  200
POST   /sso/begin                       409    409     409      409    409 409   409     409      409  409
POST   /sso/finish                      409    409     409      409    409 409   409     409      409  409
POST   /sso/bind                        401    401     401      401    403 409   409     409      409  409
POST   /sso/bind/finish                 401    401     401      401    403 409   409     409      409  409
POST   /sso/requirement                 401    401     401      401    403 409   403     403      403  409
GET    /publishers                      401    401     401      401    403 200   200     200      200  200
POST   /publishers                      401    401     401      401    403 404   403     404      201  201
DELETE /publishers                      401    401     401      401    403 404   403     404      200  200
POST   /tokens/exchange                 401    401     401      401    401 401   401     401      401  401
GET    /logins                          401    401     401      401    403 200   200     200      200  200
DELETE /logins                          401    401     401      401    403 404   404     404      404  404
POST   /password                        401    401     401      401    403 403   403     403      403  403
POST   /invitations                     401    401     401      401    403 201   403     403      403  201
GET    /invitations                     401    401     401      401    403 200   403     403      403  200
DELETE /invitations                     401    401     401      401    403 404   403     403      403  404
GET    /invitations/mine                401    401     401      401    401 401   401     401      401  401
POST   /invitations/accept              401    401     401      401    401 401   401     401      401  401
POST   /admin/update                    401    401     401      401    403 403   403     403      403  200
POST   /user/create                     401    401     401      401    403 200   403     403      403  200
POST   /user/update                     401    401     401      401    403 404   403     403      403  200
GET    /users/list                      401    401     401      401    403 200   403     403      403  200
DELETE /user/delete                     401    401     401      401    403 404   403     403      403  200
POST   /token/create                    401    401     401      401    403 404   403     403      403  201
GET    /token/list                      401    401     401      401    403 200   403     403      403  200
DELETE /token/delete                    401    401     401      401    403 404   403     403      403  200
POST   /app/create                      401    401     401      401    403 200   403     200      200  200
POST   /app/update                      401    401     401      401    403 404   403     403      200  200
GET    /app/list                        401    401     401      401    403 200   200     200      200  200
DELETE /app/delete                      401    401     401      401    403 404   403     403      200  200
POST   /channel/create                  401    401     401      401    403 200   403     200      200  200
POST   /channel/update                  401    401     401      401    403 404   403     403      200  200
GET    /channel/list                    401    401     401      401    403 200   200     200      200  200
DELETE /channel/delete                  401    401     401      401    403 404   403     403      200  200
POST   /platform/create                 401    401     401      401    403 200   403     200      200  200
POST   /platform/update                 401    401     401      401    403 404   403     403      200  200
GET    /platform/list                   401    401     401      401    403 200   200     200      200  200
DELETE /platform/delete                 401    401     401      401    403 404   403     403      200  200
POST   /arch/create                     401    401     401      401    403 200   403     200      200  200
POST   /arch/update                     401    401     401      401    403 404   403     403      200  200
GET    /arch/list                       401    401     401      401    403 200   200     200      200  200
DELETE /arch/delete                     401    401     401      401    403 404   403     403      200  200
GET    /search                          401    401     401      401    200 200   200     200      200  200
GET    /health                          200    200     200      200    200 200   200     200      200  200
GET    /metrics                         401    401     401      401    401 401   401     401      401  401
GET    /openapi.json                    200    200     200      200    200 200   200     200      200  200
GET    /docs                            200    200     200      200    200 200   200     200      200  200
GET    /docs/                           200    200     200      200    200 200   200     200      200  200
GET    /docs/style.css                  200    200     200      200    200 200   200     200      200  200
GET    /checkVersion                    200    200     200      200    200 200   200     200      200  200
GET    /apps/latest                     302    302     302      302    302 302   302     302      302  302
GET    /responses/owner/app/channel/platform/arch/file         200 200 200 200 200 200 200 200 200 200
GET    /responses/owner/app/channel/platform/arch/updater/file 200 200 200 200 200 200 200 200 200 200
GET    /update/owner/app/channel/platform/arch/version/        200 200 200 200 200 200 200 200 200 200
GET    /update/owner/app/channel/platform/arch/version/file    302 302 302 302 302 302 302 302 302 302
GET    /update/owner/app/channel/platform/arch/version/files/file 302 302 302 302 302 302 302 302 302 302
GET    /velopack/owner/app/platform/arch/file                  200 200 200 200 200 200 200 200 200 200
GET    /velopack/owner/app/channel/platform/arch/file          200 200 200 200 200 200 200 200 200 200
GET    /telemetry/beacon                204    204     204      204    204 204   204     204      204  204
GET    /telemetry                       401    401     401      401    403 200   200     200      200  200
GET    /telemetry/adoption              401    401     401      401    403 404   200     404      200  200
GET    /telemetry/overview              401    401     401      401    403 200   200     200      200  200
POST   /reports/ingest                  401    401     401      401    401 401   401     401      401  401
GET    /reports/groups                  401    401     401      401    403 200   200     200      200  200
GET    /reports/groups/hash/blobs       401    401     401      401    403 404   200     403      200  200
GET    /reports/groups/hash/blobs/id    401    401     401      401    403 404   404     403      404  404
GET    /reports/causes                  401    401     401      401    403 200   200     200      200  200
PATCH  /reports/causes                  401    401     401      401    403 404   403     403      200  200
GET    /reports/versions                401    401     401      401    403 404   200     404      200  200
PATCH  /reports/groups/hash             401    401     401      401    403 404   403     403      200  200
DELETE /reports/groups/hash             401    401     401      401    403 404   403     403      200  200
GET    /report-keys/list                401    401     401      401    403 200   200     200      200  200
POST   /report-keys/regenerate          401    401     401      401    403 404   403     403      200  200
POST   /upload/init                     401    401     401      401    200 404   403     403      200  200
POST   /upload/renew                    401    401     401      401    200 404   403     403      200  200
POST   /upload/parts                    401    401     401      401    200 404   403     403      200  200
POST   /upload/complete                 401    401     401      401    200 404   403     403      200  200
POST   /upload                          401    401     401      401    200 404   403     403      200  200
POST   /apps/update                     401    401     401      401    403 404   403     403      200  200
GET    /releases                        401    401     401      401    200 404   200     404      200  200
GET    /releases/halt-link              401    404     404      404    404 404   404     404      404  404
POST   /releases/halt-link              401    404     404      404    404 404   404     404      404  404
GET    /releases/id                     401    401     401      401    200 404   200     404      200  200
GET    /releases/id/health              401    401     401      401    200 404   200     404      200  200
GET    /releases/id/receipt             401    401     401      401    200 404   200     404      200  200
POST   /releases/receipt                401    401     401      401    200 404   200     404      200  200
POST   /releases/id/offer               401    401     401      401    403 404   403     404      200  200
POST   /releases/id/rollout             401    401     401      401    403 404   403     404      200  200
POST   /releases/id/requires            401    401     401      401    403 404   403     404      200  200
POST   /releases/id/promote             401    401     401      401    403 404   403     404      201  201
DELETE /releases/id/offer               401    401     401      401    403 404   403     404      200  200
POST   /releases/id/withdraw            401    401     401      401    403 404   403     404      200  200
POST   /releases/id/restore             401    401     401      401    403 404   403     404      200  409
DELETE /apps/delete                     401    401     401      401    403 404   403     403      200  200
POST   /artifact/delete                 401    401     401      401    403 404   403     403      200  200
GET    /download                        401    401     401      401    403 404   403     403      302  302
GET    /download-tokens/list            401    401     401      401    403 200   200     200      200  200
POST   /download-tokens/regenerate      401    401     401      401    403 404   403     403      200  200
GET    /tuf/v1/bootstrap                401    401     401      401    200 404   403     403      200  200
POST   /tuf/v1/bootstrap                401    401     401      401    403 404   403     403      403  409
DELETE /tuf/v1/bootstrap                401    401     401      401    403 404   403     403      403  404
POST   /tuf/v1/bootstrap/recovery       401    401     401      401    403 404   403     403      403  404
GET    /tuf/v1/config                   401    401     401      401    403 404   403     403      404  404
PUT    /tuf/v1/config                   401    401     401      401    403 404   403     403      403  404
POST   /tuf/v1/metadata/online          401    401     401      401    403 404   403     403      403  404
GET    /tuf/v1/metadata/root            401    401     401      401    404 404   403     403      404  404
GET    /tuf/v1/metadata/targets         401    401     401      401    404 404   403     403      404  404
GET    /tuf/v1/metadata/delegated       401    401     401      401    404 404   403     403      404  404
POST   /tuf/v1/metadata                 401    401     401      401    404 404   403     403      404  404
POST   /tuf/v1/metadata/delegated/rotate 401 401 401 401 404 404 403 403 404 404
GET    /tuf/v1/metadata/sign            401    401     401      401    404 404   403     403      404  404
POST   /tuf/v1/metadata/sign            401    401     401      401    404 404   403     403      404  404
POST   /tuf/v1/metadata/sign/delete     401    401     401      401    403 404   403     403      403  404
GET    /tuf/v1/artifacts                401    401     401      401    404 404   403     403      404  404
POST   /tuf/v1/artifacts/publish        401    401     401      401    403 404   403     403      404  404
POST   /tuf/v1/artifacts/delete         401    401     401      401    403 404   403     403      404  404
GET    /tuf/v1/task                     401    401     401      401    404 404   404     404      404  404
GET    /tuf/repository/owner/app/metadata/file                 404 404 404 404 404 404 404 404 404 404
GET    /tuf/repository/owner/app/targets/name...               404 404 404 404 404 404 404 404 404 404
GET    /audit                           401    401     401      401    403 200   200     200      200  200
GET    /audit/head                      401    401     401      401    403 200   403     403      403  200
POST   /shutoffs                        401    401     401      401    403 404   403     404      201  201
GET    /shutoffs                        401    401     401      401    200 200   200     200      200  200
DELETE /shutoffs                        401    401     401      401    403 404   403     404      200  200
POST   /freezes                         401    401     401      401    403 404   403     404      201  201
GET    /freezes                         401    401     401      401    200 200   200     200      200  200
DELETE /freezes/id                      401    401     401      401    403 404   403     404      200  200
POST   /webhooks                        401    401     401      401    403 201   403     403      403  201
GET    /webhooks                        401    401     401      401    403 200   403     403      403  200
POST   /webhooks/id                     401    401     401      401    403 404   403     403      403  200
DELETE /webhooks                        401    401     401      401    403 404   403     403      403  200
POST   /webhooks/id/test                401    401     401      401    403 404   403     403      403  404
POST   /device-groups                   401    401     401      401    403 404   403     404      201  201
GET    /device-groups                   401    401     401      401    200 404   200     404      200  200
POST   /device-groups/id/devices        401    401     401      401    403 404   403     404      200  200
POST   /device-groups/id/key            401    401     401      401    403 404   403     404      201  201
DELETE /device-groups                   401    401     401      401    403 404   403     404      200  200
POST   /explain                         401    401     401      401    200 404   200     404      200  200
POST   /guard/run                       401    401     401      401    403 200   403     403      403  200
POST   /maintenance/run                 401    401     401      401    401 200   401     401      401  200
POST   /logout                          401    401     401      401    403 200   200     200      200  200
POST   /logout/others                   401    401     401      401    403 200   200     200      200  200
POST   /logout/all                      401    401     401      401    403 200   200     200      200  200
";

/// The channel to which a caller promotes.
fn further_channel(name: &str) -> &'static str {
    if name == "with" { "further-a" } else { "further-b" }
}

/// The calls that may succeed and change nothing of an owner that people see: a login and its end, the name that the admin has already, a
/// question, an upload that is not complete, and counting.
const UNAUDITED: [&str; 15] = [
    "/device/code",
    "/login",
    "/passkeys/login/new",
    "/passkeys/new",
    "/passkeys/proof/new",
    "/logout",
    "/admin/update",
    "/explain",
    "/releases/receipt",
    "/reports/ingest",
    "/upload/init",
    "/upload/renew",
    "/upload/parts",
    "/guard/run",
    "/maintenance/run",
];

/// Every path that answers GET answers HEAD.
fn methods(row: &Row) -> Vec<Method> {
    let head = (row.method == Method::GET).then_some(Method::HEAD);
    head.into_iter().chain([row.method.clone()]).collect()
}

struct Row {
    method: Method,
    path: &'static str,
    statuses: Vec<(&'static str, u16)>,
}

fn table() -> Vec<Row> {
    let mut lines = TABLE.trim().lines();
    let callers: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let row = |line: &'static str| {
        let mut words = line.split_whitespace();
        let (method, path) = (words.next().unwrap().parse().unwrap(), words.next().unwrap());
        let statuses: Vec<u16> = words.map(|word| word.parse().unwrap()).collect();
        assert_eq!(statuses.len(), callers.len(), "{line}");
        Row { method, path, statuses: callers.iter().copied().zip(statuses).collect() }
    };
    lines.map(row).collect()
}

#[test]
fn every_route_is_in_the_table_once() {
    let of_routes: BTreeSet<String> =
        routes().iter().map(|route| format!("{} {}", route.method, route.path)).collect();
    let rows: Vec<String> = table().iter().map(|row| format!("{} {}", row.method, row.path)).collect();

    assert_eq!(rows.iter().cloned().collect::<BTreeSet<_>>(), of_routes);
    assert_eq!(rows.len(), of_routes.len(), "a route is there twice");
}

fn everybody_gets_what_the_table_says(host: Driver) {
    let world = World::builder(host)
        // Passkeys need a name.
        .with_variable("api_url", "http://localhost:3000")
        .with_variable("login_failures_per_address", "1000")
        .with_variable("login_failures_per_user", "1000")
        .with_variable("device_hash_key", "a key for the hashes of devices")
        .with_variable("metrics_token", "a-token-that-none-of-them-has")
        .start();
    let scene = Scene::new(&world);
    let mut wrong = Vec::new();

    for row in table() {
        for (name, expected) in &row.statuses {
            for method in methods(&row) {
                let (caller, call) = (scene.caller(name, row.path), row.path);
                let entries = scene.entries();
                let answer = scene.call(name, &caller, &method, call).send();
                let added = scene.entries() - entries;
                let is_change = answer.status < 300 && !method.is_safe() && !UNAUDITED.contains(&row.path);
                if added != i64::from(is_change) {
                    wrong.push(format!("{method} {call} as {name}: {added} entries in the audit log"));
                }
                if answer.status != *expected {
                    wrong.push(format!("{method} {call} as {name}: {} {}", answer.status, answer.text()));
                }
                if answer.status == 401 {
                    assert!(answer.headers.contains_key("www-authenticate"), "{method} {call} as {name}");
                }
            }
        }
    }

    assert!(wrong.is_empty(), "not as in the table:\n{}", wrong.join("\n"));
}

fn a_refused_token_says_why(host: Driver) {
    let world = World::new(host);
    world.admin("acme");
    let refusal = |value: Option<&str>| {
        let call = world.get("/whoami");
        match value {
            Some(value) => call.header("authorization", value).send().refusal(),
            None => call.send().refusal(),
        }
    };
    let refused = |text: &str| (401, text.to_owned());
    let bearer = |token: &str| format!("Bearer {token}");

    assert_eq!(refusal(None), refused("missing authorization header"));
    for value in ["token", "Basic YTpi", "Bearer"] {
        assert_eq!(refusal(Some(value)), refused("invalid token format"), "{value}");
    }
    assert_eq!(refusal(Some(&bearer(&hs256(&claims("acme", -5), SECRET)))), refused("token expired"));
    for token in [
        unsigned(&claims("acme", 60)),
        hs256(&claims("acme", 60), "another secret, which is as long"),
        hs256(&claims("nobody", 60), SECRET),
        format!("sdt_{}", "0".repeat(64)),
    ] {
        assert_eq!(refusal(Some(&bearer(&token))), refused("invalid token"), "{token}");
    }
    assert_eq!(refusal(Some(&bearer(&hs256(&claims("acme", 60), SECRET)))).0, 200);
}

/// The things that calls are about; one of each for the permitted team user and one for all others, so that neither
/// deletes the other's.
struct Things {
    app: String,
    channel: String,
    platform: String,
    arch: String,
    /// A release to delete, and one with an artifact to delete.
    releases: [String; 2],
    versions: [&'static str; 2],
    group: String,
}

/// An owner with everything that calls can be about, and everybody who calls.
struct Scene<'w> {
    world: &'w World,
    callers: Vec<(&'static str, Client)>,
    owner: Account,
    app: String,
    release: String,
    things: [Things; 2],
    /// By the CI token, by the team user, by the owner.
    uploads: [String; 3],
    spare_user: String,
    token: String,
}

const PASSWORD: &str = "password of a user";

impl<'w> Scene<'w> {
    #[expect(clippy::too_many_lines, reason = "everything that one of the routes is about")]
    fn new(world: &'w World) -> Self {
        let acme = world.admin("acme");
        let app = acme.create_app_with(json!({ "app": "notes", "reports": true }));
        let channel = acme.create_channel("stable");
        let further = ["further-a", "further-b"].map(|name| acme.create_channel(name));
        let platform = acme.create_platform("linux");
        let arch = acme.create_arch("amd64");
        let secret = acme.create_app_with(json!({ "app": "secret", "private": true }));
        let release = acme.publish(Release::new("1.0.0"));
        acme.publish(Release::new("1.0.0").with("app_name", "secret"));
        let windows = acme.create_platform_with("windows", &["squirrel_windows", "velopack"]);
        acme.publish(squirrel("1.0.1", &[]));
        acme.publish(velopack("1.0.2", &[]));
        let key = acme.get("/report-keys/list").ok()["report_keys"][0]["key_value"].clone();
        let things = [["a", "1.1.0", "1.2.0"], ["b", "1.3.0", "1.4.0"]].map(|[name, first, second]| Things {
            app: acme.create_app(&format!("app-{name}")),
            channel: acme.create_channel(&format!("channel-{name}")),
            platform: acme.create_platform(&format!("platform-{name}")),
            arch: acme.create_arch(&format!("arch-{name}")),
            releases: [first, second].map(|version| acme.upload(&Release::new(version))),
            versions: [first, second],
            group: report(world, key.as_str().unwrap(), name),
        });
        let ids = |kind: fn(&Things) -> &String, more: &[&String]| -> Vec<String> {
            things.iter().map(kind).chain(more.iter().copied()).cloned().collect()
        };
        let all = [
            ids(|things| &things.app, &[&app, &secret]),
            ids(|things| &things.channel, &[&channel, &further[0], &further[1]]),
            ids(|things| &things.platform, &[&platform, &windows]),
            ids(|things| &things.arch, &[&arch]),
        ];
        let none = [const { Vec::new() }; 4];
        let user = |name: &str, may: bool, lists: &[Vec<String>; 4]| {
            create_user(&acme, name, &permissions(may, lists));
            world.login(name, PASSWORD)
        };
        let member = user("ann", true, &all);
        let ci = acme.ci_token(&[&app]);
        let begin = |who: &Account, version: &str| who.stage(&Release::new(version)).id;
        let uploads = [begin(&ci, "2.0.0"), begin(&member, "2.0.1"), begin(&acme, "2.0.2")];
        let forged = hs256(&claims("acme", 60), "another secret, which is as long");
        let callers = vec![
            ("nobody", world.client().clone()),
            ("expired", world.client().with_token(&hs256(&claims("acme", -5), SECRET))),
            ("unsigned", world.client().with_token(&unsigned(&claims("acme", 600)))),
            ("forged", world.client().with_token(&forged)),
            ("ci", (*ci).clone()),
            ("other", (*world.admin("other")).clone()),
            ("without", (*user("ben", false, &all)).clone()),
            ("unlisted", (*user("cid", true, &none)).clone()),
            ("with", (*member).clone()),
            ("admin", (*acme).clone()),
        ];
        create_user(&acme, "spare", &json!({}));
        let users = acme.get("/users/list").ok();
        let id_of = |name: &str| {
            let mut users = users["users"].as_array().unwrap().iter();
            users.find(|user| user["username"] == name).unwrap()["id"].as_str().unwrap().to_owned()
        };
        let token = acme.post_json("/token/create", json!({ "name": "spare", "allowed_apps": [app] })).send();
        let token = token.expect(201).json()["id"].as_str().unwrap().to_owned();
        Self { world, callers, app, release, things, uploads, spare_user: id_of("spare"), token, owner: acme }
    }

    fn caller(&self, name: &str, path: &str) -> Client {
        let user = match name {
            "other" => Some(("other", spindrift_tests::PASSWORD)),
            "without" => Some(("ben", PASSWORD)),
            "unlisted" => Some(("cid", PASSWORD)),
            "with" => Some(("ann", PASSWORD)),
            "admin" => Some(("acme", spindrift_tests::PASSWORD)),
            _ => None,
        };
        // The login of the further calls must not end.
        if let Some((name, password)) = user.filter(|_| path == "/logout") {
            return (*self.world.login(name, password)).clone();
        }
        self.callers.iter().find(|(caller, _)| *caller == name).unwrap().1.clone()
    }

    /// The id of a group of devices.
    fn group(&self) -> String {
        let all = self.owner.get("/device-groups?app=notes").ok();
        all["groups"][0]["id"].as_str().unwrap_or("none").to_owned()
    }

    /// A call that would be right if it were allowed.
    #[expect(clippy::too_many_lines, reason = "a line for every route")]
    fn call<'a>(&self, name: &str, caller: &'a Client, method: &Method, path: &str) -> Call<'a> {
        let things = &self.things[usize::from(name == "with")];
        let id = |id: &str| caller.call(method.clone(), &format!("{path}?id={id}"));
        let json = |body: Value| caller.post_json(path, body);
        let data = |body: Value| Multipart::new().field("data", body.to_string());
        let form = |body: Value| caller.post_multipart(path, data(body));
        let named = format!("made-by-{name}");
        let scope = "app_name=notes&version=0.1&channel=stable&platform=linux&arch=amd64&owner=acme";
        match path {
            "/signup" if *method == Method::POST => {
                json(json!({ "username": named, "password": PASSWORD, "api_key": API_KEY }))
            }
            "/login" => json(json!({ "username": "ann", "password": PASSWORD })),
            "/logins" | "/invitations" | "/passkeys" if *method == Method::DELETE => id("none"),
            "/passkeys/new" => json(json!({ "password": PASSWORD })),
            "/passkeys" | "/passkeys/login" | "/passkeys/proof" if *method == Method::POST => {
                json(json!({ "name": "Laptop", "challenge": "none", "credential": {} }))
            }
            "/passkeys/recover" => {
                json(json!({ "username": "ann", "password": PASSWORD, "code": "abcd-efgh-jkmn-pqrs" }))
            }
            "/passkeys/requirement" => json(json!({ "required": true })),
            "/device" => caller.call(method.clone(), "/device?user_code=WDJB-MJHT"),
            "/device/code" => json(json!({ "machine": name })),
            "/device/token" => json(json!({ "device_code": "none" })),
            "/device/answer" => json(json!({ "user_code": "WDJB-MJHT", "allow": true })),
            "/sso/finish" | "/sso/bind/finish" => {
                json(json!({ "challenge": "none", "code": "none", "state": "none" }))
            }
            "/sso/requirement" => json(json!({ "password_login": false })),
            "/publishers" => match *method {
                Method::POST => json(json!({
                    "app": "notes", "provider": "github", "repository": format!("acme/{name}"),
                    "workflow": "release.yml",
                })),
                Method::DELETE => {
                    let all = self.owner.get("/publishers").ok();
                    id(all["publishers"][0]["id"].as_str().unwrap_or("none"))
                }
                _ => caller.call(method.clone(), path),
            },
            "/tokens/exchange" => json(json!({ "token": "none", "owner": "acme", "app": "notes" })),
            "/password" => json(json!({ "current_password": "not this one", "password": PASSWORD })),
            "/invitations" if *method == Method::POST => json(json!({ "role": "support" })),
            "/invitations/accept" => json(json!({ "username": named, "password": PASSWORD })),
            "/admin/update" => json(json!({ "id": self.owner_id(), "username": "acme" })),
            "/user/create" => json(json!({ "username": format!("user-{named}"), "password": PASSWORD })),
            "/user/update" => json(json!({ "id": self.spare_user, "username": format!("spare-{name}") })),
            "/user/delete" => id(&self.spare_user),
            "/token/create" => json(json!({ "name": named, "allowed_apps": [self.app] })),
            "/token/delete" => id(&self.token),
            "/app/create" => form(json!({ "app": named })),
            "/app/update" => form(json!({ "id": things.app, "description": "new" })),
            "/app/delete" => id(&things.app),
            "/channel/create" => json(json!({ "channel": named })),
            "/channel/update" => json(json!({ "id": things.channel, "channel": format!("now-{named}") })),
            "/channel/delete" => id(&things.channel),
            "/platform/create" => json(json!({ "platform": named })),
            "/platform/update" => json(json!({ "id": things.platform, "platform": format!("now-{named}") })),
            "/platform/delete" => id(&things.platform),
            "/arch/create" => json(json!({ "arch": named })),
            "/arch/update" => json(json!({ "id": things.arch, "arch": format!("now-{named}") })),
            "/arch/delete" => id(&things.arch),
            "/checkVersion" => caller.call(method.clone(), &format!("{path}?{scope}")),
            "/explain" => json(json!({
                "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "0.1",
            })),
            "/telemetry/beacon" => {
                caller.call(method.clone(), &format!("{path}?{scope}")).header("x-device-id", "a-device")
            }
            "/apps/latest" => {
                let place = "channel=stable&platform=linux&arch=amd64&package=deb";
                caller.call(method.clone(), &format!("{path}?app_name=notes&owner=acme&{place}"))
            }
            "/responses/owner/app/channel/platform/arch/file" => {
                caller.call(method.clone(), "/responses/acme/notes/stable/linux/amd64/0.1.json")
            }
            "/responses/owner/app/channel/platform/arch/updater/file" => {
                caller.call(method.clone(), "/responses/acme/notes/stable/linux/amd64/manual/0.1.json")
            }
            "/update/owner/app/channel/platform/arch/version/" => {
                caller.call(method.clone(), "/update/acme/notes/stable/windows/amd64/0.1/")
            }
            "/update/owner/app/channel/platform/arch/version/file" => {
                let file = "/update/acme/notes/stable/windows/amd64/0.1/Notes-1.0.1-full.nupkg";
                caller.call(method.clone(), file)
            }
            "/update/owner/app/channel/platform/arch/version/files/file" => {
                let file = "/update/acme/notes/stable/windows/amd64/1.0.1/files/Notes-1.0.1-full.nupkg";
                caller.call(method.clone(), file)
            }
            "/velopack/owner/app/platform/arch/file" => {
                caller.call(method.clone(), "/velopack/acme/notes/windows/amd64/releases.stable.json")
            }
            "/velopack/owner/app/channel/platform/arch/file" => {
                caller.call(method.clone(), "/velopack/acme/notes/stable/windows/amd64/releases.win.json")
            }
            "/reports/ingest"
            | "/passkeys/login/new"
            | "/passkeys/proof/new"
            | "/passkeys/recovery-codes"
            | "/sso/begin"
            | "/sso/bind" => json(json!({})),
            "/reports/groups/hash/blobs" | "/reports/groups/hash/blobs/id" | "/reports/groups/hash" => {
                let call = caller.call(method.clone(), &path.replace("hash", &things.group));
                match *method {
                    Method::PATCH => call
                        .header("content-type", "application/json")
                        .body(json!({ "note": "seen" }).to_string().as_bytes()),
                    _ => call,
                }
            }
            "/reports/causes" if *method == Method::PATCH => {
                let cause = json!({ "app_id": self.app, "type": "crash", "reason": "a" });
                let status = if name == "admin" { "resolved" } else { "muted" };
                let body = json!({ "causes": [cause], "status": status }).to_string();
                let call = caller.call(method.clone(), path);
                call.header("content-type", "application/json").body(body.as_bytes())
            }
            "/reports/versions" | "/telemetry/adoption" => {
                caller.call(method.clone(), &format!("{path}?app=notes"))
            }
            "/download-tokens/regenerate" | "/report-keys/regenerate" => json(json!({ "app_id": self.app })),
            "/upload/init" => {
                let release = Release::new(&version_for(name, 3));
                let (data, files) = (release.data().to_string(), release.manifest().to_string());
                caller.post_form(path, &[("data", &data), ("files", &files)])
            }
            "/upload/renew" | "/upload/parts" | "/upload/complete" => {
                let upload = match name {
                    "ci" => &self.uploads[0],
                    "with" => &self.uploads[1],
                    _ => &self.uploads[2],
                };
                // The one part of a small file. The other calls ignore these keys.
                json(json!({
                    "upload_id": upload, "name": "notes.deb", "part_length": 5_242_880, "md5": ["0".repeat(32)],
                }))
            }
            "/upload" => {
                let release = Release::new(&version_for(name, 4));
                caller.post_multipart(path, data(release.data().clone()).file("notes.deb", name))
            }
            "/apps/update" => form(json!({ "id": self.release, "changelog": name })),
            "/releases" => caller.call(method.clone(), "/releases?app=notes&version=1.0.0"),
            "/releases/receipt" => {
                let data = Release::new(&version_for(name, 5)).data().clone();
                json(json!({ "data": data, "files": ["notes.deb"] }))
            }
            "/releases/id" | "/releases/id/health" | "/releases/id/receipt" => {
                caller.call(method.clone(), &path.replace("id", &self.release))
            }
            "/releases/id/offer" if *method == Method::DELETE => {
                let path = path.replace("id", &self.release);
                caller.call(method.clone(), &format!("{path}?channel={}", further_channel(name)))
            }
            "/releases/id/promote" => {
                let call = caller.call(method.clone(), &path.replace("id", &self.release));
                let body = json!({ "channel": further_channel(name), "publish": true }).to_string();
                call.header("content-type", "application/json").body(body.as_bytes())
            }
            "/releases/id/offer"
            | "/releases/id/rollout"
            | "/releases/id/requires"
            | "/releases/id/withdraw"
            | "/releases/id/restore" => {
                let call = caller.call(method.clone(), &path.replace("id", &self.release));
                // Each caller orders something else: an order that changes nothing has no entry in the
                // audit log.
                let percent = 40 + name.len();
                let body = json!({
                    "groups": [], "guard": { "on_unhealthy": "halt", "max_failing": percent }, "action": "set",
                    "percent": percent, "requires": { "os_version": { "min": percent.to_string() } },
                    "reason": format!("tried by {name}"),
                });
                call.header("content-type", "application/json").body(body.to_string().as_bytes())
            }
            "/shutoffs" => match *method {
                Method::POST => {
                    json(json!({ "app": "notes", "reason": "tried", "channel": if name == "with" {
                    "stable"
                } else {
                    ""
                } }))
                }
                Method::DELETE => {
                    let all = self.owner.get(path).ok();
                    id(all["shutoffs"][0]["id"].as_str().unwrap_or("none"))
                }
                _ => caller.call(method.clone(), path),
            },
            "/freezes" => match *method {
                Method::POST => {
                    json(json!({ "app": "notes", "to": crate::freezes::in_an_hour(), "reason": "tried" }))
                }
                _ => caller.call(method.clone(), path),
            },
            "/freezes/id" => {
                let all = self.owner.get("/freezes").ok();
                let id = all["freezes"][0]["id"].as_str().unwrap_or("none");
                caller.call(method.clone(), &path.replace("id", id))
            }
            "/webhooks" => match *method {
                Method::POST => json(json!({ "url": WEBHOOKS_TO_NOBODY, "kinds": ["*"] })),
                Method::DELETE => {
                    let all = self.owner.get(path).ok();
                    id(all["webhooks"][0]["id"].as_str().unwrap_or("none"))
                }
                _ => caller.call(method.clone(), path),
            },
            "/webhooks/id" => {
                let all = self.owner.get("/webhooks").ok();
                let id = all["webhooks"][0]["id"].as_str().unwrap_or("none");
                let call = caller.call(method.clone(), &path.replace("id", id));
                let body = json!({ "name": format!("webhook of {name}") }).to_string();
                call.header("content-type", "application/json").body(body.as_bytes())
            }
            "/device-groups" => match *method {
                Method::POST => json(json!({ "app": "notes", "name": name })),
                Method::DELETE => id(&self.group()),
                _ => caller.call(method.clone(), "/device-groups?app=notes"),
            },
            "/device-groups/id/devices" | "/device-groups/id/key" => {
                let call = caller.call(method.clone(), &path.replace("id", &self.group()));
                let body = json!({ "add": [format!("device-of-{name}")] }).to_string();
                call.header("content-type", "application/json").body(body.as_bytes())
            }
            "/apps/delete" => id(&things.releases[0]),
            "/artifact/delete" => {
                let [_, release] = &things.releases;
                let version = things.versions[1];
                form(json!({
                    "id": release, "app_name": "notes", "version": version, "artifacts_to_delete": [0],
                }))
            }
            "/download" => {
                let key = "acme/secret/stable/linux/amd64/secret-1.0.0.deb";
                caller.call(method.clone(), &format!("{path}?key={}", key.replace('/', "%2F")))
            }
            _ if path.starts_with("/tuf/v1/") => self.trust_call(caller, method, path),
            _ => caller.call(method.clone(), path),
        }
    }

    /// A call about signed metadata. `notes` has none.
    fn trust_call<'a>(&self, caller: &'a Client, method: &Method, path: &str) -> Call<'a> {
        let publisher = Publisher::new(&self.owner, "notes");
        let body = match (method, path) {
            (&Method::POST, "/tuf/v1/bootstrap") => {
                let root = publisher.root_file(1, &publisher.named(), &publisher.root.keys);
                json!({ "appName": "notes", "metadata": { "root": root } })
            }
            (_, "/tuf/v1/bootstrap/recovery") => json!({ "appName": "notes" }),
            (&Method::PUT, "/tuf/v1/config") => json!({ "settings": { "keep": 3 } }),
            (&Method::POST, "/tuf/v1/metadata") => json!({ "metadata": { "targets": publisher.list(&[]) } }),
            (_, "/tuf/v1/metadata/delegated/rotate") => {
                json!({ "role": "channel-stable", "metadata": { "channel-stable": publisher.list(&[]) } })
            }
            (&Method::POST, "/tuf/v1/metadata/sign") => {
                let signature = json!({ "keyid": "0a".repeat(32), "sig": "0a".repeat(64) });
                json!({ "role": "targets", "signature": signature })
            }
            (_, "/tuf/v1/metadata/sign/delete") => json!({ "role": "targets" }),
            (_, "/tuf/v1/metadata/online") => json!({}),
            (_, "/tuf/v1/artifacts/publish") => json!({ "app_id": self.app, "version": "1.0.0" }),
            (_, "/tuf/v1/artifacts/delete") => json!({
                "id": self.release, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": ["x"],
            }),
            _ => Value::Null,
        };
        let query = "appName=notes&confirm=acme%2Fnotes&roleName=channel-stable&task_id=x";
        let call = caller.call(method.clone(), &format!("{path}?{query}"));
        if body.is_null() {
            return call;
        }
        call.header("content-type", "application/json").body(body.to_string().as_bytes())
    }

    /// The number of entries in the audit logs of all owners.
    fn entries(&self) -> i64 {
        let entries = || self.world.number("SELECT count(*) FROM audit_log").ok();
        until("the database is free", Duration::from_secs(10), entries)
    }

    fn owner_id(&self) -> Value {
        self.owner.get("/whoami").ok()["id"].clone()
    }
}

/// A version of its own for each caller.
fn version_for(name: &str, major: u8) -> String {
    let number = name.bytes().fold(0_u32, |number, byte| number * 31 % 10_007 + u32::from(byte));
    format!("{major}.{number}.0")
}

fn permissions(may: bool, [apps, channels, platforms, archs]: &[Vec<String>; 4]) -> Value {
    let of = |allowed: &Vec<String>| json!({ "create": may, "delete": may, "edit": may, "allowed": allowed });
    let mut apps = of(apps);
    apps["download"] = json!(may);
    apps["upload"] = json!(may);
    json!({ "apps": apps, "channels": of(channels), "platforms": of(platforms), "archs": of(archs) })
}

fn create_user(owner: &Account, name: &str, permissions: &Value) {
    let body = json!({ "username": name, "password": PASSWORD, "permissions": permissions });
    owner.post_json("/user/create", body).ok();
}

/// Reports a failure; answers its group's hash.
fn report(world: &World, key: &str, reason: &str) -> String {
    let body = json!({
        "application": { "name": "notes", "version": "1.0.0", "channel": "stable" },
        "system": { "platform": "linux", "arch": "amd64" },
        "event": { "type": "crash", "reason": reason },
    });
    let call = world
        .client()
        .with_token(key)
        .post_json("/reports/ingest", body)
        .header("x-device-id", "a-device")
        .send();
    call.expect(202).json()["group_hash"].as_str().unwrap().to_owned()
}
