//! The common behaviour of all endpoints: health, unknown paths, methods, request ids, errors, cross-origin requests.

use http::Method;
use serde_json::json;
use spindrift_tests::{API_KEY, Answer, Driver, PASSWORD, Release, World, on_hosts, raw};

on_hosts! {
    every: [
        a_new_service_is_healthy,
        an_unknown_path_is_not_found,
        a_browser_at_the_start_comes_to_the_console,
        errors_have_a_code,
        errors_of_the_report_call_have_their_text_alone,
        no_cache_keeps_an_error,
        an_unknown_path_below_a_known_one_is_answered_as_any_other,
        a_known_path_with_another_method_says_which_are_allowed,
        every_answer_has_a_request_id,
        a_sent_request_id_comes_back,
        a_request_id_that_could_do_harm_is_replaced,
        head_answers_as_get_without_a_body,
        a_foreign_page_may_not_read_answers,
        a_listed_page_may_read_answers,
        a_preflight_is_answered,
    ],
    in_process: [
        a_failing_database_is_unhealthy,
        a_failing_key_value_store_is_unhealthy,
        a_failing_database_says_so_to_every_caller,
        settings_that_cannot_be_read_say_so,
        a_setting_that_cannot_be_used_is_unhealthy,
        nobody_signs_up_who_could_not_log_in,
        errors_say_the_rule_and_repeat_no_device,
    ],
}

fn a_new_service_is_healthy(host: Driver) {
    let world = World::new(host);

    let answer = world.get("/health").send().expect(200);

    assert_eq!(answer.json(), json!({ "status": "healthy" }));
    assert_eq!(answer.header("content-type"), "application/json");
}

fn no_cache_keeps_an_error(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0").published());
    let check = "/checkVersion?owner=acme&version=1.0.0&channel=stable&platform=linux&arch=amd64&app_name";

    for (path, status) in [
        ("/checkVersion", 400),
        (&format!("{check}=other"), 404),
        ("/apps/latest?owner=acme&app_name=other", 404),
        ("/update/acme/other/stable/linux/amd64/1.0.0/RELEASES", 404),
        ("/responses/acme/other/stable/linux/amd64/1.0.0.json", 404),
        ("/telemetry/beacon", 400),
        ("/app/list", 401),
        ("/login", 405),
    ] {
        let answer = world.get(path).send();
        assert_eq!((answer.status, answer.header("cache-control")), (status, "no-store"), "{path}");
    }
    let repository = world.get("/tuf/repository/acme/notes/metadata/2.root.json").send().expect(404);
    assert_eq!(repository.header("cache-control"), "public, max-age=60, must-revalidate");
}

fn a_failing_database_is_unhealthy(host: Driver) {
    let world = World::new(host);
    world.platform().fail_sql(true);

    let answer = world.get("/health").send().expect(503);
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.json(), json!({ "status": "unhealthy", "details": "database" }));

    world.platform().fail_sql(false);
    let _ = world.get("/health").send().expect(200);
}

fn a_failing_key_value_store_is_unhealthy(host: Driver) {
    let world = World::new(host);
    world.platform().fail_key_value(true);

    let answer = world.get("/health").send().expect(503);

    assert_eq!(answer.json(), json!({ "status": "unhealthy", "details": "key-value store" }));
}

fn a_failing_database_says_so_to_every_caller(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    world.platform().fail_sql(true);

    for path in ["/apps/latest?app_name=notes&owner=acme", "/search", "/app/list", "/whoami"] {
        let answer = acme.get(path).send();
        assert_eq!(answer.refusal(), (503, "the database is unavailable".to_owned()), "{path}");
        assert_eq!(answer.header("retry-after"), "5", "{path}");
    }
}

fn settings_that_cannot_be_read_say_so(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    world.platform().fail_variables(true);

    let answer = acme.get("/whoami").send();

    assert_eq!(answer.refusal(), (503, "the settings are unavailable".to_owned()));
}

