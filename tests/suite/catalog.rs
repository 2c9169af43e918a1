//! Applications, channels, platforms, architectures, and the search for releases.

use serde_json::{Value, json};
use spindrift_tests::{
    Account, Answer, Client, Driver, Multipart, PUBLIC_BUCKET, Release, World, md5_hex, on_hosts, sha256_hex,
};

on_hosts! {
    every: [
        an_app_is_made_changed_and_deleted,
        one_application_is_listed_by_id_or_name_and_without_its_description,
        apps_have_logos,
        invalid_apps_are_refused,
        an_app_with_releases_stays,
        dimensions_are_made_changed_and_deleted,
        names_of_dimensions_have_rules,
        dimensions_in_use_stay,
        platforms_have_updaters,
        lists_have_the_shape_of_the_interface,
        searches_filter,
        searches_have_pages,
        searches_leave_notes_out,
        found_releases_have_the_shape_of_the_interface,
        invalid_searches_are_refused,
        team_users_find_what_they_may_see,
    ],
}

const KINDS: [(&str, &str); 3] = [("channel", "Channel"), ("platform", "Platform"), ("arch", "Arch")];
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and the rest of it";

fn error(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "tests write the JSON in the call")]
fn app_call(account: &Account, path: &str, data: Value) -> Answer {
    account.post_multipart(path, Multipart::new().field("data", data.to_string())).send()
}

fn apps(account: &Account) -> Vec<Value> {
    account.get("/app/list").ok()["apps"].as_array().unwrap().clone()
}

fn an_app_is_made_changed_and_deleted(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");

    let data = json!({ "app": "My App", "description": "ünï", "private": true, "tuf": "true", "reports": false, "cdn": true });
    let id = app_call(&acme, "/app/create", data).expect(200).json()["createAppResult.Created"].clone();
    let made = &apps(&acme)[0];
    assert_eq!((&made["ID"], &made["AppName"], &made["Owner"]), (&id, &json!("My App"), &json!("acme")));
    let flags = [&made["Private"], &made["Tuf"], &made["Reports"], &made["CdnEdge"]];
    assert_eq!(flags, [&json!(true), &json!(true), &json!(false), &json!(true)]);
    assert_eq!((&made["Description"], &made["Logo"]), (&json!("ünï"), &json!("")));

    let answer =
        app_call(&acme, "/app/update", json!({ "id": id, "app": "Your App", "private": false })).expect(200);
    assert_eq!(answer.json(), json!({ "updateAppResult.Updated": true }));
    let changed = &apps(&acme)[0];
    assert_eq!(
        (&changed["AppName"], &changed["Private"], &changed["Tuf"]),
        (&json!("Your App"), &json!(false), &json!(true))
    );

    let path = format!("/app/delete?id={}", id.as_str().unwrap());
    assert_eq!(acme.delete(&path).ok(), json!({ "deleteAppResult.DeletedCount": 1 }));
    assert_eq!(apps(&acme), Vec::<Value>::new());
    assert_eq!(acme.delete(&path).send().refusal(), error(404, "application not found"));
    assert_eq!(
        app_call(&acme, "/app/update", json!({ "id": id })).refusal(),
        error(404, "application not found")
    );
}

fn apps_have_logos(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let logo = || apps(&acme)[0]["Logo"].as_str().unwrap().to_owned();
    let form =
        |data: Value, bytes: &[u8]| Multipart::new().field("data", data.to_string()).file("logo.png", bytes);

    let created = acme.post_multipart("/app/create", form(json!({ "app": "notes" }), PNG)).ok();
    let first = logo();
    let download = Client::new("").get(&first).send().expect(200);
    assert_eq!((&download.body[..], download.header("content-type")), (PNG, "image/png"));

    let id = &created["createAppResult.Created"];
    let gif = b"GIF89a and the rest of it";
    acme.post_multipart("/app/update", form(json!({ "id": id }), gif)).ok();
    assert_eq!(Client::new("").get(&logo()).send().expect(200).body, gif);
    assert_eq!(Client::new("").get(&first).send().status, 404, "the old one is gone");

    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
    let refused = acme.post_multipart("/app/update", form(json!({ "id": id }), svg)).send();
    assert_eq!(refused.status, 400, "{}", refused.text());
    let large = [PNG, &vec![0; 1024 * 1024]].concat();
    assert_eq!(acme.post_multipart("/app/update", form(json!({ "id": id }), &large)).send().status, 413);
    acme.delete(&format!("/app/delete?id={}", id.as_str().unwrap())).ok();
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), Vec::<String>::new());
}

