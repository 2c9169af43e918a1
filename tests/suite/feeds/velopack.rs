//! Velopack.

use serde_json::Value;
use spindrift_tests::{Driver, World, on_hosts, velopack};

use super::{acme, ask, fetch, link, text};

on_hosts! {
    every: [
        a_client_gets_the_full_package_and_its_deltas,
        no_update_lists_nothing_newer,
        both_spellings_of_the_notes_are_there,
        an_intermediate_is_the_end_of_the_feed,
        rollouts_are_decided_by_staging_id,
        the_installer_has_one_address,
        one_address_for_all_channels,
        packages_are_below_the_address_for_all_channels,
        default_channels_of_velopack_are_channels_of_systems,
        the_channel_may_be_in_the_path,
        packages_that_a_client_may_have_are_below_its_address,
        a_check_redirects_to_the_feed,
    ],
}

fn assets(text: &str) -> Vec<(String, String)> {
    let feed: Value = serde_json::from_str(text).unwrap();
    let assets = feed["Assets"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    assets.map(|asset| (text(&asset["Version"]), text(&asset["Type"]))).collect()
}

fn feed(world: &World, version: &str) -> Vec<(String, String)> {
    assets(&text(world, "windows", version, "releases.win.json"))
}

fn full(version: &str) -> (String, String) {
    (version.into(), "Full".into())
}

fn delta(version: &str) -> (String, String) {
    (version.into(), "Delta".into())
}

fn a_client_gets_the_full_package_and_its_deltas(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));
    acme.publish(velopack("1.1.0", &["1.0.0"]));
    acme.publish(velopack("1.2.0", &["1.0.0", "1.1.0"]));

    let mut listed = feed(&world, "1.0.0");
    listed.sort();
    assert_eq!(listed, [delta("1.1.0"), delta("1.2.0"), full("1.2.0")]);
    assert_eq!(feed(&world, "0.5.0"), [full("1.2.0")], "no delta leads there");

    let feed: Value = serde_json::from_str(&text(&world, "windows", "0.5.0", "releases.win.json")).unwrap();
    let name = feed["Assets"][0]["FileName"].as_str().unwrap();
    assert_eq!(name, "Notes-1.2.0-full.nupkg", "clients store it under this name");
    let answer = ask(&world, "windows", "0.5.0", name).expect(302);
    assert_eq!(answer.header("location"), link(&world, "velopack", "windows", "1.2.0", name));
    assert_eq!(fetch(answer.header("location")).expect(200).text(), name);
}

fn no_update_lists_nothing_newer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));

    for version in ["1.0.0", "3.0.0"] {
        assert_eq!(feed(&world, version), [full("1.0.0")], "{version}");
    }
}

fn both_spellings_of_the_notes_are_there(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));

    let feed: Value = serde_json::from_str(&text(&world, "windows", "0.1", "releases.win.json")).unwrap();
    let asset = &feed["Assets"][0];
    assert_eq!((&asset["NotesHTML"], &asset["NotesHtml"]), (&"<p>notes</p>".into(), &"<p>notes</p>".into()));
}

fn an_intermediate_is_the_end_of_the_feed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.1.0", &[]).intermediate());
    acme.publish(velopack("1.2.0", &["1.1.0"]));

    assert_eq!(feed(&world, "1.0.0"), [full("1.1.0")]);
    assert_eq!(feed(&world, "1.1.0"), [full("1.2.0"), delta("1.2.0")]);
}