fn a_setting_that_cannot_be_used_is_unhealthy(host: Driver) {
    let world = World::new(host);
    for (name, value, usable, rule) in [
        ("jwt_secret", "hunter2", LONG_SECRET, "at least 32 bytes"),
        ("telemetry_enabled", "maybe", "", "true or false"),
        ("log_requests", "maybe", "true", "true or false"),
        ("presigned_upload_url_ttl", "1d", "1h", "1 second to 7 days, like 30m"),
        ("reports_max_body_bytes", "0", "1", "a number from 1 to 67108864"),
        (
            "allowed_cors",
            "a.example",
            "",
            "`*` or a list of origins, like `https://a.example,https://b.example`",
        ),
        ("storage_driver", "gcs", "s3", "s3 or s3_internal"),
        ("metrics_token", "two words", "", "ASCII text without white space"),
    ] {
        world.platform().set_variable(name, value);
        let answer = world.get("/health").send().expect(503).json();
        let details = format!("the setting {name} must be {rule}");
        assert_eq!(answer, json!({ "status": "unhealthy", "details": details }));
        world.platform().set_variable(name, usable);
    }
    let _ = world.get("/health").send().expect(200);

    world.platform().fail_variables(true);
    assert_eq!(world.get("/health").send().expect(503).json()["details"], "settings");
}

/// A usable value of `jwt_secret`.
const LONG_SECRET: &str = "a usable secret of the tests, long enough";

fn nobody_signs_up_who_could_not_log_in(host: Driver) {
    let world = World::builder(host).with_variable("jwt_secret", "short").start();
    let ada = json!({ "username": "ada", "password": PASSWORD, "api_key": API_KEY });

    let refused = world.client().post_json("/signup", ada.clone()).send();
    assert_eq!(refused.refusal(), (503, "the setting jwt_secret must be at least 32 bytes".to_owned()));

    world.platform().set_variable("jwt_secret", LONG_SECRET);
    let _ = world.client().post_json("/signup", ada).send().expect(200);
}

fn errors_say_the_rule_and_repeat_no_device(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let text = |answer: Answer| answer.expect(400).error();

    let name = text(acme.post_json("/channel/create", json!({ "channel": "a b" })).send());
    assert!(name.starts_with("invalid channel parameter: 1 to 64 letters, digits"), "{name}");
    assert!(name.ends_with(", not \"a b\""), "{name}");
    let app = acme.app_id("notes");
    let token = json!({ "name": "ci", "allowed_apps": [app], "expires_at": "tomorrow" });
    assert_eq!(
        text(acme.post_json("/token/create", token).send()),
        "invalid expires_at parameter: a time like 2026-11-27T20:00:00Z, not \"tomorrow\""
    );
    let secret = "d".repeat(129);
    let device = text(world.get("/telemetry/beacon").header("x-device-id", &secret).send());
    assert_eq!(device, "invalid X-Device-ID parameter: 1 to 128 printable ASCII characters");
}

fn an_unknown_path_is_not_found(host: Driver) {
    let world = World::new(host);

    for path in
        ["/", "/nothing", "/health/", "/health/x", "/checkVersion/", "/uploads", "/apps", "/%2e%2e/health"]
    {
        let answer = world.direct_client().get(path).send();
        assert_eq!(answer.refusal(), (404, "not found".to_owned()), "{path}");
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
        assert_eq!(answer.json(), json!({ "error": "not found", "code": "not_found" }), "{path}");
    }
}