fn invalid_apps_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let id = acme.create_app("notes");
    acme.create_app("other");

    for (data, text) in [
        (json!({}), "missing app"),
        (json!({ "app": "" }), "missing app"),
        (json!({ "app": "a/b" }), "invalid app parameter"),
        (json!({ "app": "a..b" }), "invalid app parameter"),
        (json!({ "app": " a" }), "invalid app parameter"),
        (json!({ "app": "x".repeat(65) }), "invalid app parameter"),
    ] {
        assert_eq!(app_call(&acme, "/app/create", data.clone()).refusal(), error(400, text), "{data}");
    }
    for data in [json!({ "app": 5 }), json!({ "app": "new", "private": "yes" })] {
        assert_eq!(app_call(&acme, "/app/create", data.clone()).status, 400, "{data}");
    }
    let exists = error(409, "application already exists");
    assert_eq!(app_call(&acme, "/app/create", json!({ "app": "notes" })).refusal(), exists);
    assert_eq!(app_call(&acme, "/app/update", json!({ "id": id, "app": "other" })).refusal(), exists);
    assert_eq!(app_call(&acme, "/app/update", json!({ "app": "x" })).refusal(), error(400, "missing id"));
    assert_eq!(apps(&acme).len(), 2);
}

fn an_app_with_releases_stays(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.app_id("notes");
    let upload = acme.stage(&Release::new("1.0.0"));

    let delete = || acme.delete(&format!("/app/delete?id={id}")).send().refusal();
    assert_eq!(delete(), error(409, "application is used by an upload under way"));
    let release =
        acme.complete(&upload).expect(200).json()["uploadResult.Uploaded"].as_str().unwrap().to_owned();
    assert_eq!(delete(), error(409, "application is used by releases"));
    let private = app_call(&acme, "/app/update", json!({ "id": id, "private": true }));
    assert_eq!(private.refusal(), error(409, "private cannot change while the application has releases"));

    let _ = acme.delete(&format!("/apps/delete?id={release}")).send().expect(200);
    assert_eq!(delete().0, 200);
}

fn list(account: &Account, kind: &str) -> Vec<Value> {
    account.get(&format!("/{kind}/list")).ok()[format!("{kind}s")].as_array().unwrap().clone()
}

fn dimensions_are_made_changed_and_deleted(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");

    for (kind, word) in KINDS {
        let call = |verb: &str, body: Value| acme.post_json(&format!("/{kind}/{verb}"), body).send();
        let created = call("create", json!({ kind: "one" })).expect(200).json();
        let id = created[format!("create{word}Result.Created")].as_str().unwrap().to_owned();
        let _ = call("create", json!({ kind: "two" })).expect(200);
        assert_eq!(
            call("create", json!({ kind: "one" })).refusal(),
            error(409, &format!("{kind} already exists"))
        );
        assert_eq!(
            call("update", json!({ "id": id, kind: "two" })).refusal(),
            error(409, &format!("{kind} already exists"))
        );

        let updated = call("update", json!({ "id": id, kind: "three" })).expect(200).json();
        assert_eq!(updated, json!({ format!("update{word}Result.Updated"): true }));
        let name = if kind == "arch" { "ArchID".to_owned() } else { format!("{word}Name") };
        let names: Vec<Value> = list(&acme, kind).iter().map(|entry| entry[&name].clone()).collect();
        assert_eq!(names, ["three", "two"], "by name");

        let path = format!("/{kind}/delete?id={id}");
        assert_eq!(acme.delete(&path).ok(), json!({ format!("delete{word}Result.DeletedCount"): 1 }));
        assert_eq!(acme.delete(&path).send().refusal(), error(404, &format!("{kind} not found")));
        assert_eq!(
            call("update", json!({ "id": id, kind: "x" })).refusal(),
            error(404, &format!("{kind} not found"))
        );
        assert_eq!(acme.delete(&format!("/{kind}/delete")).send().refusal(), error(400, "missing id"));
    }
}

