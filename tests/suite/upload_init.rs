//! `POST /upload/init`: every row of its table of errors, and the shape of its answer.

use serde_json::{Value, json};
use spindrift_tests::{
    Account, Client, Driver, Multipart, PRIVATE_BUCKET, Release, World, electron, electron_yml,
    electron_yml_of, md5_base64, on_hosts, raw, tauri_signature,
};

use crate::{reports, tokens};

on_hosts! {
    every: [
        an_upload_is_granted,
        both_encodings_are_read,
        other_encodings_are_refused,
        invalid_data_is_refused,
        invalid_manifests_are_refused,
        names_with_a_path_are_refused,
        names_of_every_script_are_stored_and_downloaded,
        digests_for_tuf_are_not_looked_at,
        lengths_are_checked,
        feeds_and_files_are_told_apart,
        updaters_have_rules,
        private_apps_have_fewer_updaters,
        two_files_of_a_package_are_refused,
        dimensions_must_be_known,
        an_owner_without_dimensions_needs_none,
        callers_must_be_authenticated,
        forged_tokens_are_refused,
        a_ci_token_uploads_to_its_apps_only,
        the_right_to_upload_comes_before_the_body,
        a_team_user_uploads_within_the_lists,
        an_unknown_app_is_not_found,
        existing_artifacts_are_a_conflict,
        another_channel_is_a_conflict,
        a_storage_that_cannot_presign_says_so,
        data_has_a_limit,
        feeds_have_a_limit,
        one_init_takes_many_feeds,
        a_body_over_the_limit_is_refused_unread,
        a_body_without_a_length_is_counted,
        broken_forms_are_refused,
        a_weak_jwt_secret_stops_every_authenticated_call,
        the_life_of_urls_is_a_setting,
        a_refused_upload_leaves_nothing,
    ],
    in_process: [
        urls_live_half_an_hour,
        a_token_ends_after_a_day,
    ],
}

const MD5: &str = "5d41402abc4b2a76b9719d911017c592";

fn ask(account: &Account, data: &str, files: &str) -> (u16, String) {
    account.post_form("/upload/init", &[("data", data), ("files", files)]).send().refusal()
}

fn ask_with_files(account: &Account, files: &Value) -> (u16, String) {
    ask(account, &Release::empty("1.0.0").data().to_string(), &files.to_string())
}

fn refused(text: &str) -> (u16, String) {
    (400, text.to_owned())
}

fn an_upload_is_granted(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let release = Release::empty("1.0.0").file("b.deb", "second").file("a.rpm", "first");

    let answer = acme.init(&release).expect(200);

    assert_eq!(answer.header("content-type"), "application/json");
    let body = answer.json();
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["expires_at", "files", "upload_id"]);
    let id = body["upload_id"].as_str().unwrap();
    let files = body["files"].as_array().unwrap();
    for (file, (name, bytes)) in files.iter().zip([("b.deb", "second"), ("a.rpm", "first")]) {
        assert_eq!((&file["name"], &file["method"]), (&json!(name), &json!("PUT")));
        let headers =
            json!({ "Content-Md5": md5_base64(bytes.as_bytes()), "Content-Length": bytes.len().to_string() });
        assert_eq!(file["headers"], headers);
        let url = file["url"].as_str().unwrap();
        let place = format!("{}/{PRIVATE_BUCKET}/pending/{id}/{name}?", world.store().url());
        assert!(url.starts_with(&place), "{url}");
    }
    assert_eq!(files.len(), 2);

    let body = acme.init(&release.without_lengths()).expect(200).json();
    assert_eq!(body["files"][0]["headers"], json!({ "Content-Md5": md5_base64(b"second") }));
}

fn urls_live_half_an_hour(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    world.platform().set_time(tokens::time("2026-11-21T01:23:42Z"));
    let acme = world.login(acme.name(), "correct horse");

    let body = acme.init(&Release::new("1.0.0")).expect(200).json();

    assert_eq!(body["expires_at"], "2026-11-21T01:53:42+00:00");
    let url = body["files"][0]["url"].as_str().unwrap();
    assert!(url.contains("X-Amz-Expires=1800&"), "{url}");
}

