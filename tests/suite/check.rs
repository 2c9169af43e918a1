//! `GET /checkVersion` for the updater `manual`.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, PUBLIC_BUCKET, Release, World, bucket, on_hosts, until};

/// How long it may take until a host sees a change that another process made in its store.
const RENEWAL_LIMIT: Duration = Duration::from_secs(10);

on_hosts! {
    every: [
        a_newer_release_is_offered,
        the_newest_release_is_no_update,
        a_client_that_is_ahead_may_have_been_rolled_back,
        an_old_release_that_exists_answers_with_itself_only_when_it_is_the_newest,
        nothing_published_is_not_found_with_status_200,
        links_carry_the_package,
        a_last_part_of_digits_is_no_package,
        critical_is_inherited_from_releases_on_the_way,
        intermediates_are_not_stepped_over,
        anonymous_clients_learn_the_rollout,
        devices_are_in_or_out_by_their_bucket,
        a_rollout_of_0_is_for_nobody,
        there_is_a_floor_below_a_rollout,
        device_ids_that_are_none_are_ignored,
        missing_and_invalid_parameters_are_named,
        unknown_names_are_not_found,
        dimensions_in_use_are_required,
        updaters_must_be_supported,
        anonymous_answers_can_be_cached,
        answers_for_a_device_are_not_cached,
        head_has_the_headers_of_get,
        versions_of_every_form_are_ordered,
        every_change_is_seen_by_the_next_check,
        names_that_change_are_seen_by_the_next_check,
        channels_platforms_and_archs_are_separate,
        a_record_that_is_too_old_is_renewed,
    ],
    in_process: [
        a_failing_key_value_store_costs_no_answer,
        too_many_calls_of_the_key_value_store_are_a_503,
        a_store_without_atomics_answers_nothing_old,
        a_fresh_record_answers_without_the_database,
        a_record_is_derived_again_after_a_minute,
        unchanged_data_is_not_read_again,
        other_addresses_show_within_a_minute,
        a_database_that_fails_is_no_missing_release,
    ],
}

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

/// The address of a file of `notes` for clients.
fn link(world: &World, version: &str, package: &str) -> String {
    let store = world.store().url();
    format!("{store}/{PUBLIC_BUCKET}/acme/notes/stable/linux/amd64/notes-{version}.{package}")
}

fn a_newer_release_is_offered(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0").with("changelog", "Faster.\n\"Better\" ☃"));
    acme.upload(&Release::new("1.2.0"));

    let expected = json!({
        "update_available": true,
        "critical": false,
        "version": "1.1.0",
        "update_url_deb": link(&world, "1.1.0", "deb"),
        "changelog": "Faster.\n\"Better\" ☃",
    });
    assert_eq!(acme.check("1.0.0"), expected);
    assert_eq!(acme.check("0.0.1"), expected);
    assert_eq!(acme.check_as("device-1", "1.0.0"), expected);
}

fn the_newest_release_is_no_update(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.1.0").critical());

    let expected = json!({
        "update_available": false,
        "critical": false,
        "version": "1.1.0",
        "update_url_deb": link(&world, "1.1.0", "deb"),
    });
    for spelling in ["1.1.0", "1.1", "v1.1.0", "1-1", "1.1.0%2Bbuild.7", "01.1.0"] {
        assert_eq!(acme.check(spelling), expected, "{spelling}");
    }
}

fn a_client_that_is_ahead_may_have_been_rolled_back(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.1.0").critical().intermediate());

    let expected = json!({
        "update_available": false,
        "critical": false,
        "version": "1.1.0",
        "update_url_deb": link(&world, "1.1.0", "deb"),
        "possible_rollback": true,
    });
    assert_eq!(acme.check("1.1.1"), expected);
    assert_eq!(acme.check("2.0.0-rc.1"), expected);
}

fn an_old_release_that_exists_answers_with_itself_only_when_it_is_the_newest(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0"));

    assert_eq!(acme.check("1.0.0")["version"], "2.0.0");
    assert_eq!(acme.check("2.0.0")["version"], "2.0.0");
}