fn names_of_dimensions_have_rules(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");

    for (kind, _) in KINDS {
        let create = |body: Value| acme.post_json(&format!("/{kind}/create"), body).send().refusal();
        for name in ["a b", "a/b", "..", "a..b", ".a", "-a", "ä", "a\\b", "a\n", &"x".repeat(65)] {
            assert_eq!(
                create(json!({ kind: name })),
                error(400, &format!("invalid {kind} parameter")),
                "{name:?}"
            );
        }
        assert_eq!(create(json!({})), error(400, &format!("missing {kind}")));
        assert_eq!(create(json!({ kind: "" })), error(400, &format!("missing {kind}")));
        for name in ["a", "x86_64", "1.0-beta_2", "a-", &"y".repeat(64)] {
            assert_eq!(create(json!({ kind: name })).0, 200, "{name}");
        }
    }
}

fn dimensions_in_use_stay(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let release = acme.publish(Release::new("1.0.0"));

    for (kind, _) in KINDS {
        let id = list(&acme, kind)[0]["ID"].as_str().unwrap().to_owned();
        let answer = acme.delete(&format!("/{kind}/delete?id={id}")).send();
        assert_eq!(answer.refusal(), error(409, &format!("{kind} is used by releases")));
    }
    let _ = acme.delete(&format!("/apps/delete?id={release}")).send().expect(200);
    for (kind, _) in KINDS {
        let id = list(&acme, kind)[0]["ID"].as_str().unwrap().to_owned();
        acme.delete(&format!("/{kind}/delete?id={id}")).ok();
    }
}

fn platforms_have_updaters(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let create = |updaters: Value| {
        acme.post_json("/platform/create", json!({ "platform": "windows", "updaters": updaters }))
            .send()
            .refusal()
    };

    for (updaters, text) in [
        (json!([{ "type": "unknown" }]), "updater not supported"),
        (json!([{ "type": "manual" }, { "type": "manual" }]), "duplicate updater"),
        (
            json!([{ "type": "manual", "default": true }, { "type": "velopack", "default": true }]),
            "more than one default updater",
        ),
    ] {
        assert_eq!(create(updaters.clone()), error(400, text), "{updaters}");
    }
    assert_eq!(create(json!(["manual"])).0, 400);
    acme.create_platform("linux");
    acme.create_platform_with("windows", &["squirrel_windows", "manual"]);

    let platforms = list(&acme, "platform");
    assert_eq!(
        platforms[0]["Updaters"],
        json!([{ "type": "manual", "default": true }]),
        "just manual, when none is named"
    );
    let two =
        json!([{ "type": "squirrel_windows", "default": true }, { "type": "manual", "default": false }]);
    assert_eq!(platforms[1]["Updaters"], two);
    acme.post_json("/platform/update", json!({ "id": platforms[1]["ID"], "platform": "win32" })).ok();
    assert_eq!(list(&acme, "platform")[1]["Updaters"], two, "omitted fields do not change");
    let body = json!({ "id": platforms[1]["ID"], "updaters": [{ "type": "velopack" }] });
    acme.post_json("/platform/update", body).ok();
    assert_eq!(list(&acme, "platform")[1]["Updaters"], json!([{ "type": "velopack", "default": false }]));
}

fn lists_have_the_shape_of_the_interface(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let keys = |path: &str, list: &str| {
        let body = acme.get(path).ok();
        assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), [list]);
        body[list][0].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };

    let app = [
        "AppName",
        "CdnEdge",
        "Description",
        "ID",
        "Logo",
        "Owner",
        "Private",
        "Reports",
        "Tuf",
        "Updated_at",
        "download_mode",
        "get_page",
        "get_page_color",
        "signed",
    ];
    assert_eq!(keys("/app/list", "apps"), app);
    assert_eq!(keys("/channel/list", "channels"), ["ChannelName", "Default", "ID", "Owner", "Updated_at"]);
    assert_eq!(
        keys("/platform/list", "platforms"),
        ["Default", "ID", "Owner", "PlatformName", "Updated_at", "Updaters"]
    );
    assert_eq!(keys("/arch/list", "archs"), ["ArchID", "Default", "ID", "Owner", "Updated_at"]);
}