fn the_life_of_urls_is_a_setting(host: Driver) {
    for (setting, seconds) in [("1h", "3600"), ("90", "90"), ("45m", "2700"), ("604800", "604800")] {
        let world = World::builder(host).with_variable("presigned_upload_url_ttl", setting).start();
        let acme = world.admin("acme").with_notes();
        let body = acme.init(&Release::new("1.0.0")).expect(200).json();
        let url = body["files"][0]["url"].as_str().unwrap();
        assert!(url.contains(&format!("X-Amz-Expires={seconds}&")), "{setting}: {url}");
    }
    for setting in ["0", "8d", "604801", "soon", "-1"] {
        let world = World::builder(host).with_variable("presigned_upload_url_ttl", setting).start();
        let acme = world.admin("acme").with_notes();
        let (status, text) = acme.init(&Release::new("1.0.0")).refusal();
        assert_eq!(status, 503, "{setting}");
        assert!(text.contains("presigned_upload_url_ttl"), "{text}");
    }
}

fn both_encodings_are_read(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.add_updater("linux", "electron-builder");
    let release = Release::new("1.0.0");
    let (data, files) = (release.data().to_string(), release.manifest().to_string());

    let _ = acme.post_form("/upload/init", &[("data", &data), ("files", &files)]).send().expect(200);
    let form = Multipart::new().field("data", &data).field("files", &files);
    let _ = acme.post_multipart("/upload/init", form).send().expect(200);
    let feed = electron_yml_of("1.0.0", "notes.deb", b"notes 1.0.0");
    let form = Multipart::new().field("files", &files).file("latest.yml", &feed).field("data", &data);
    let granted = acme.post_multipart("/upload/init", form).ok();

    assert_eq!(granted["files"].as_array().unwrap().len(), 1, "feeds are not listed");
    let id = granted["upload_id"].as_str().unwrap();
    let staged = world.store().object(PRIVATE_BUCKET, &format!("pending/{id}/latest.yml"));
    assert_eq!(staged.as_deref(), Some(feed.as_bytes()));
}

fn other_encodings_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    for media in ["application/json", "text/plain", "multipart/mixed; boundary=x"] {
        let answer = acme.post("/upload/init").header("content-type", media).body(b"{}").send();
        assert_eq!(answer.status, 415, "{media}");
    }
    let answer = acme.post("/upload/init").header("content-type", "multipart/form-data").body(b"x").send();
    assert_eq!(answer.refusal(), refused("the multipart boundary is missing"));
}

