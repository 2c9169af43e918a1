//! Sparkle 2.

use serde_json::json;
use spindrift_tests::{Driver, Release, World, appcast, on_hosts, sparkle, sparkle_item};

use super::{acme, ask, fetch, link, text};

on_hosts! {
    every: [
        items_are_served_as_they_were_written,
        older_items_follow_for_older_systems,
        an_intermediate_is_the_end_of_the_feed,
        rollouts_hold_back_indistinguishable_clients,
        a_signed_appcast_is_served_byte_for_byte,
        a_check_redirects_to_the_feed,
        an_item_without_a_file_is_served,
        enclosures_get_the_lengths_of_their_files,
    ],
}

/// The item as it is served.
fn served(world: &World, version: &str) -> String {
    let name = format!("Notes-{version}.zip");
    let url = link(world, "sparkle", "darwin", version, &name);
    sparkle_item(version, &name).replace(&format!("'{name}'"), &format!("'{url}'"))
}

fn items_are_served_as_they_were_written(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(sparkle("1.0.0"));

    let answer = ask(&world, "darwin", "0.1", "appcast.xml?osVersion=15.1&cputype=16777228").expect(200);

    assert_eq!(answer.header("content-type"), "application/xml; charset=utf-8");
    let xml = answer.text();
    assert!(xml.contains(&served(&world, "1.0.0")), "{xml}");
    let url = link(&world, "sparkle", "darwin", "1.0.0", "Notes-1.0.0.zip");
    assert_eq!(fetch(&url).expect(200).text(), "Notes-1.0.0.zip");
}

fn older_items_follow_for_older_systems(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(sparkle("1.0.0"));
    acme.publish(sparkle("1.1.0"));

    let xml = text(&world, "darwin", "0.1", "appcast.xml");
    let (new, old) = (xml.find(&served(&world, "1.1.0")), xml.find(&served(&world, "1.0.0")));
    assert!(new.is_some() && new < old, "{xml}");
}

fn an_intermediate_is_the_end_of_the_feed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(sparkle("1.1.0").intermediate());
    acme.publish(sparkle("1.2.0"));

    assert!(!text(&world, "darwin", "1.0.0", "appcast.xml").contains("1.2.0"));
    assert!(text(&world, "darwin", "1.1.0", "appcast.xml").contains("1.2.0"));
}

fn rollouts_hold_back_indistinguishable_clients(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(sparkle("1.0.0"));
    acme.publish(sparkle("1.1.0").rollout(99));

    let xml = text(&world, "darwin", "0.1", "appcast.xml");
    assert!(xml.contains("1.0.0") && !xml.contains("1.1.0"), "{xml}");
}

fn a_signed_appcast_is_served_byte_for_byte(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let name = "Notes-1.0.0.zip";
    let url = link(&world, "sparkle", "darwin", "1.0.0", name);
    let item = sparkle_item("1.0.0", name).replace(&format!("'{name}'"), &format!("'{url}'"));
    let xml = appcast(&[item]);
    let signed =
        format!("{xml}<!-- sparkle-signatures:\nedSignature: c2lnbmVk\nlength: {}\n-->\n", xml.len());
    let release = Release::empty("1.0.0").with("platform", "darwin");
    let release = release.with("updater", "sparkle").file(name, name).feed("appcast.xml", signed.clone());

    acme.publish(release);

    assert_eq!(text(&world, "darwin", "0.1", "appcast.xml"), signed);
}

fn a_check_redirects_to_the_feed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(sparkle("1.0.0"));

    let path = acme.check_path("1.0.0").replace("linux", "darwin");
    let answer = world.get(&format!("{path}&updater=sparkle")).send().expect(302);

    let expected = format!("{}{}", world.url(), super::path("darwin", "1.0.0", "appcast.xml"));
    assert_eq!(answer.header("location"), expected);
}

/// An item that only tells people where the new version is.
fn informing(version: &str) -> String {
    format!(
        "<item>\n<title>Version {version}</title>\n<link>https://acme.example/{version}</link>\n\
         <sparkle:version>{version}</sparkle:version><sparkle:informationalUpdate/>\n</item>"
    )
}

fn an_item_without_a_file_is_served(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(sparkle("1.0.0"));
    let before = text(&world, "darwin", "0.1", "appcast.xml");
    assert!(!before.contains("2.0.0"), "{before}");
    let release = Release::empty("2.0.0").with("platform", "darwin").with("updater", "sparkle");
    let id = acme.publish(release.feed("appcast.xml", appcast(&[informing("2.0.0")])));

    let xml = text(&world, "darwin", "0.1", "appcast.xml");
    let (new, old) = (xml.find(&informing("2.0.0")), xml.find(&served(&world, "1.0.0")));
    assert!(new.is_some() && new < old, "{xml}");

    acme.publish(sparkle("2.1.0"));
    let xml = text(&world, "darwin", "0.1", "appcast.xml");
    assert!(xml.find(&served(&world, "2.1.0")) < xml.find(&informing("2.0.0")), "{xml}");
    let _ = acme.edit(&id, json!({ "publish": false })).expect(200);
    assert!(!text(&world, "darwin", "0.1", "appcast.xml").contains("2.0.0"), "it is taken back");
}

fn enclosures_get_the_lengths_of_their_files(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    for (version, length) in [("1.0.0", "length=\"0\""), ("1.1.0", "")] {
        let name = format!("Notes-{version}.zip");
        let item = sparkle_item(version, &name).replace("length=\"15\"", length);
        let release = Release::empty(version).with("platform", "darwin").with("updater", "sparkle");
        let release = release.file(&name, name.as_str()).feed("appcast.xml", appcast(&[item]));
        acme.publish(release.without_lengths());

        let xml = text(&world, "darwin", "0.1", "appcast.xml");
        let url = link(&world, "sparkle", "darwin", version, &name);
        let enclosure = xml.lines().find(|line| line.contains(&url)).unwrap();
        assert!(enclosure.contains("length=\"15\"") && !enclosure.contains("\"0\""), "{enclosure}");
    }
}