fn nothing_published_is_not_found_with_status_200(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let nothing = json!({ "update_available": false, "critical": false, "error": "Not found" });

    assert_eq!(acme.check("1.0.0"), nothing);
    acme.upload(&Release::new("1.0.0"));
    assert_eq!(acme.check("0.1.0"), nothing, "unpublished releases do not count");
}

fn links_carry_the_package(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = Release::empty("1.0.0")
        .file("Notes.AppImage", "1")
        .file("notes.TAR.GZ", "2")
        .file("notes.app.tar.gz", "3")
        .file("notes", "4")
        .file("notes.blockmap", "5")
        .file("notes-full.nupkg", "6")
        .file("notes.zip", "7")
        .with("signature", " the signature \n");

    acme.publish(release);

    let base = link(&world, "1.0.0", "");
    let base = base.trim_end_matches('.');
    assert_eq!(
        acme.check("0.1"),
        json!({
            "update_available": true,
            "critical": false,
            "version": "1.0.0",
            "update_url": base,
            "update_url_appimage": format!("{base}.appimage"),
            "update_url_tar.gz": format!("{base}.tar.gz"),
            "update_url_app.tar.gz": format!("{base}.app.tar.gz"),
            "update_url_zip": format!("{base}.zip"),
            "signature": "the signature",
        })
    );
}

fn a_last_part_of_digits_is_no_package(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::empty("1.2.3").file("notes-1.2.3", "a program").file("notes-1.2.3.7z", "packed"));

    let expected = json!({
        "update_available": true, "critical": false, "version": "1.2.3",
        "update_url": link(&world, "1.2.3", "").trim_end_matches('.'),
        "update_url_7z": link(&world, "1.2.3", "7z"),
    });
    assert_eq!(acme.check("1.0.0"), expected);
    let latest = "/apps/latest?app_name=notes&owner=acme&channel=stable&platform=linux&arch=amd64&package=no-extension";
    let answer = world.get(latest).send().expect(302);
    assert_eq!(answer.header("location"), expected["update_url"]);
}

fn critical_is_inherited_from_releases_on_the_way(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    for release in [Release::new("1.0.0"), Release::new("1.1.0").critical(), Release::new("1.2.0")] {
        acme.publish(release);
    }
    acme.upload(&Release::new("1.1.5").critical());

    for (version, critical) in
        [("0.9.0", true), ("1.0.0", true), ("1.1.0", false), ("1.1.1", false), ("1.2.0", false)]
    {
        assert_eq!(acme.check(version)["critical"], critical, "{version}");
    }
    acme.publish(Release::new("1.3.0").critical());
    for (version, critical) in [("1.1.0", true), ("1.2.0", true), ("1.3.0", false), ("1.4.0", false)] {
        assert_eq!(acme.check(version)["critical"], critical, "{version}");
    }
}

fn intermediates_are_not_stepped_over(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    for release in [
        Release::new("1.0.0"),
        Release::new("1.5.0").intermediate(),
        Release::new("2.0.0").intermediate(),
        Release::new("2.5.0").critical(),
        Release::new("3.0.0"),
    ] {
        acme.publish(release);
    }
    acme.upload(&Release::new("1.2.0").intermediate());
    let offered = |version: &str| {
        let answer = acme.check(version);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&answer["version"]), answer["is_intermediate_required"].clone(), answer["critical"].clone())
    };

    for (version, expected, required, critical) in [
        ("0.9.0", "1.5.0", json!(true), false),
        ("1.0.0", "1.5.0", json!(true), false),
        ("1.5.0-rc.1", "1.5.0", json!(true), false),
        ("1.5.0", "2.0.0", json!(true), false),
        ("2.0.0", "3.0.0", Value::Null, true),
        ("2.5.0", "3.0.0", Value::Null, false),
    ] {
        assert_eq!(offered(version), (expected.to_owned(), required, json!(critical)), "{version}");
    }
    acme.publish(Release::new("4.0.0").intermediate());
    assert_eq!(acme.check("2.0.0")["version"], "4.0.0", "the newest release may be one itself");
    assert_eq!(
        acme.check("4.0.0").get("is_intermediate_required"),
        None,
        "clients that have it are not held up"
    );
}

