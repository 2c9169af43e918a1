//! `GET /apps/latest`.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{
    Account, Client, Driver, PUBLIC_BUCKET, Release, World, full_package, on_hosts, squirrel, until, velopack,
};

/// How long the runner of `.wasm` files may take to see that another process has written to its key-value store.
const RENEWAL_LIMIT: Duration = Duration::from_secs(10);

on_hosts! {
    every: [
        everything_newest_is_listed,
        every_combination_of_filters_narrows,
        one_build_is_a_redirect_to_its_download,
        nothing_has_the_text_of_the_interface,
        required_parameters_are_named,
        unused_dimensions_are_called_default,
        a_release_held_at_0_is_passed_over,
        a_release_in_a_partial_rollout_is_passed_over,
        a_partial_rollout_is_better_than_nothing,
        only_published_artifacts_count,
        each_place_has_its_own_newest,
        answers_can_be_cached,
        a_private_app_links_to_the_download_call,
        all_four_filters_are_always_one_download,
        every_change_is_in_the_next_answer,
        a_channel_offers_what_it_includes,
        a_record_that_is_too_old_is_renewed,
        the_database_is_not_asked,
    ],
    in_process: [a_failing_store_is_no_absence, unchanged_data_is_not_read_again],
}

/// Two channels, two platforms, two architectures, and releases in most of them.
fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.create_platform("windows");
    acme.create_arch("arm64");
    acme.publish(Release::empty("1.0.0").file("n.deb", "old deb").file("n.rpm", "old rpm"));
    acme.publish(Release::empty("2.0.0").file("n.deb", "deb").file("n.rpm", "rpm"));
    acme.publish(Release::empty("2.0.0").file("n.deb", "arm deb").with("arch", "arm64"));
    acme.publish(Release::empty("2.0.0").file("n.exe", "exe").with("platform", "windows"));
    acme.publish(Release::empty("3.0.0-beta.1").file("n.deb", "beta").with("channel", "beta"));
    acme
}

fn path(filters: &str) -> String {
    format!("/apps/latest?app_name=notes&owner=acme{filters}")
}

fn build(world: &World, place: &str, file: &str) -> Value {
    json!({ "url": format!("{}/{PUBLIC_BUCKET}/acme/notes/{place}/notes-{file}", world.store().url()) })
}

fn everything_newest_is_listed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    let expected = json!({
        "stable": {
            "linux": {
                "amd64": {
                    "deb": build(&world, "stable/linux/amd64", "2.0.0.deb"),
                    "rpm": build(&world, "stable/linux/amd64", "2.0.0.rpm"),
                },
                "arm64": { "deb": build(&world, "stable/linux/arm64", "2.0.0.deb") },
            },
            "windows": { "amd64": { "exe": build(&world, "stable/windows/amd64", "2.0.0.exe") } },
        },
        "beta": { "linux": { "amd64": { "deb": build(&world, "beta/linux/amd64", "3.0.0-beta.1.deb") } } },
    });
    assert_eq!(acme.get(&path("")).ok(), expected);
    assert_eq!(world.get(&path("")).ok(), expected, "nobody has to log in");
}

/// The places and packages of an answer, as `channel/platform/arch/package`.
fn leaves(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (channel, platforms) in body.as_object().unwrap() {
        for (platform, archs) in platforms.as_object().unwrap() {
            for (arch, packages) in archs.as_object().unwrap() {
                found.extend(
                    packages.as_object().unwrap().keys().map(|p| format!("{channel}/{platform}/{arch}/{p}")),
                );
            }
        }
    }
    found.sort();
    found
}

fn every_combination_of_filters_narrows(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let all = leaves(&acme.get(&path("")).ok());
    assert_eq!(all.len(), 5);

    for combination in 0..16 {
        let mut filters = String::new();
        let mut expected = all.clone();
        for (position, (name, value)) in
            [("channel", "stable"), ("platform", "linux"), ("arch", "amd64"), ("package", "deb")]
                .iter()
                .enumerate()
        {
            if combination & (1 << position) != 0 {
                filters = format!("{filters}&{name}={value}");
                expected.retain(|leaf| leaf.split('/').nth(position) == Some(value));
            }
        }
        let answer = acme.get(&path(&filters)).send();
        match expected.as_slice() {
            [one] => assert_eq!((answer.status, one.as_str()), (302, "stable/linux/amd64/deb"), "{filters}"),
            _ => assert_eq!(leaves(&answer.expect(200).json()), expected, "{filters}"),
        }
    }
    assert_eq!(
        leaves(&acme.get(&path("&package=DEB&platform=linux&channel=stable")).ok()).len(),
        2,
        "of either case"
    );
}