fn one_application_is_listed_by_id_or_name_and_without_its_description(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    for name in ["My App", "other"] {
        let _ = app_call(&acme, "/app/create", json!({ "app": name, "description": "long" })).expect(200);
    }
    let listed = |query: &str| -> Vec<(String, String)> {
        let body = acme.get(&format!("/app/list?{query}")).ok();
        let text = |app: &Value, key: &str| app[key].as_str().unwrap().to_owned();
        body["apps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|app| (text(app, "AppName"), text(app, "Description")))
            .collect()
    };
    let app = |name: &str, description: &str| (name.to_owned(), description.to_owned());
    let (mine, other) = (acme.app_id("My App"), acme.app_id("other"));
    let all = vec![app("My App", "long"), app("other", "long")];
    for (query, expected) in [
        (String::new(), all.clone()),
        ("description=true".to_owned(), all),
        ("description=false".to_owned(), vec![app("My App", ""), app("other", "")]),
        ("app_name=My+App".to_owned(), vec![app("My App", "long")]),
        (format!("id={other}"), vec![app("other", "long")]),
        (format!("id={mine}&app_name=My+App&description=false"), vec![app("My App", "")]),
        (format!("id={mine}&app_name=other"), vec![]),
        ("app_name=third".to_owned(), vec![]),
        ("id=third".to_owned(), vec![]),
    ] {
        assert_eq!(listed(&query), expected, "{query}");
    }
    for (query, text) in [
        ("description=no", "invalid description parameter"),
        ("app_name=a%2Fb", "invalid app_name parameter"),
    ] {
        let answer = acme.get(&format!("/app/list?{query}")).send().expect(400);
        assert_eq!(answer.refusal().1, text);
    }
    let stranger = world.admin("globex");
    assert_eq!(stranger.get(&format!("/app/list?id={mine}")).ok()["apps"], json!([]));
}

/// Four releases that differ in everything.
fn with_four_releases(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.create_app("other");
    acme.create_channel("beta");
    acme.create_platform("windows");
    acme.create_arch("arm64");
    acme.publish(Release::new("1.0.0").critical().with("changelog", "one"));
    acme.publish(Release::new("1.10.0").with("platform", "windows").rollout(20));
    acme.upload(&Release::new("1.9.0").with("arch", "arm64").intermediate());
    acme.publish(Release::new("0.1.0").with("app_name", "other").with("channel", "beta"));
    acme
}

/// The versions that a search finds on its page, and how many there are on all pages.
fn search(account: &Account, query: &str) -> (Vec<String>, u64) {
    let found = account.get(&format!("/search?{query}")).ok();
    let versions =
        found["items"].as_array().unwrap().iter().map(|item| item["Version"].as_str().unwrap().to_owned());
    (versions.collect(), found["total"].as_u64().unwrap())
}

fn searches_filter(host: Driver) {
    let world = World::new(host);
    let acme = with_four_releases(&world);

    let id = acme.release("1.9.0").id;
    let by_id = [format!("id={id}"), format!("id={id}&state=published")];
    let cases: [(&str, &[&str]); 17] = [
        ("", &["1.10.0", "1.9.0", "1.0.0", "0.1.0"]),
        ("app_name=notes", &["1.10.0", "1.9.0", "1.0.0"]),
        ("app_name=unknown", &[]),
        ("channel=beta", &["0.1.0"]),
        ("platform=windows", &["1.10.0"]),
        ("arch=arm64", &["1.9.0"]),
        ("published=true", &["1.10.0", "1.0.0", "0.1.0"]),
        ("published=false", &["1.9.0"]),
        ("critical=true", &["1.0.0"]),
        ("critical=false&app_name=notes", &["1.10.0", "1.9.0"]),
        ("app_name=notes&channel=stable&platform=linux&arch=amd64&published=true", &["1.0.0"]),
        ("state=published", &["1.10.0", "1.0.0", "0.1.0"]),
        ("state=draft", &["1.9.0"]),
        (&by_id[0], &["1.9.0"]),
        (&by_id[1], &[]),
        ("id=unknown", &[]),
        ("app_name=", &["1.10.0", "1.9.0", "1.0.0", "0.1.0"]),
    ];
    for (query, expected) in cases {
        let (versions, total) = search(&acme, query);
        assert_eq!(
            (versions.len() as u64, versions),
            (total, expected.iter().map(|v| (*v).to_owned()).collect()),
            "{query}"
        );
    }
}

fn searches_have_pages(host: Driver) {
    let world = World::new(host);
    let acme = with_four_releases(&world);

    assert_eq!(search(&acme, "limit=1&page=2"), (vec!["1.9.0".to_owned()], 4));
    assert_eq!(search(&acme, "limit=3&page=2"), (vec!["0.1.0".to_owned()], 4));
    assert_eq!(search(&acme, "page=9"), (vec![], 4));
    let found = acme.get("/search").ok();
    assert_eq!((&found["page"], &found["limit"]), (&json!(1), &json!(9)));
}

fn searches_leave_notes_out(host: Driver) {
    let world = World::new(host);
    let acme = with_four_releases(&world);

    for (query, has_notes) in [("", true), ("&changelog=true", true), ("&changelog=false", false)] {
        let found = acme.get(&format!("/search?critical=true{query}")).ok();
        let [release] = &found["items"].as_array().unwrap()[..] else { panic!("one release: {found}") };
        assert_eq!(release["Version"], "1.0.0", "{query}");
        assert_eq!(!release["Changelog"].as_array().unwrap().is_empty(), has_notes, "{query}");
    }
}

fn found_releases_have_the_shape_of_the_interface(host: Driver) {
    let world = World::new(host);
    let acme = with_four_releases(&world);

    let found = acme.get("/search?critical=true").ok();
    let item = &found["items"][0];
    let keys: Vec<&String> = item.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "AppName",
            "Artifacts",
            "BasisPoints",
            "Changelog",
            "Channel",
            "Created_at",
            "Critical",
            "ID",
            "Intermediate",
            "Published",
            "Revision",
            "RolloutPercent",
            "RolloutSeed",
            "RolloutState",
            "State",
            "Updated_at",
            "Version",
        ]
    );
    let artifact = &item["Artifacts"][0];
    assert_eq!(
        (&artifact["platform"], &artifact["arch"], &artifact["package"]),
        (&json!("linux"), &json!("amd64"), &json!("deb"))
    );
    assert_eq!((&artifact["updater"], &artifact["size"]), (&json!("manual"), &json!(11)));
    assert_eq!(artifact["md5"], md5_hex(b"notes 1.0.0"));
    assert!(artifact.get("sha256").is_none() && artifact.get("sha512").is_none(), "nobody declared them");
    assert_eq!(item["Created_at"], item["Changelog"][0]["Date"]);
    acme.publish(Release::new("3.0.0").with_digests());
    let declared = acme.release("3.0.0").artifacts.remove(0);
    assert_eq!(declared.sha256, Some(sha256_hex(b"notes 3.0.0")));
    assert_eq!(declared.sha512.map(|digest| digest.len()), Some(128));
    assert_eq!(
        Client::new("").get(artifact["link"].as_str().unwrap()).send().expect(200).text(),
        "notes 1.0.0"
    );
    assert_eq!(
        (&item["Changelog"][0]["Version"], &item["Changelog"][0]["Changes"]),
        (&json!("1.0.0"), &json!("one"))
    );
}