/// A device that is in the first `percent` percent (or is not).
fn device(seed: &Value, percent: u64, inside: bool) -> String {
    let seed = seed.as_str().unwrap();
    let mut names = (0..).map(|n| format!("device-{n}"));
    names.find(|name| (bucket(name, seed) < percent) == inside).unwrap()
}

fn anonymous_clients_learn_the_rollout(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0").critical().with("changelog", "full"));
    acme.publish(Release::new("1.2.0").rollout(30).with("changelog", "partial"));

    let answer = acme.check("1.0.0");
    let seed = answer["rollout"]["seed"].as_str().unwrap();

    assert!(!seed.is_empty());
    assert_eq!(
        answer,
        json!({
            "update_available": true,
            "critical": true,
            "version": "1.2.0",
            "update_url_deb": link(&world, "1.2.0", "deb"),
            "changelog": "partial",
            "rollout": { "percent": 30, "seed": seed },
            "fallback": {
                "critical": true,
                "version": "1.1.0",
                "update_url_deb": link(&world, "1.1.0", "deb"),
                "changelog": "full",
            },
        })
    );
    assert_eq!(acme.check("1.1.0").get("fallback"), None, "it is not newer than the client");
    assert_eq!(acme.check("1.1.0")["rollout"]["percent"], 30);
    acme.publish(Release::new("1.3.0").rollout(30));
    assert_ne!(acme.check("1.0.0")["rollout"]["seed"], seed, "every release has its own seed");
}

fn devices_are_in_or_out_by_their_bucket(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0").rollout(30));
    let seed = acme.check("0.1")["rollout"]["seed"].clone();

    for n in 0..40 {
        let device = format!("device {n}");
        let inside = bucket(&device, seed.as_str().unwrap()) < 30;
        let answer = acme.check_as(&device, "0.1");
        assert_eq!(answer["version"], if inside { "2.0.0" } else { "1.0.0" }, "{device}");
        assert_eq!(answer["update_available"], true);
        assert_eq!(answer.get("fallback"), None);
    }
    let outside = device(&seed, 30, false);
    let answer = acme.check_as(&outside, "1.0.0");
    assert_eq!((&answer["update_available"], &answer["version"]), (&json!(false), &json!("1.0.0")));

    let id = acme.release("2.0.0").id.to_string();
    let _ = acme.edit(&id, json!({ "rollout": 100 })).expect(200);
    assert_eq!(acme.check_as(&outside, "1.0.0")["version"], "2.0.0");
    assert_eq!(acme.check("0.1").get("rollout"), None);
}

fn a_rollout_of_0_is_for_nobody(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0").rollout(0));

    let answer = acme.check_as("a-device", "0.1");
    assert_eq!(answer, json!({ "update_available": false, "critical": false }), "there is none it may have");
    assert_eq!(acme.check("0.1")["rollout"]["percent"], 0);

    acme.publish(Release::new("0.5.0"));
    assert_eq!(acme.check_as("a-device", "0.1")["version"], "0.5.0");
}

fn there_is_a_floor_below_a_rollout(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0").intermediate());
    acme.publish(Release::new("3.0.0").rollout(50));
    let seed = acme.check("2.0.0")["rollout"]["seed"].clone();
    let (inside, outside) = (device(&seed, 50, true), device(&seed, 50, false));

    assert_eq!(acme.check_as(&inside, "1.0.0")["version"], "2.0.0");
    assert_eq!(acme.check_as(&outside, "1.0.0")["version"], "2.0.0");
    assert_eq!(acme.check_as(&inside, "2.0.0")["version"], "3.0.0");
    assert_eq!(acme.check_as(&outside, "2.0.0")["update_available"], false);
}