fn rollouts_are_decided_by_staging_id(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));
    acme.publish(velopack("1.1.0", &[]).rollout(50));

    assert_eq!(feed(&world, "0.1"), [full("1.0.0")], "a client that cannot decide is left out");
    let (mut with, mut without) = (0, 0);
    for n in 0..30 {
        let file = format!("releases.win.json?localVersion=0.1&id=Notes&stagingId=client-{n}");
        let answer = ask(&world, "windows", "0.1", &file).expect(200);
        assert_eq!(answer.header("cache-control"), "private, no-store");
        match assets(&answer.text()).as_slice() {
            [asset] if *asset == full("1.1.0") => with += 1,
            [asset] if *asset == full("1.0.0") => without += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(with > 0 && without > 0, "{with} in, {without} out");
}

fn the_installer_has_one_address(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));
    acme.publish(velopack("1.1.0", &[]));
    acme.publish(velopack("1.2.0", &[]).rollout(0));

    let answer = ask(&world, "windows", "0", "Notes-win-Setup.exe").expect(302);

    let expected = link(&world, "velopack", "windows", "1.1.0", "Notes-win-Setup.exe");
    assert_eq!(answer.header("location"), expected);
}

fn one_address_for_all_channels(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));
    acme.publish(velopack("1.1.0", &["1.0.0"]));
    let ask = |file: &str| world.get(&format!("/velopack/acme/notes/windows/amd64/{file}")).send();

    let mut listed = assets(&ask("releases.stable.json?localVersion=1.0.0").expect(200).text());
    listed.sort();
    assert_eq!(listed, [delta("1.1.0"), full("1.1.0")]);
    assert_eq!(assets(&ask("releases.stable.json").expect(200).text()), [full("1.1.0")]);
    assert_eq!(ask("releases.beta.json").refusal(), (404, "release not found".into()));
    assert_eq!(ask("releases.nightly.json").refusal(), (404, "channel not found".into()));
    assert_eq!(
        ask("releases.stable.json?localVersion=x").refusal(),
        (400, "invalid localVersion parameter".into())
    );
    assert_eq!(ask("other.json").status, 404);
}

fn packages_are_below_the_address_for_all_channels(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));
    acme.publish(velopack("1.1.0", &["1.0.0"]).with("channel", "beta"));
    let draft = acme.upload(&velopack("1.2.0", &[]).with("publish", false));
    let ask = |file: &str| world.get(&format!("/velopack/acme/notes/windows/amd64/{file}")).send();

    for (version, channel, kind) in
        [("1.0.0", "stable", "full"), ("1.1.0", "beta", "full"), ("1.1.0", "beta", "delta")]
    {
        let name = format!("Notes-{version}-{kind}.nupkg");
        let answer = ask(&format!("{name}?localVersion=1.0.0&id=Notes")).expect(302);
        let expected =
            link(&world, "velopack", "windows", version, &name).replace("/stable/", &format!("/{channel}/"));
        assert_eq!(answer.header("location"), expected);
        assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate");
        assert_eq!(fetch(&expected).expect(200).text(), name);
        assert_eq!(
            world.client().head(&format!("/velopack/acme/notes/windows/amd64/{name}")).send().status,
            302
        );
    }
    let not_found = (404, "file not found".to_owned());
    assert_eq!(ask("Notes-1.2.0-full.nupkg").refusal(), not_found, "a draft");
    let _ = acme.edit(&draft, serde_json::json!({ "publish": true })).expect(200);
    let _ = ask("Notes-1.2.0-full.nupkg").expect(302);
    assert_eq!(ask("Other-1.0.0-full.nupkg").refusal(), not_found);
    for other in [
        "umbrella/notes/windows/amd64",
        "acme/papers/windows/amd64",
        "acme/notes/linux/amd64",
        "acme/notes/windows/a%20b",
    ] {
        let answer = world.get(&format!("/velopack/{other}/Notes-1.0.0-full.nupkg")).send();
        assert_eq!(answer.refusal(), not_found, "{other}");
    }
    assert_eq!(ask("Notes-win-Setup.exe").status, 404, "packages only");
}