fn one_build_is_a_redirect_to_its_download(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    for (filters, content) in [
        ("&channel=stable&platform=linux&arch=amd64&package=deb", "deb"),
        ("&channel=beta", "beta"),
        ("&platform=windows", "exe"),
        ("&package=exe", "exe"),
        ("&arch=arm64", "arm deb"),
    ] {
        let answer = acme.get(&path(filters)).send().expect(302);
        assert_eq!(answer.body.len(), 0);
        let download = Client::new("").get(answer.header("location")).send().expect(200);
        assert_eq!(download.text(), content, "{filters}");
        assert_eq!(acme.head(&path(filters)).send().header("location"), answer.header("location"));
    }
}

fn nothing_has_the_text_of_the_interface(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let nothing = (404, "No matching data found for the provided parameters".to_owned());

    for filters in
        ["&channel=nightly", "&platform=darwin", "&arch=mips", "&package=msi", "&channel=beta&arch=arm64"]
    {
        assert_eq!(acme.get(&path(filters)).send().refusal(), nothing, "{filters}");
    }
    assert_eq!(acme.get("/apps/latest?app_name=other&owner=acme").send().refusal(), nothing);
    assert_eq!(acme.get("/apps/latest?app_name=notes&owner=nobody").send().refusal(), nothing);
}

fn required_parameters_are_named(host: Driver) {
    let world = World::new(host);
    let ask = |query: &str| world.get(&format!("/apps/latest{query}")).send().refusal();
    let refused = |text: &str| (400, text.to_owned());

    assert_eq!(ask(""), refused("missing app_name"));
    assert_eq!(ask("?app_name=notes"), refused("missing owner"));
    assert_eq!(ask("?owner=acme"), refused("missing app_name"));
    for (name, value) in [("channel", "a%20b"), ("platform", "a%2Fb"), ("arch", ".."), ("package", "a%20b")] {
        let query = format!("?app_name=notes&owner=acme&{name}={value}");
        assert_eq!(ask(&query), refused(&format!("invalid {name} parameter")));
    }
    assert_eq!(ask("?app_name=a%2Fb&owner=acme"), refused("invalid app_name parameter"));
    assert_eq!(ask("?app_name=notes&owner=a%20b"), refused("invalid owner parameter"));
}

fn unused_dimensions_are_called_default(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    let bare = Release::empty("1.0.0").without("channel").without("platform").without("arch");

    acme.publish(bare.file("n.deb", "deb").file("n.rpm", "rpm"));

    let body = acme.get(&path("")).ok();
    assert_eq!(leaves(&body), ["default/default/default/deb", "default/default/default/rpm"]);
    assert_eq!(
        body["default"]["default"]["default"]["deb"],
        build(&world, "default/default/default", "1.0.0.deb")
    );
}

fn a_release_held_at_0_is_passed_over(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let stable = "&channel=stable&platform=linux&arch=amd64&package=deb";

    acme.publish(Release::empty("9.0.0").file("n.deb", "held back").rollout(0));

    let answer = acme.get(&path(stable)).send().expect(302);
    assert!(answer.header("location").ends_with("notes-2.0.0.deb"), "{}", answer.header("location"));
    let id = acme.release("9.0.0").id.to_string();
    let _ = acme.edit(&id, json!({ "rollout": 100 })).expect(200);
    let answer = acme.get(&path(stable)).send().expect(302);
    assert!(answer.header("location").ends_with("notes-9.0.0.deb"), "{}", answer.header("location"));
}

fn a_release_in_a_partial_rollout_is_passed_over(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let newest = || acme.get(&path("&arch=arm64")).send().expect(302).header("location").to_owned();

    for (version, rollout) in [("9.0.0", 10), ("9.1.0", 99)] {
        acme.publish(Release::empty(version).file("n.deb", "x").with("arch", "arm64").rollout(rollout));
        assert!(newest().ends_with("notes-2.0.0.deb"), "{}", newest());
    }
    let id = acme.release("9.0.0").id.to_string();
    let _ = acme.edit(&id, json!({ "rollout": 100 })).expect(200);
    assert!(newest().ends_with("notes-9.0.0.deb"), "{}", newest());
}