fn device_ids_that_are_none_are_ignored(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0").rollout(30));

    for id in ["", &"x".repeat(129)] {
        let answer = acme.get(&acme.check_path("0.1")).header("x-device-id", id).send().expect(200);
        assert_eq!(answer.json()["rollout"]["percent"], 30, "as without a device");
        assert!(answer.header("cache-control").starts_with("public"), "{id:?}");
    }
    let _ = acme.get(&acme.check_path("0.1")).header("x-device-id", &"x".repeat(128)).send().expect(200);
}

fn missing_and_invalid_parameters_are_named(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let ask = |query: &str| acme.get(&format!("/checkVersion?{query}")).send().refusal();
    let refused = |text: &str| (400, text.to_owned());
    let all = "app_name=notes&version=1.0.0&owner=acme&channel=stable&platform=linux&arch=amd64";

    assert_eq!(acme.get("/checkVersion").send().refusal(), refused("missing app_name"));
    for name in ["app_name", "version", "owner"] {
        let rest: Vec<&str> = all.split('&').filter(|pair| !pair.starts_with(name)).collect();
        assert_eq!(ask(&rest.join("&")), refused(&format!("missing {name}")));
        assert_eq!(ask(&format!("{}&{name}=", rest.join("&"))), refused(&format!("missing {name}")));
    }
    for (name, values) in [
        ("app_name", &["a%2Fb", "..", "-a", "a%00", "%E2%98%83"][..]),
        ("version", &["one", "1.2.3.4.5.6.7", "1..2", "1.0.0%2F", "latest"]),
        ("owner", &["a%20b", "a%2Fb", ".."]),
        ("channel", &["a%20b", "..", "a%2F..%2Fb", ".stable"]),
        ("platform", &["a%20b", "%5C"]),
        ("arch", &["a%20b", "%0A"]),
    ] {
        for value in values {
            let rest: Vec<&str> = all.split('&').filter(|pair| !pair.starts_with(name)).collect();
            let query = format!("{}&{name}={value}", rest.join("&"));
            assert_eq!(ask(&query), refused(&format!("invalid {name} parameter")), "{query}");
        }
    }
    let long = format!("{all}&x={}", "y".repeat(2000));
    assert_eq!(ask(&long).0, 200, "unknown parameters are ignored");
    assert_eq!(ask("app_name=%ff"), refused("the query is not valid UTF-8"));
}

fn unknown_names_are_not_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    world.admin("other").create_app("theirs");
    let user = json!({ "username": "ann", "password": "password of a user" });
    acme.post_json("/user/create", user).ok();
    let ask = |from: &str, to: &str| acme.get(&acme.check_path("1.0.0").replace(from, to)).send().refusal();
    let not_found = |thing: &str| (404, format!("{thing} not found"));

    assert_eq!(ask("owner=acme", "owner=nobody"), not_found("owner"));
    assert_eq!(ask("owner=acme", "owner=Acme"), not_found("owner"));
    assert_eq!(ask("owner=acme", "owner=ann"), not_found("owner"), "a team user owns nothing");
    assert_eq!(ask("app_name=notes", "app_name=theirs"), not_found("application"));
    assert_eq!(ask("channel=stable", "channel=beta"), not_found("channel"));
    assert_eq!(ask("platform=linux", "platform=Linux"), not_found("platform"));
    assert_eq!(ask("arch=amd64", "arch=arm64"), not_found("arch"));
}

fn dimensions_in_use_are_required(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    let ask = |query: &str| {
        acme.get(&format!("/checkVersion?app_name=notes&version=1&owner=acme{query}")).send().refusal()
    };
    let required = |name: &str| (400, format!("{name} is required"));

    assert_eq!(ask("").0, 200);
    acme.create_channel("stable");
    assert_eq!(ask(""), required("channel"));
    acme.create_platform("linux");
    assert_eq!(ask("&channel=stable"), required("platform"));
    acme.create_arch("amd64");
    assert_eq!(ask("&channel=stable&platform=linux"), required("arch"));
    assert_eq!(ask("&channel=stable&platform=linux&arch=amd64").0, 200);
    assert_eq!(ask("&channel=&platform=linux&arch=amd64"), required("channel"));
}