fn default_channels_of_velopack_are_channels_of_systems(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.1.0", &[]));
    acme.publish(velopack("1.2.0", &[]).with("channel", "beta"));
    let ask = |channel: &str| {
        let path = format!("/velopack/acme/notes/windows/amd64/releases.{channel}.json?localVersion=1.0.0");
        world.get(&path).send()
    };

    for channel in ["win-x64-stable", "win-stable"] {
        assert_eq!(assets(&ask(channel).expect(200).text()), [full("1.1.0")], "{channel}");
    }
    assert_eq!(assets(&ask("win-arm64-beta").expect(200).text()), [full("1.2.0")]);
    assert_eq!(ask("win-nightly").refusal(), (404, "channel not found".into()));
    let (status, text) = ask("win").refusal();
    assert_eq!(status, 400);
    assert!(text.starts_with("channel is required: put it into the URL"), "{text}");
    let list = acme.get("/channel/list").ok();
    let stable = list["channels"].as_array().unwrap().iter().find(|c| c["ChannelName"] == "stable").unwrap();
    let body = serde_json::json!({ "id": stable["ID"], "default": true });
    let _ = acme.post_json("/channel/update", body).send().expect(200);
    for channel in ["win", "win-x64", "osx"] {
        assert_eq!(assets(&ask(channel).expect(200).text()), [full("1.1.0")], "{channel}");
    }
    // A channel of the owner's own comes first.
    acme.create_channel("win");
    acme.publish(velopack("1.3.0", &[]).with("channel", "win"));
    assert_eq!(assets(&ask("win").expect(200).text()), [full("1.3.0")]);
}

fn the_channel_may_be_in_the_path(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));
    acme.publish(velopack("1.1.0", &["1.0.0"]));
    acme.publish(velopack("1.2.0", &["1.1.0"]).with("channel", "beta"));
    let ask = |channel: &str, file: &str| {
        world.get(&format!("/velopack/acme/notes/{channel}/windows/amd64/{file}")).send()
    };

    for name in ["win", "stable", "win-x64-stable"] {
        let feed = ask("stable", &format!("releases.{name}.json?localVersion=1.0.0"));
        let mut listed = assets(&feed.expect(200).text());
        listed.sort();
        assert_eq!(listed, [delta("1.1.0"), full("1.1.0")], "{name}");
    }
    assert_eq!(assets(&ask("beta", "releases.win.json").expect(200).text()), [full("1.2.0")]);
    assert_eq!(ask("nightly", "releases.win.json").refusal(), (404, "channel not found".into()));
    for (channel, version, expected) in
        [("stable", "1.1.0", 302), ("beta", "1.2.0", 302), ("beta", "1.1.0", 404)]
    {
        let name = format!("Notes-{version}-full.nupkg");
        assert_eq!(ask(channel, &name).status, expected, "{channel} {name}");
    }
    assert_eq!(ask("stable", "Notes-win-Setup.exe").status, 404, "packages only");
}

/// Clients do not say who they are when they ask for a package.
fn packages_that_a_client_may_have_are_below_its_address(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));
    acme.publish(velopack("1.1.0", &["1.0.0"]).rollout(0));
    acme.publish(velopack("1.2.0", &["1.1.0"]).rollout(10));

    for name in ["Notes-1.2.0-full.nupkg", "Notes-1.2.0-delta.nupkg", "Notes-1.1.0-delta.nupkg"] {
        for base in
            ["/update/acme/notes/stable/windows/amd64/1.0.0", "/velopack/acme/notes/stable/windows/amd64"]
        {
            let answer = world.get(&format!("{base}/{name}")).send().expect(302);
            assert_eq!(fetch(answer.header("location")).expect(200).text(), name);
        }
    }
}

fn a_check_redirects_to_the_feed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));

    let path = acme.check_path("1.0.0").replace("linux", "windows");
    let answer = world.get(&format!("{path}&updater=velopack")).send().expect(302);

    let expected = format!("{}{}", world.url(), super::path("windows", "1.0.0", "releases.win.json"));
    assert_eq!(answer.header("location"), expected);
    assert_eq!(assets(&fetch(&expected).expect(200).text()), [full("1.0.0")]);
}