fn a_partial_rollout_is_better_than_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let newest = || acme.get(&path("&arch=riscv64")).send().header("location").to_owned();
    acme.create_arch("riscv64");

    for (version, rollout) in [("9.0.0", 10), ("9.1.0", 50), ("9.2.0", 0)] {
        acme.publish(Release::empty(version).file("n.deb", "x").with("arch", "riscv64").rollout(rollout));
    }

    assert!(newest().ends_with("notes-9.1.0.deb"), "{}", newest());
    // Releases of included channels count as the channel's own.
    acme.post_json("/channel/create", json!({ "channel": "nightly", "includes": ["stable"] })).ok();
    let nightly =
        Release::empty("10.0.0").file("n.deb", "x").with("arch", "riscv64").with("channel", "nightly");
    acme.publish(nightly.rollout(1));
    let newest = acme.get(&path("&arch=riscv64&channel=nightly")).send().expect(302);
    assert!(newest.header("location").ends_with("notes-10.0.0.deb"), "{}", newest.header("location"));
}

fn only_published_artifacts_count(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let stable = "&channel=stable&platform=linux&arch=amd64&package=deb";

    let id = acme.upload(&Release::empty("9.0.0").file("n.deb", "not yet"));

    let answer = acme.get(&path(stable)).send().expect(302);
    assert!(answer.header("location").ends_with("notes-2.0.0.deb"));
    let _ = acme.edit(&id, json!({ "publish": true })).expect(200);
    let answer = acme.get(&path(stable)).send().expect(302);
    assert!(answer.header("location").ends_with("notes-9.0.0.deb"), "the next answer knows it");
}

fn each_place_has_its_own_newest(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    acme.publish(Release::empty("2.1.0").file("n.deb", "x"));

    let body = acme.get(&path("&channel=stable&platform=linux")).ok();
    let linux = &body["stable"]["linux"];
    assert_eq!(linux["amd64"], json!({ "deb": build(&world, "stable/linux/amd64", "2.1.0.deb") }));
    assert_eq!(linux["arm64"], json!({ "deb": build(&world, "stable/linux/arm64", "2.0.0.deb") }));
}

fn answers_can_be_cached(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    let answer = acme.get(&path("")).send().expect(200);
    let tag = answer.header("etag").to_owned();
    assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate");
    let again = acme.get(&path("")).header("if-none-match", &tag).send().expect(304);
    assert_eq!((again.body.len(), again.header("etag")), (0, tag.as_str()));
    let redirect = acme.get(&path("&channel=beta")).send().expect(302);
    assert_eq!(redirect.header("cache-control"), "public, max-age=60, must-revalidate");
}

fn a_private_app_links_to_the_download_call(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "my secret", "private": true }));
    acme.publish(Release::new("1.0.0").with("app_name", "my secret"));

    let answer = world.get("/apps/latest?app_name=my%20secret&owner=acme").send().expect(302);

    let key = "acme%2Fmy%20secret%2Fstable%2Flinux%2Famd64%2Fmy%20secret-1.0.0.deb";
    assert_eq!(answer.header("location"), format!("{}/download?key={key}", world.url()));
}

fn all_four_filters_are_always_one_download(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform_with("windows", &["manual", "squirrel_windows", "velopack"]);
    let location = |filters: &str| {
        acme.get(&path(&format!("&channel=stable{filters}"))).send().expect(302).header("location").to_owned()
    };
    for (version, release) in
        [("1.1.0", squirrel("1.1.0", &["1.0.0"])), ("1.2.0", velopack("1.2.0", &["1.1.0"]))]
    {
        acme.publish(release);

        let full = location("&platform=windows&arch=amd64&package=nupkg");
        assert!(full.ends_with(&full_package(version)), "{full}");
        let delta = location("&platform=windows&arch=amd64&package=delta");
        assert!(delta.ends_with(&format!("Notes-{version}-delta.nupkg")), "{delta}");
    }
    // Block maps, of which a release may have several.
    acme.publish(Release::empty("1.0.0").file("a.exe.blockmap", "a").file("b.exe.blockmap", "b"));
    let first = location("&platform=linux&arch=amd64&package=blockmap");
    assert_eq!(location("&platform=linux&arch=amd64&package=blockmap"), first);
    // An application without dimensions.
    let bare = world.admin("bare");
    bare.create_app("notes");
    let release = Release::empty("1.0.0").without("channel").without("platform").without("arch");
    bare.publish(release.file("n.deb", "deb").file("n.rpm", "rpm"));
    let all =
        "/apps/latest?app_name=notes&owner=bare&channel=default&platform=default&arch=default&package=rpm";
    assert!(world.get(all).send().expect(302).header("location").ends_with("notes-1.0.0.rpm"));
}