fn updaters_must_be_supported(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform_with("windows", &["squirrel_windows"]);
    acme.publish(Release::new("1.0.0"));
    let ask = |platform: &str, updater: &str| {
        let path = acme.check_path("0.1").replace("platform=linux", &format!("platform={platform}"));
        acme.get(&format!("{path}&updater={updater}")).send().refusal()
    };
    let refused = (400, "updater not supported".to_owned());

    for updater in ["squirrel", "tauri", "nonsense", "Manual"] {
        assert_eq!(ask("linux", updater), refused, "{updater}");
    }
    assert_eq!(ask("windows", "manual"), refused);
    assert_eq!(ask("linux", "manual").0, 200);
    assert_eq!(ask("linux", "").0, 200);
}

fn anonymous_answers_can_be_cached(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let path = acme.check_path("0.1");

    let answer = acme.get(&path).send().expect(200);
    let tag = answer.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 10, "a strong tag: {tag}");
    assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate");
    assert_eq!(acme.get(&path).send().header("etag"), tag);

    for known in [tag.clone(), format!("\"other\", {tag}"), format!("W/{tag}"), "*".to_owned()] {
        let again = acme.get(&path).header("if-none-match", &known).send().expect(304);
        assert_eq!((again.body.len(), again.header("etag")), (0, tag.as_str()), "{known}");
        assert_eq!(again.header("cache-control"), "public, max-age=60, must-revalidate");
    }
    let _ = acme.get(&path).header("if-none-match", "\"other\"").send().expect(200);

    acme.publish(Release::new("1.0.1"));
    let changed = acme.get(&path).header("if-none-match", &tag).send().expect(200);
    assert_ne!(changed.header("etag"), tag);
}

fn answers_for_a_device_are_not_cached(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));

    let answer = acme.get(&acme.check_path("0.1")).header("x-device-id", "a").send().expect(200);

    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert!(!answer.headers.contains_key("etag"));
}

fn head_has_the_headers_of_get(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let path = acme.check_path("0.1");

    let (get, head) = (acme.get(&path).send().expect(200), acme.head(&path).send().expect(200));

    assert_eq!(head.body.len(), 0);
    for header in ["etag", "cache-control", "content-type"] {
        assert_eq!(head.header(header), get.header(header), "{header}");
    }
    assert_eq!(head.header("content-length"), get.body.len().to_string());
    assert_eq!(acme.head("/checkVersion").send().status, 400);
}

fn versions_of_every_form_are_ordered(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    // Each is newer than the one before, and is found by its normal form.
    let versions = [
        ("0.0.0.5", "0.0.0.5"),
        ("1-2-3", "1.2.3"),
        ("1.2.3.1", "1.2.3.1"),
        ("1.10", "1.10"),
        ("v2.0.0-alpha", "2.0.0-alpha"),
        ("2.0.0-alpha.1", "2.0.0-alpha.1"),
        ("2.0.0-alpha.beta", "2.0.0-alpha.beta"),
        ("2.0.0-beta.2", "2.0.0-beta.2"),
        ("2.0.0-beta.11+5", "2.0.0-beta.11+5"),
        ("2.0.0-rc.1", "2.0.0-rc.1"),
        ("2.0.0", "2.0.0"),
        ("2.0.0.0.0.1", "2.0.0.0.0.1"),
        ("20261121.123456789012345678", "20261121.123456789012345678"),
    ];

    let mut client = "0.0.0.1".to_owned();
    for (written, normal) in versions {
        acme.publish(Release::new(written));
        let answer = acme.check(&client.replace('+', "%2B"));
        assert_eq!(
            (&answer["update_available"], &answer["version"]),
            (&json!(true), &json!(normal)),
            "after {client}"
        );
        assert_eq!(acme.check(&written.replace('+', "%2B"))["update_available"], false, "{written}");
        written.clone_into(&mut client);
    }
    let found: Vec<String> = acme.releases().into_iter().map(|release| release.version).collect();
    let expected: Vec<&str> = versions.iter().rev().map(|(_, normal)| *normal).collect();
    assert_eq!(found, expected, "searches are newest first");
}

