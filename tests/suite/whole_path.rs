//! The whole path of a release, once.

use serde_json::json;
use spindrift_tests::{Client, Driver, Release, World, on_hosts};

on_hosts! {
    every: [a_release_goes_from_its_publisher_to_a_client],
}

fn a_release_goes_from_its_publisher_to_a_client(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();

    let id = acme.publish(Release::new("1.0.0"));

    let found = acme.release("1.0.0");
    assert_eq!((found.id.as_str(), found.published), (id.as_str(), true));
    let answer = acme.check("0.9.0");
    assert_eq!((&answer["update_available"], &answer["version"]), (&json!(true), &json!("1.0.0")));
    let url = answer["update_url_deb"].as_str().unwrap();
    assert_eq!(Client::new("").get(url).send().expect(200).text(), "notes 1.0.0");
}