fn every_change_is_in_the_next_answer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let stable = "&channel=stable&platform=linux&arch=amd64&package=deb";
    let newest = |filters: &str| {
        let location = acme.get(&path(filters)).send().header("location").to_owned();
        location.rsplit('/').next().unwrap_or_default().to_owned()
    };
    assert_eq!(newest(stable), "notes-2.0.0.deb");

    acme.publish(Release::empty("2.1.0").file("n.deb", "x"));
    assert_eq!(newest(stable), "notes-2.1.0.deb");
    let id = acme.release("2.1.0").id.to_string();
    let _ = acme.edit(&id, json!({ "publish": false })).expect(200);
    assert_eq!(newest(stable), "notes-2.0.0.deb");
    let _ = acme.edit(&id, json!({ "publish": true })).expect(200);
    assert_eq!(newest(stable), "notes-2.1.0.deb");
    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    assert_eq!(newest(stable), "notes-2.0.0.deb");

    let beta = acme.release("3.0.0-beta.1").id.to_string();
    let _ = acme.delete(&format!("/apps/delete?id={beta}")).send().expect(200);
    assert_eq!(acme.get(&path("&channel=beta")).send().status, 404);
}

fn a_channel_offers_what_it_includes(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let beta = &acme.get("/channel/list").ok()["channels"][0];
    assert_eq!(beta["ChannelName"], "beta");
    acme.publish(Release::empty("3.0.0").file("n.deb", "final").with("arch", "arm64"));

    let body = json!({ "id": beta["ID"], "includes": ["stable"] });
    let _ = acme.post_json("/channel/update", body).send().expect(200);

    let builds = acme.get(&path("&channel=beta")).ok();
    assert_eq!(
        leaves(&builds),
        ["beta/linux/amd64/deb", "beta/linux/arm64/deb", "beta/windows/amd64/exe"],
        "the newest of both in each place"
    );
    let arm64 = build(&world, "stable/linux/arm64", "3.0.0.deb");
    assert_eq!(builds["beta"]["linux"]["arm64"]["deb"], arm64);
}

/// As another deployment that shares the database and not the key-value store: of all releases only 1.0.0 is left.
fn unpublish_elsewhere(world: &World) {
    world.database().execute("UPDATE releases SET published = 0 WHERE version <> '1.0.0'", []).unwrap();
}

fn a_record_that_is_too_old_is_renewed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let rpm = "&package=rpm";
    let newest = || acme.get(&path(rpm)).send().expect(302).header("location").to_owned();
    assert!(newest().ends_with("notes-2.0.0.rpm"));
    unpublish_elsewhere(&world);
    world.database().execute("UPDATE users SET revision = revision + 1", []).unwrap();
    assert!(newest().ends_with("notes-2.0.0.rpm"));

    world.age_records(61);

    until("the record is renewed", RENEWAL_LIMIT, || newest().ends_with("notes-1.0.0.rpm").then_some(()));
    // Nothing has changed since, so the record is only confirmed, and answers as before.
    world.age_records(61);
    assert!(newest().ends_with("notes-1.0.0.rpm"));
}

fn unchanged_data_is_not_read_again(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let newest = || acme.get(&path("&package=rpm")).send().expect(302).header("location").to_owned();
    // No change is ever made without a new revision, so whether this one is seen tells whether releases are read.
    unpublish_elsewhere(&world);

    world.advance(61);
    assert!(newest().ends_with("notes-2.0.0.rpm"));
    // The record is fresh again.
    world.platform().fail_sql(true);
    world.advance(59);
    assert!(newest().ends_with("notes-2.0.0.rpm"));
    world.platform().fail_sql(false);
    // Now and then it is read at any revision.
    world.advance(15 * 60);
    assert!(newest().ends_with("notes-1.0.0.rpm"));
}

fn the_database_is_not_asked(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let all = acme.get(&path("")).ok();

    acme.publish(Release::empty("2.1.0").file("n.deb", "x"));

    world.without_owners(|| {
        let answer =
            acme.get(&path("&channel=stable&platform=linux&arch=amd64&package=deb")).send().expect(302);
        assert!(answer.header("location").ends_with("notes-2.1.0.deb"));
        assert_eq!(acme.get(&path("&channel=nightly")).send().status, 404);
        assert_ne!(acme.get(&path("")).ok(), all);
    });
}

fn a_failing_store_is_no_absence(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    world.platform().fail_sql(true);
    assert_eq!(acme.get("/apps/latest?app_name=other&owner=acme").send().status, 503);
    world.platform().fail_sql(false);
    world.platform().fail_key_value(true);
    assert_eq!(acme.get(&path("&platform=windows")).send().status, 302);
}