fn every_change_is_seen_by_the_next_check(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let offered = || acme.check("0.1");

    acme.publish(Release::new("1.0.0"));
    assert_eq!(offered()["version"], "1.0.0", "publish at upload");
    let id = acme.upload(&Release::empty("2.0.0").file("notes.deb", "deb").file("notes.rpm", "rpm"));
    assert_eq!(offered()["version"], "1.0.0", "an upload that is not published");
    let _ = acme.edit(&id, json!({ "publish": true })).expect(200);
    assert_eq!(offered()["version"], "2.0.0", "publish");
    let _ = acme.edit(&id, json!({ "changelog": "new" })).expect(200);
    assert_eq!(offered()["changelog"], "new", "changelog");
    let _ = acme.edit(&id, json!({ "critical": true })).expect(200);
    assert_eq!(offered()["critical"], true, "critical");
    let _ = acme.edit(&id, json!({ "intermediate": "true" })).expect(200);
    assert_eq!(offered()["is_intermediate_required"], true, "intermediate");
    let _ = acme.edit(&id, json!({ "rollout": 40 })).expect(200);
    assert_eq!(offered()["rollout"]["percent"], 40, "rollout");
    let _ = acme.edit(&id, json!({ "rollout": 100, "artifacts_to_delete": [0] })).expect(200);
    assert_eq!(offered().get("update_url_deb"), None, "an artifact less");
    let _ = acme.edit(&id, json!({ "publish": false })).expect(200);
    assert_eq!(offered()["version"], "1.0.0", "unpublish");
    let _ = acme.edit(&id, json!({ "publish": true })).expect(200);
    let data = json!({ "id": id, "app_name": "notes", "version": "2.0.0", "artifacts_to_delete": [0] });
    let _ = acme.post_form("/artifact/delete", &[("data", &data.to_string())]).send().expect(200);
    assert_eq!(offered()["version"], "1.0.0", "a release without artifacts is not offered");
    let first = acme.release("1.0.0").id.to_string();
    let _ = acme.delete(&format!("/apps/delete?id={first}")).send().expect(200);
    assert_eq!(offered()["error"], "Not found", "delete");
}

fn names_that_change_are_seen_by_the_next_check(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let path = acme.check_path("0.1");
    let status = |from: &str, to: &str| acme.get(&path.replace(from, to)).send().status;
    assert_eq!(status("", ""), 200);

    let channels = acme.get("/channel/list").ok();
    let id = channels["channels"][0]["ID"].clone();
    acme.post_json("/channel/update", json!({ "id": id, "channel": "release" })).ok();
    assert_eq!((status("", ""), status("stable", "release")), (404, 200));
    acme.post_json("/channel/update", json!({ "id": id, "channel": "stable" })).ok();
    assert_eq!((status("", ""), status("stable", "release")), (200, 404));

    let data = json!({ "id": acme.app_id("notes"), "app": "papers" });
    let form = spindrift_tests::Multipart::new().field("data", data.to_string());
    let _ = acme.post_multipart("/app/update", form).send().expect(200);
    assert_eq!((status("", ""), status("notes", "papers")), (404, 200));
}

fn channels_platforms_and_archs_are_separate(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_channel("beta");
    acme.create_platform("darwin");
    acme.create_arch("arm64");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0").with("channel", "beta"));
    acme.publish(Release::new("1.5.0").with("platform", "darwin"));
    acme.publish(Release::new("1.0.0").with("arch", "arm64"));

    let version = |channel: &str, platform: &str, arch: &str| {
        let path = acme.check_path("0.1").replace("channel=stable", &format!("channel={channel}"));
        let path = path.replace("platform=linux", &format!("platform={platform}"));
        acme.get(&path.replace("arch=amd64", &format!("arch={arch}"))).ok()["version"].clone()
    };
    assert_eq!(version("stable", "linux", "amd64"), "1.0.0");
    assert_eq!(version("beta", "linux", "amd64"), "2.0.0");
    assert_eq!(version("stable", "darwin", "amd64"), "1.5.0");
    assert_eq!(version("stable", "linux", "arm64"), "1.0.0");
    assert_eq!(version("beta", "darwin", "arm64"), Value::Null);
}