fn invalid_data_is_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let files = json!([{ "name": "a.deb", "md5": MD5 }]).to_string();
    let with = |field: &str, value: Value| Release::empty("1.0.0").with(field, value).data().to_string();

    for (data, text) in [
        (String::new(), "invalid data: not a JSON object"),
        ("[]".to_owned(), "invalid data: not a JSON object"),
        ("{".to_owned(), "invalid data: not a JSON object"),
        ("{}".to_owned(), "missing app_name"),
        (r#"{"app_name":"notes"}"#.to_owned(), "missing version"),
        (r#"{"app_name":"notes","app_name":"notes"}"#.to_owned(), "duplicate field `app_name`"),
        (with("app_name", json!("a/b")), "invalid app_name"),
        (with("app_name", json!("../notes")), "invalid app_name"),
        (with("app_name", json!(5)), "invalid app_name"),
        (
            with("version", json!("1.0.0/..")),
            "invalid version: '/' is not allowed, only letters, digits and the characters . - +; see docs/versions.md",
        ),
        (
            with("version", json!("1.2.3.4.5.6.7")),
            "invalid version: it has more than 6 numbers; see docs/versions.md",
        ),
        (with("version", json!(1.0)), "invalid version"),
        (with("channel", json!("a b")), "invalid channel"),
        (with("platform", json!("../linux")), "invalid platform"),
        (with("arch", json!(["amd64"])), "invalid arch"),
        (with("publish", json!("yes")), "invalid publish"),
        (with("publish", json!(1)), "invalid publish"),
        (with("critical", json!("")), "invalid critical"),
        (with("intermediate", json!({})), "invalid intermediate"),
        (with("changelog", json!(1)), "invalid changelog"),
        (with("signature", json!(false)), "invalid signature"),
        (with("rollout", json!(101)), "invalid rollout"),
        (with("rollout", json!(-1)), "invalid rollout"),
        (with("rollout", json!("50")), "invalid rollout"),
        (with("rollout", json!(1.555)), "invalid rollout"),
        (with("updater", json!("sparkly")), "updater not supported"),
        (with("updater", json!("velopack")), "updater not supported"),
    ] {
        assert_eq!(ask(&acme, &data, &files), refused(text), "{data}");
    }
    assert_eq!(
        acme.post_form("/upload/init", &[("files", &files)]).send().refusal(),
        refused("missing data")
    );

    for (field, value) in [
        ("publish", json!("true")),
        ("critical", json!("false")),
        ("rollout", json!(0)),
        ("rollout", Value::Null),
        ("something_new", json!([1])),
        ("updater", json!("manual")),
        ("version", json!("v1.4.0-beta.2+5")),
    ] {
        assert_eq!(ask(&acme, &with(field, value.clone()), &files).0, 200, "{field} {value}");
    }
}

fn invalid_manifests_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let data = Release::empty("1.0.0").data().to_string();

    for (files, text) in [
        ("", "invalid files: not a JSON array of objects"),
        ("{}", "invalid files: not a JSON array of objects"),
        ("[1]", "invalid files: not a JSON array of objects"),
        ("[]", "missing files"),
        ("[{}]", "missing files[0].name"),
        (r#"[{"name":""}]"#, "missing files[0].name"),
        (r#"[{"name":"a.deb"}]"#, "missing files[0].md5"),
        (r#"[{"name":"a.deb","md5":""}]"#, "missing files[0].md5"),
        (r#"[{"name":"a.deb","md5":"5d41402abc4b2a76b9719d911017c59"}]"#, "invalid files[0].md5"),
        (r#"[{"name":"a.deb","md5":"5d41402abc4b2a76b9719d911017c59g"}]"#, "invalid files[0].md5"),
        (r#"[{"name":"a.deb","md5":"XUFAKrxLKna5cZ2REBfFkg=="}]"#, "invalid files[0].md5"),
        (r#"[{"name":"a.deb","md5":5}]"#, "invalid files[0].md5"),
        (
            r#"[{"name":"a.deb","name":"b.deb","md5":"5d41402abc4b2a76b9719d911017c592"}]"#,
            "duplicate field `name` in files[0]",
        ),
    ] {
        assert_eq!(ask(&acme, &data, files), refused(text), "{files}");
    }
    assert_eq!(acme.post_form("/upload/init", &[("data", &data)]).send().refusal(), refused("missing files"));
    let twice = json!([{ "name": "a.deb", "md5": MD5 }, { "name": "a.deb", "md5": MD5 }]);
    assert_eq!(ask_with_files(&acme, &twice), refused("duplicate file name: a.deb"));
    let many: Vec<Value> = (0..201).map(|n| json!({ "name": format!("{n}.nupkg"), "md5": MD5 })).collect();
    assert_eq!(ask_with_files(&acme, &json!(many)), refused("too many files: at most 200"));
    assert_eq!(ask_with_files(&acme, &json!(many[..200])).0, 200);
    let upper = json!([{ "name": "a.deb", "md5": MD5.to_uppercase() }]);
    assert_eq!(ask_with_files(&acme, &upper).0, 200, "digests are case-insensitive");
}

fn names_with_a_path_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    for name in [
        "..",
        ".",
        "../a.deb",
        "a/b.deb",
        "/a.deb",
        "a\\b.deb",
        "C:\\a.deb",
        "a\0.deb",
        "a\n.deb",
        "a\u{7f}.deb",
        " a.deb",
        "a.deb ",
    ] {
        let files = json!([{ "name": name, "md5": MD5 }]);
        assert_eq!(ask_with_files(&acme, &files), refused("invalid files[0].name"), "{name:?}");
    }
    let long = json!([{ "name": format!("{}.deb", "x".repeat(296)), "md5": MD5 }]);
    assert_eq!(ask_with_files(&acme, &long), refused("invalid files[0].name"));
    for name in ["../latest.yml", "a/latest.yml", "..\\latest.yml"] {
        let form =
            Multipart::new().field("data", Release::empty("1.0.0").data().to_string()).field("files", "[]");
        let answer = acme.post_multipart("/upload/init", form.file(&name.replace('\\', "\\\\"), "x")).send();
        assert_eq!(answer.status, 400, "{name}: {}", answer.text());
    }
}

fn names_of_every_script_are_stored_and_downloaded(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let names = [
        ("My App 1.0 (final).deb", "deb"),
        ("приложение.rpm", "rpm"),
        ("アプリ.dmg", "dmg"),
        ("a+b&c=d#e?f%20.zip", "zip"),
        ("naïve ☃ \u{1f600}.exe", "exe"),
        ("notes..final.msi", "msi"),
        ("archive.tar.gz", "tar.gz"),
        ("ünïversal.app.tar.gz", "app.tar.gz"),
        ("'quoted' \"twice\".pkg", "pkg"),
    ];
    let release =
        names.iter().fold(Release::empty("1.0.0"), |r, (name, _)| r.file(name, format!("bytes of {name}")));

    acme.publish(release.file("binary", "no extension at all"));

    let answer = acme.check("0.1");
    let downloader = Client::new("");
    for (name, package) in names {
        let url = answer[format!("update_url_{package}")].as_str().unwrap_or_else(|| panic!("no {package}"));
        assert_eq!(downloader.get(url).send().expect(200).text(), format!("bytes of {name}"));
    }
    let url = answer["update_url"].as_str().unwrap();
    assert_eq!(downloader.get(url).send().expect(200).text(), "no extension at all");
}

fn digests_for_tuf_are_not_looked_at(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    for digest in [json!("no hex"), json!(""), json!(5), Value::Null, json!({ "a": 1 })] {
        let files = json!([{ "name": "a.deb", "md5": MD5, "sha256": digest, "sha512": digest }]);
        assert_eq!(ask_with_files(&acme, &files).0, 200, "{digest}");
    }
}

fn lengths_are_checked(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ask =
        |length: Value| ask_with_files(&acme, &json!([{ "name": "a.deb", "md5": MD5, "length": length }]));
    let five_gib: u64 = 5 * 1024 * 1024 * 1024;

    for length in [json!(-1), json!(five_gib + 1), json!("5"), json!(1.5), json!(1e300), json!([])] {
        assert_eq!(ask(length.clone()), refused("invalid files[0].length"), "{length}");
    }
    for length in [json!(0), json!(five_gib), Value::Null] {
        assert_eq!(ask(length.clone()).0, 200, "{length}");
    }
}

fn feeds_and_files_are_told_apart(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    for name in ["RELEASES", "latest.yml", ".yml", "appcast.xml", "appcast-beta.xml", "releases.stable.json"]
    {
        let files = json!([{ "name": name, "md5": MD5 }]);
        assert_eq!(
            ask_with_files(&acme, &files),
            refused(&format!("feed file must be sent inline: {name}")),
            "{name}"
        );
    }
    for name in
        ["releases", "latest.yaml", "latest.YML", "Appcast.xml", "appcast.json", "releases.json", "notes.txt"]
    {
        let files = json!([{ "name": name, "md5": MD5 }]);
        assert_eq!(ask_with_files(&acme, &files).0, 200, "{name} is a file like others");
        let release = Release::new("1.0.0").feed(name, "x");
        assert_eq!(acme.init(&release).refusal(), refused(&format!("not a feed file: {name}")), "{name}");
    }
}

fn updaters_have_rules(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let all =
        ["manual", "squirrel_darwin", "squirrel_windows", "electron-builder", "tauri", "velopack", "sparkle"];
    acme.create_platform_with("all", &all);
    let release = |updater: &str| Release::empty("1.0.0").with("platform", "all").with("updater", updater);

    for (release, text) in [
        (release("squirrel_darwin").file("a.dmg", "a"), "squirrel_darwin needs a .zip file"),
        (release("squirrel_windows").file("a.nupkg", "a"), "squirrel_windows needs RELEASES"),
        (release("squirrel_windows").feed("RELEASES", "a"), "squirrel_windows needs a .nupkg file"),
        (release("electron-builder").file("a.exe", "a"), "electron-builder needs *.yml"),
        (release("tauri").file("a.AppImage", "a"), "tauri needs a signature"),
        (
            release("tauri").file("a.AppImage", "a").file("a.zip", "b").with("signature", "s"),
            "tauri needs exactly one artifact besides installers",
        ),
        (release("velopack").file("a.nupkg", "a"), "velopack needs releases.{channel}.json"),
        (release("velopack").feed("releases.stable.json", "{}"), "velopack needs a .nupkg file"),
        (release("sparkle").file("a.zip", "a"), "sparkle needs appcast*.xml"),
    ] {
        assert_eq!(acme.init(&release).refusal(), refused(text), "{}", release.data());
    }
    for release in [
        release("squirrel_darwin").file("a.zip", "a"),
        release("tauri").file("a.AppImage", "a").file("a.deb", "b").with("signature", tauri_signature(None)),
    ] {
        let _ = acme.init(&release).expect(200);
    }
    assert_eq!(
        acme.init(&Release::new("1.0.0").with("updater", "tauri")).refusal(),
        refused("updater not supported")
    );
}

fn private_apps_have_fewer_updaters(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "secret", "private": true }));
    let all =
        ["manual", "squirrel_darwin", "squirrel_windows", "electron-builder", "tauri", "velopack", "sparkle"];
    acme.create_platform_with("all", &all);
    let release = |updater: &str| {
        let release = Release::empty("1.0.0").with("app_name", "secret").with("platform", "all");
        release.with("updater", updater).file("a.zip", "a").file("a.nupkg", "b")
    };

    for (updater, feed) in [
        ("squirrel_windows", "RELEASES"),
        ("electron-builder", "latest.yml"),
        ("velopack", "releases.stable.json"),
        ("sparkle", "appcast.xml"),
    ] {
        let answer = acme.init(&release(updater).feed(feed, "x"));
        assert_eq!(answer.refusal(), refused("updater not supported for private apps"), "{updater}");
    }
    for updater in ["manual", "squirrel_darwin"] {
        let _ = acme.init(&release(updater)).expect(200);
    }
}

fn two_files_of_a_package_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    for (one, other, package) in [
        ("a.deb", "b.deb", "deb"),
        ("a.deb", "b.DEB", "deb"),
        ("a.tar.gz", "b.tar.gz", "tar.gz"),
        ("a", "b", "no-extension"),
    ] {
        let release = Release::empty("1.0.0").file(one, "1").file(other, "2");
        let (status, told) = acme.init(&release).refusal();
        let start = format!("two files with the package {package}: {one} and {other}.");
        assert!(status == 400 && told.starts_with(&start), "{told}");
    }
    for (one, other) in
        [("a.nupkg", "b.nupkg"), ("a.delta", "b.delta"), ("a.blockmap", "b.blockmap"), ("a.gz", "a.tar.gz")]
    {
        let release = Release::empty("1.0.0").file(one, "1").file(other, "2");
        let _ = acme.init(&release).expect(200);
    }
}

fn dimensions_must_be_known(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    for dimension in ["channel", "platform", "arch"] {
        let unknown = acme.init(&Release::new("1.0.0").with(dimension, "unknown"));
        assert_eq!(unknown.refusal(), refused(&format!("unknown {dimension}")));
        let absent = acme.init(&Release::new("1.0.0").without(dimension));
        assert_eq!(absent.refusal(), refused(&format!("{dimension} is required")));
    }
    assert_eq!(acme.init(&Release::new("1.0.0").with("channel", "Stable")).status, 400, "names are exact");
}

fn an_owner_without_dimensions_needs_none(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    let bare = Release::new("1.0.0").without("channel").without("platform").without("arch");

    acme.publish(bare);

    let answer = acme.get("/checkVersion?app_name=notes&version=0.1&owner=acme").ok();
    assert_eq!(answer["version"], "1.0.0");
    assert_eq!(acme.init(&Release::new("1.0.1")).refusal(), refused("unknown channel"));
}

fn callers_must_be_authenticated(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let nobody = acme.with_credential("");

    let calls = [
        ("POST", "/upload/init"),
        ("POST", "/upload/complete"),
        ("POST", "/apps/update"),
        ("DELETE", "/apps/delete?id=1"),
        ("POST", "/artifact/delete"),
        ("GET", "/search"),
        ("GET", "/app/list"),
        ("GET", "/whoami"),
        ("POST", "/channel/create"),
        ("GET", "/token/list"),
    ];
    for (method, path) in calls {
        let call = || world.client().call(method.parse().unwrap(), path);
        let unauthorized = |text: &str| (401, text.to_owned());
        let answer = call().send();
        assert_eq!(answer.refusal(), unauthorized("missing authorization header"), "{method} {path}");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        for header in ["Basic YTpi", "Bearer", "token", ""] {
            let answer = call().header("authorization", header).send();
            assert_eq!(answer.refusal(), unauthorized("invalid token format"), "{method} {path} {header:?}");
        }
        for token in ["x", "a.b.c", &format!("sdt_{}", "0".repeat(64)), "rpk_00"] {
            let answer = call().header("authorization", &format!("Bearer {token}")).send();
            assert_eq!(answer.refusal(), unauthorized("invalid token"), "{method} {path} {token:?}");
        }
    }
    assert_eq!(nobody.init(&Release::new("1.0.0")).status, 401);
    let before_size =
        nobody.post("/upload/init").header("content-type", "text/plain").body(&[0; 5000]).send();
    assert_eq!(before_size.status, 401, "authentication comes before the body");
}

fn forged_tokens_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ask = |token: &str| acme.with_credential(token).init(&Release::new("1.0.0")).refusal();
    let invalid = (401, "invalid token".to_owned());

    assert_eq!(
        ask(&tokens::hs256(&tokens::claims("acme", 3600), tokens::SECRET)).0,
        200,
        "as the service does it"
    );
    assert_eq!(
        ask(&tokens::hs256(&tokens::claims("acme", 3600), "another secret of enough length....")),
        invalid
    );
    assert_eq!(ask(&tokens::hs256(&tokens::claims("nobody", 3600), tokens::SECRET)), invalid);
    assert_eq!(ask(&tokens::hs512(&tokens::claims("acme", 3600), tokens::SECRET)), invalid);
    assert_eq!(ask(&tokens::unsigned(&tokens::claims("acme", 3600))), invalid);
    assert_eq!(
        ask(&tokens::hs256(&json!({ "username": "acme" }), tokens::SECRET)),
        invalid,
        "without an end"
    );
    assert_eq!(
        ask(&tokens::hs256(&json!({ "exp": 4_000_000_000_u64 }), tokens::SECRET)),
        invalid,
        "without a name"
    );
    assert_eq!(
        ask(&tokens::hs256(&tokens::claims("acme", -60), tokens::SECRET)),
        (401, "token expired".to_owned())
    );
}

fn a_token_ends_after_a_day(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    world.advance(24 * 3600 - 5);
    let _ = acme.init(&Release::new("1.0.0")).expect(200);
    world.advance(10);

    assert_eq!(acme.init(&Release::new("1.0.0")).refusal(), (401, "token expired".to_owned()));
}

fn a_ci_token_uploads_to_its_apps_only(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let notes = acme.app_id("notes");
    acme.create_app("other");
    let ci = acme.ci_token(&[&notes]);

    ci.publish(Release::new("1.0.0"));

    let other = ci.init(&Release::new("1.0.0").with("app_name", "other"));
    assert_eq!(other.refusal(), (403, "not allowed".to_owned()));
    let unknown = ci.init(&Release::new("1.0.0").with("app_name", "unknown"));
    assert_eq!(unknown.refusal(), (404, "application not found".to_owned()));
    for path in ["/app/list", "/whoami", "/token/list", "/users/list"] {
        assert_eq!(ci.get(path).send().status, 403, "{path}");
    }
    assert_eq!(ci.edit("1", json!({ "publish": true })).status, 403);
    assert_eq!(ci.delete("/apps/delete?id=1").send().status, 403);
    assert_eq!(acme.ci_token(&[&acme.create_app("tasks")]).init(&Release::new("1.1.0")).status, 403);
}

/// A form may have 48 MiB.
fn the_right_to_upload_comes_before_the_body(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let reader = reports::team_user(&world, &acme, "reader", json!({ "edit": true }));
    let uploader = json!({ "upload": true, "allowed": [acme.app_id("notes")] });
    let uploader = reports::team_user(&world, &acme, "uploader", uploader);
    let send = |who: &Account| who.post_form("/upload/init", &[("data", "no JSON")]).send();

    let stopper = crate::control::rights::token(&acme, &["stop"]);
    for nobody in [&reader, &stopper] {
        assert_eq!(send(nobody).refusal(), (403, "not allowed".to_owned()));
    }
    assert_eq!(send(&uploader).status, 400);
}

fn a_team_user_uploads_within_the_lists(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let (app, channel) = (acme.create_app("notes"), acme.create_channel("stable"));
    let (platform, arch) = (acme.create_platform("linux"), acme.create_arch("amd64"));
    let lists = json!({
        "apps": { "upload": true, "allowed": [app] }, "channels": { "allowed": [channel] },
        "platforms": { "allowed": [platform] }, "archs": { "allowed": [arch] },
    });
    let user = |name: &str, permissions: &Value| {
        let body = json!({ "username": name, "password": "password of a user", "permissions": permissions });
        acme.post_json("/user/create", body).ok();
        world.login(name, "password of a user")
    };

    let allowed = user("allowed", &lists);
    let _ = allowed.complete(&allowed.stage(&Release::new("1.0.0"))).expect(200);
    for kind in ["apps", "channels", "platforms", "archs"] {
        let mut fewer = lists.clone();
        fewer[kind]["allowed"] = json!([]);
        let answer = user(&format!("no-{kind}"), &fewer).init(&Release::new("1.1.0"));
        assert_eq!(answer.refusal(), (403, "not allowed".to_owned()), "{kind}");
    }
    let mut without = lists.clone();
    without["apps"]["upload"] = json!(false);
    assert_eq!(user("reader", &without).init(&Release::new("1.1.0")).status, 403);
}

fn an_unknown_app_is_not_found(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    world.admin("other").create_app("theirs");

    for app in ["unknown", "theirs", "Notes"] {
        let answer = acme.init(&Release::new("1.0.0").with("app_name", app));
        assert_eq!(answer.refusal(), (404, "application not found".to_owned()), "{app}");
    }
}

fn existing_artifacts_are_a_conflict(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_arch("arm64");
    acme.publish(Release::new("1.0.0"));

    for (version, given) in [
        ("1.0.0", None),
        ("v1.0.0", None),
        ("1.0", Some("1.0")),
        ("1-0", Some("1.0")),
        ("1.0.0+7", Some("1.0.0+7")),
    ] {
        let (status, text) = acme.init(&Release::new(version)).refusal();
        assert_eq!(status, 409, "{version}");
        match given {
            None => assert_eq!(text, "an artifact for notes.deb exists", "{version}"),
            Some(given) => {
                let same =
                    format!("an artifact for notes.deb exists: {given} is the same version as 1.0.0, ");
                assert!(text.starts_with(&same) && text.ends_with("see docs/versions.md"), "{text}");
            }
        }
    }
    for release in [
        Release::empty("1.0.0").file("notes.rpm", "another package"),
        Release::new("1.0.0").with("arch", "arm64"),
        Release::new("1.0.1"),
        Release::new("1.0.0-rc.1"),
    ] {
        let _ = acme.init(&release).expect(200);
    }
}

fn another_channel_is_a_conflict(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.publish(Release::new("1.0.0"));

    let answer = acme.init(&Release::empty("1.0.0").file("notes.rpm", "x").with("channel", "beta"));

    assert_eq!(answer.refusal(), (409, "version 1.0.0 exists in another channel".to_owned()));
}

fn a_storage_that_cannot_presign_says_so(host: Driver) {
    let world = World::builder(host).with_variable("storage_driver", "s3_internal").start();
    let acme = world.admin("acme").with_notes();

    let answer = acme.init(&Release::new("1.0.0"));

    assert_eq!(answer.refusal(), (501, "the storage driver does not support presigned uploads".to_owned()));
}

fn data_has_a_limit(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let release = |changelog: usize| Release::new("1.0.0").with("changelog", "x".repeat(changelog));
    let overhead = release(0).data().to_string().len();
    let mib = 1024 * 1024;

    let _ = acme.init(&release(mib - overhead)).expect(200);
    let (status, text) = acme.init(&release(mib - overhead + 1)).refusal();
    assert_eq!(status, 400, "{text}");
}

/// The feed of a file, with a comment that makes it so many bytes long.
fn padded_yml(file: &str, bytes: usize) -> Vec<u8> {
    let mut feed = electron_yml("1.0.0", &[file]).into_bytes();
    feed.resize(bytes, b'#');
    feed
}

fn feeds_have_a_limit(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ten_mib = 10 * 1024 * 1024;

    acme.create_platform_with("windows", &["electron-builder"]);
    let release = Release::empty("1.0.0").with("platform", "windows").with("updater", "electron-builder");
    let release = release.file("Notes.exe", "Notes.exe");
    let padded = |bytes: usize| release.clone().feed("latest.yml", padded_yml("Notes.exe", bytes));

    let _ = acme.init(&padded(ten_mib)).expect(200);
    let (status, text) = acme.init(&padded(ten_mib + 1)).refusal();

    assert_eq!((status, text.as_str()), (400, "latest.yml is larger than 10485760 bytes"));
}

fn one_init_takes_many_feeds(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform_with("windows", &["electron-builder"]);
    let setup = "Notes-Setup.exe";
    // Four feeds of the largest size, and together the largest allowed number.
    let large = ["large-1.yml", "large-2.yml", "large-3.yml", "large-4.yml"];
    let mut release = electron("1.0.0", "latest.yml", &[setup]).with("platform", "windows");
    for name in large {
        release = release.feed(name, padded_yml(setup, 10 * 1024 * 1024));
    }
    for n in 5..20 {
        release = release.feed(&format!("channel-{n}.yml"), electron_yml("1.0.0", &[setup]));
    }

    let upload = acme.begin(&release);
    let staged = world.store().keys(PRIVATE_BUCKET, &format!("pending/{}/", upload.id));
    assert_eq!(staged.len(), 20, "{staged:?}");
    assert_eq!(upload.files.len(), 2, "the feeds are there already: the program and its block map are not");
    upload.send_all();
    let _ = acme.complete(&upload).expect(200);
    let _ = acme.edit(acme.release("1.0.0").id.as_str(), json!({ "publish": true })).expect(200);
    let feed = world.get("/update/acme/notes/stable/windows/amd64/0.1/latest.yml").send().expect(200);
    assert!(feed.text().contains(setup), "{}", feed.text());

    let too_many = release.with("version", "1.1.0").feed("channel-20.yml", "x");
    assert_eq!(acme.init(&too_many).refusal(), refused("too many files: at most 200, and 20 feed files"));
}

fn a_body_over_the_limit_is_refused_unread(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    let multipart = Multipart::content_type();
    for media in [multipart.as_str(), "application/x-www-form-urlencoded"] {
        // The body never comes: an answer at all means that nobody waited for it.
        let answer = acme.post("/upload/init").header("content-type", media).announce(60_000_000);
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
        assert!(
            answer.contains(r#"{"error":"the body is larger than 50331648 bytes","code":"too_large"}"#),
            "{answer}"
        );
    }
}

fn a_body_without_a_length_is_counted(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let token = tokens::hs256(&tokens::claims(acme.name(), 3600), tokens::SECRET);

    let head = "POST /upload/complete HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked";
    let chunk = " ".repeat(0x1400);
    let request = format!("{head}\r\nAuthorization: Bearer {token}\r\n\r\n1400\r\n{chunk}\r\n0\r\n\r\n");
    let answer = raw(&world.url(), request.as_bytes());

    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

fn broken_forms_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let release = Release::new("1.0.0");
    let (data, files) = (release.data().to_string(), release.manifest().to_string());
    let send = |media: &str, body: &[u8]| {
        acme.post("/upload/init").header("content-type", media).body(body).send().refusal()
    };
    let multipart = Multipart::content_type();
    let complete = Multipart::new().field("data", &data).field("files", &files);

    assert_eq!(
        send(&multipart, &complete.clone().unfinished()),
        refused("the multipart body ends too early")
    );
    assert_eq!(send(&multipart, b"no multipart at all").0, 400);
    assert_eq!(send(&multipart, b""), refused("the multipart body ends too early"));
    assert_eq!(
        send(&multipart, &complete.clone().field("data", &data).finish()),
        refused("the field data is given twice")
    );
    let not_utf8 = Multipart::new().field("data", b"\xff\xfe").field("files", &files);
    assert_eq!(send(&multipart, &not_utf8.finish()), refused("the field data is not valid UTF-8"));
    let urlencoded = "application/x-www-form-urlencoded";
    assert_eq!(send(urlencoded, b"data=%ff%fe&files=[]"), refused("the query is not valid UTF-8"));
    assert_eq!(send(urlencoded, b"data=\xff\xfe&files=[]"), refused("the form is not valid UTF-8"));
    assert_eq!(send(urlencoded, b"data={}&data={}&files=[]"), refused("the field data is given twice"));
    assert_eq!(send(urlencoded, b""), refused("missing data"));
}

fn a_weak_jwt_secret_stops_every_authenticated_call(host: Driver) {
    for (secret, why) in [
        ("", "is empty: it must be at least 32 bytes"),
        ("thirty-one characters, which is", "must be at least 32 bytes"),
    ] {
        let world = World::builder(host).with_variable("jwt_secret", secret).start();
        let token = tokens::hs256(&tokens::claims("acme", 3600), secret);
        let caller = world.client().with_token(&token);
        let expected = (503, format!("the setting jwt_secret {why}"));

        for call in [
            caller.post("/upload/init"),
            caller.post("/upload/complete"),
            caller.post("/apps/update"),
            caller.delete("/apps/delete?id=1"),
            caller.post("/artifact/delete"),
            caller.get("/whoami"),
            caller.get("/app/list"),
            caller.get("/search"),
            caller.post_json("/login", json!({ "username": "acme", "password": "correct horse" })),
            world.get("/whoami"),
        ] {
            let what = format!("{call:?}");
            assert_eq!(call.send().refusal(), expected, "{what}");
        }
        // Without a secret there are no logins, which may be meant. One that is too short is a mistake.
        let _ = world.get("/health").send().expect(if secret.is_empty() { 200 } else { 503 });
    }
}

fn a_refused_upload_leaves_nothing(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform_with("windows", &["electron-builder"]);
    let conflicting = electron("1.0.0", "latest.yml", &["Notes.exe"]).with("platform", "windows");
    acme.publish(conflicting.clone());

    assert_eq!(acme.init(&conflicting).status, 409);
    assert_eq!(acme.init(&conflicting.with("channel", "unknown")).status, 400);

    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), Vec::<String>::new());
    let sessions: i64 = world
        .database()
        .query_row("SELECT count(*) FROM upload_sessions WHERE state = 'staged'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sessions, 0);
}