fn a_browser_at_the_start_comes_to_the_console(host: Driver) {
    let world = World::new(host);
    let ask = |method: Method, accept: &str| {
        world.direct_client().call(method, "/").header("accept", accept).send()
    };

    for method in [Method::GET, Method::HEAD] {
        let answer =
            ask(method, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8").expect(302);
        assert_eq!((answer.header("location"), answer.text().as_str()), ("/console/", ""));
        assert_eq!(answer.header("cache-control"), "private, no-store");
        assert_eq!(answer.header("vary"), "Accept");
    }
    for (method, accept) in
        [(Method::GET, "application/json"), (Method::GET, "*/*"), (Method::POST, "text/html")]
    {
        assert_eq!(ask(method, accept).refusal(), (404, "not found".to_owned()), "{accept}");
    }
}

fn errors_have_a_code(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    let release = acme.publish(Release::new("1.0"));
    let (client, id) = (world.client(), |list: &str, kind: &str| {
        acme.get(&format!("/{list}/list")).ok()[kind][0]["ID"].as_str().unwrap().to_owned()
    });
    let login = json!({ "username": "acme", "password": "not this one" });
    let signup = json!({ "username": "b", "password": PASSWORD, "api_key": "no" });
    let other = Release::new("1.0").with("channel", "beta");
    acme.create_channel("beta");

    for (answer, status, code) in [
        (client.get("/checkVersion").send(), 400, "missing_field"),
        (client.get("/checkVersion?app_name=a%2Fb&owner=acme&version=1").send(), 400, "bad_request"),
        (client.get("/app/list").send(), 401, "unauthorized"),
        (client.post_json("/login", login).send(), 401, "wrong_credentials"),
        (client.post_json("/signup", signup).send(), 401, "wrong_api_key"),
        (ci.get("/app/list").send(), 403, "not_for_ci_tokens"),
        (client.get("/nothing").send(), 404, "not_found"),
        (client.post("/health").send(), 405, "method_not_allowed"),
        (acme.post_json("/arch/create", json!({ "arch": "amd64" })).send(), 409, "already_exists"),
        (acme.init(&Release::new("1.0")), 409, "artifact_exists"),
        (acme.init(&other), 409, "version_exists"),
        (acme.delete(&format!("/arch/delete?id={}", id("arch", "archs"))).send(), 409, "in_use"),
        (acme.post_json("/login", json!({ "username": "a".repeat(300_000) })).send(), 413, "too_large"),
        (acme.post("/login").header("content-type", "text/plain").send(), 415, "unsupported_media_type"),
        (acme.edit(&release, json!({ "artifacts_to_delete": ["none"] })), 404, "not_found"),
    ] {
        assert_eq!((answer.status, answer.code()), (status, code.to_owned()), "{}", answer.text());
        assert!(!answer.error().is_empty());
    }
}

fn errors_of_the_report_call_have_their_text_alone(host: Driver) {
    let world = World::new(host);

    let answer = world.client().post("/reports/ingest").send().expect(401);

    assert_eq!(answer.json(), json!({ "error": "invalid report key" }));
    assert_eq!(answer.header("www-authenticate"), "Bearer");
}

fn an_unknown_path_below_a_known_one_is_answered_as_any_other(host: Driver) {
    let world = World::builder(host).with_variable("allowed_cors", "https://admin.example").start();
    let ask = |path: &str| {
        let answer = world.get(path).header("origin", "https://admin.example").send();
        let mut headers = answer.headers.clone();
        for of_one_answer in ["date", "x-request-id"] {
            headers.remove(of_one_answer);
        }
        (answer.status, answer.text(), headers)
    };
    let anywhere = ask("/nothing");
    assert_eq!(anywhere.0, 404);

    for path in [
        "/app",
        "/app/",
        "/app/nothing",
        "/app/list/x",
        "/apps/nothing",
        "/apps/update/x",
        "/apps/latest/x",
        "/arch",
        "/artifact/nothing",
        "/channel/nothing",
        "/platform/nothing",
        "/telemetry/nothing",
        "/token",
        "/token/nothing",
        "/upload/",
        "/upload/nothing",
        "/upload/init/x",
        "/user",
        "/user/nothing",
        "/users",
    ] {
        assert_eq!(ask(path), anywhere, "{path}");
    }
}

fn a_known_path_with_another_method_says_which_are_allowed(host: Driver) {
    let world = World::new(host);

    for (method, path, allow) in [
        (Method::POST, "/health", "GET, HEAD"),
        (Method::POST, "/checkVersion", "GET, HEAD"),
        (Method::DELETE, "/apps/latest", "GET, HEAD"),
        (Method::GET, "/upload/init", "POST"),
        (Method::PUT, "/upload/complete", "POST"),
        (Method::GET, "/apps/update", "POST"),
        (Method::POST, "/apps/delete", "DELETE"),
        (Method::PUT, "/signup", "GET, POST, HEAD"),
        (Method::POST, "/app/list", "GET, HEAD"),
    ] {
        let answer = world.direct_client().call(method.clone(), path).send();
        assert_eq!(answer.refusal(), (405, "method not allowed".to_owned()), "{method} {path}");
        assert_eq!(answer.header("allow"), allow, "{method} {path}");
    }
}

fn every_answer_has_a_request_id(host: Driver) {
    let world = World::new(host);

    let paths = ["/health", "/nothing", "/upload/init", "/checkVersion", "/apps/latest", "/app/list"];
    let ids: Vec<String> =
        paths.iter().map(|path| world.get(path).send().header("x-request-id").to_owned()).collect();

    assert!(ids.iter().all(|id| id.len() >= 16), "{ids:?}");
    assert!(ids.iter().enumerate().all(|(i, id)| !ids[..i].contains(id)), "{ids:?}");
}

fn a_sent_request_id_comes_back(host: Driver) {
    let world = World::new(host);

    for id in ["a", "8f14e45f-ceea-467a.retry_1", &"x".repeat(64)] {
        assert_eq!(world.get("/health").header("x-request-id", id).send().header("x-request-id"), id);
    }
}

fn a_request_id_that_could_do_harm_is_replaced(host: Driver) {
    let world = World::new(host);

    for id in ["a b", "<b>", "\"x\"", &"x".repeat(65)] {
        let answer = world.get("/nothing").header("x-request-id", id).send();
        assert_ne!(answer.header("x-request-id"), id);
        assert!(!answer.header("x-request-id").is_empty());
    }
}

fn head_answers_as_get_without_a_body(host: Driver) {
    let world = World::new(host);

    let answer = raw(&world.url(), b"HEAD /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.to_ascii_lowercase().contains("content-length: 20\r\n"), "{head}");
    assert_eq!(body, "");
}

fn a_foreign_page_may_not_read_answers(host: Driver) {
    let world = World::builder(host).with_variable("allowed_cors", "https://admin.example").start();

    for origin in ["https://evil.example", "https://admin.example.evil.example", "null"] {
        let answer = world.get("/health").header("origin", origin).send().expect(200);
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{origin}");
    }
}

fn a_listed_page_may_read_answers(host: Driver) {
    let allowed = "https://admin.example, http://localhost:5173";
    let world = World::builder(host).with_variable("allowed_cors", allowed).start();

    for (origin, path) in [("https://admin.example", "/health"), ("http://localhost:5173", "/app/list")] {
        let answer = world.get(path).header("origin", origin).send();
        assert_eq!(answer.header("access-control-allow-origin"), origin);
        assert!(answer.header("access-control-expose-headers").contains("x-request-id"));
        assert_eq!(answer.header("vary"), "Origin");
    }
}

fn a_preflight_is_answered(host: Driver) {
    let world = World::builder(host).with_variable("allowed_cors", "https://admin.example").start();
    let ask = |origin, path| {
        let call = world.client().call(Method::OPTIONS, path).header("origin", origin);
        call.header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization, content-type")
            .send()
    };

    for path in
        ["/health", "/upload/init", "/checkVersion", "/apps/update", "/login", "/search", "/apps/latest"]
    {
        let answer = ask("https://admin.example", path).expect(204);
        assert_eq!(answer.header("access-control-allow-origin"), "https://admin.example", "{path}");
        for (header, value) in [
            ("access-control-allow-methods", "POST"),
            ("access-control-allow-headers", "authorization"),
            ("access-control-allow-headers", "content-type"),
            ("access-control-allow-headers", "x-device-id"),
        ] {
            assert!(answer.header(header).contains(value), "{path} {header}");
        }
    }
    assert_eq!(ask("https://evil.example", "/upload/init").status, 405);
}