fn a_failing_key_value_store_costs_no_answer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    world.platform().fail_key_value(true);

    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    acme.publish(Release::new("2.0.0"));
    assert_eq!(acme.check("0.1")["version"], "2.0.0");
}

/// As on Spin 4.1 with a limit of calls at the same time. The database does not get the load that the store refuses.
fn too_many_calls_of_the_key_value_store_are_a_503(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    world.platform().refuse_key_value(true);

    for path in [acme.check_path("0.1"), "/apps/latest?app_name=notes&owner=acme".to_owned()] {
        let refused = acme.get(&path).send().expect(503);
        assert_eq!(refused.header("retry-after"), "5", "{path}");
        assert_eq!(refused.json()["code"], "key_value_unavailable", "{path}");
    }
    world.platform().refuse_key_value(false);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}

fn a_store_without_atomics_answers_nothing_old(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    world.platform().fail_atomics(true);

    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        acme.publish(Release::new(version));
        for _ in 0..2 {
            assert_eq!(acme.check("0.1")["version"], version);
        }
    }
    let id = acme.get("/search?app_name=notes&limit=1").ok()["items"][0]["ID"].as_str().unwrap().to_owned();
    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    assert_eq!(acme.check("0.1")["version"], "1.1.0");
}

fn a_fresh_record_answers_without_the_database(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    world.platform().fail_sql(true);

    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    assert_eq!(acme.check_as("device", "0.2")["version"], "1.0.0");
}

fn a_record_is_derived_again_after_a_minute(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    // As another deployment that shares the database and not the key-value store.
    world.database().execute("UPDATE releases SET changelog = 'from elsewhere'", []).unwrap();
    world.database().execute("UPDATE users SET revision = revision + 1", []).unwrap();

    world.advance(55);
    assert_eq!(acme.check("0.1").get("changelog"), None);
    world.advance(6);
    assert_eq!(acme.check("0.1")["changelog"], "from elsewhere");
}

fn a_record_that_is_too_old_is_renewed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    assert_eq!(acme.check("0.1").get("changelog"), None);
    // As another deployment that shares the database and not the key-value store.
    world.database().execute("UPDATE releases SET changelog = 'from elsewhere'", []).unwrap();
    world.database().execute("UPDATE users SET revision = revision + 1", []).unwrap();
    assert_eq!(acme.check("0.1").get("changelog"), None);

    world.age_records(61);

    // A host may take a moment to see what another process has written to its store.
    until("the record is renewed", RENEWAL_LIMIT, || {
        (acme.check("0.1")["changelog"] == "from elsewhere").then_some(())
    });
    // Nothing has changed since, so the record is only confirmed, and answers as before.
    world.age_records(61);
    assert_eq!(acme.check("0.1")["changelog"], "from elsewhere");
}

fn unchanged_data_is_not_read_again(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    // No change is ever made without a new revision, so whether this one is seen tells whether releases are read.
    world.database().execute("UPDATE releases SET changelog = 'read again'", []).unwrap();

    world.advance(61);
    assert_eq!(acme.check("0.1").get("changelog"), None);
    // The record is fresh again.
    world.platform().fail_sql(true);
    world.advance(59);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    world.platform().fail_sql(false);
    // Now and then it is read at any revision.
    world.advance(15 * 60);
    assert_eq!(acme.check("0.1")["changelog"], "read again");
}

fn other_addresses_show_within_a_minute(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    world.platform().set_variable("s3_public_url", "https://cdn.example/files");

    world.advance(61);

    let url = acme.check("0.1")["update_url_deb"].as_str().unwrap().to_owned();
    assert!(url.starts_with("https://cdn.example/files/"), "{url}");
}

fn a_database_that_fails_is_no_missing_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    world.advance(61);
    world.platform().fail_sql(true);

    let answer = acme.get(&acme.check_path("0.1")).send();

    assert_eq!(answer.refusal(), (503, "the database is unavailable".to_owned()));
}