fn invalid_searches_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");

    for (query, name) in [
        ("page=0", "page"),
        ("page=x", "page"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("published=yes", "published"),
        ("state=hidden", "state"),
        ("critical=1", "critical"),
        ("changelog=no", "changelog"),
        ("app_name=a%2Fb", "app_name"),
        ("channel=a%20b", "channel"),
        ("platform=..", "platform"),
        ("arch=%0A", "arch"),
    ] {
        let answer = acme.get(&format!("/search?{query}")).send();
        assert_eq!(answer.refusal(), error(400, &format!("invalid {name} parameter")), "{query}");
    }
}

fn team_users_find_what_they_may_see(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let other = acme.create_app("other");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0").with("app_name", "other"));
    let body = json!({
        "username": "ann", "password": "password of a user", "permissions": { "apps": { "create": true, "allowed": [other] } },
    });
    acme.post_json("/user/create", body).ok();
    let ann = world.login("ann", "password of a user");

    let found: Vec<String> = ann.releases().into_iter().map(|release| release.app_name).collect();
    assert_eq!(found, ["other"]);
    assert_eq!(ann.get("/search").ok()["total"], 1);
    assert_eq!(apps(&ann).len(), 1);
    ann.create_app("hers");
    assert_eq!(apps(&ann).len(), 2, "things that she creates join her list");
    assert_eq!(apps(&acme).len(), 3, "and belongs to the admin");
    assert_eq!(
        app_call(&ann, "/app/update", json!({ "id": other, "app": "x" })).refusal(),
        error(403, "not allowed")
    );
    assert_eq!(ann.delete(&format!("/app/delete?id={other}")).send().refusal(), error(403, "not allowed"));
}
