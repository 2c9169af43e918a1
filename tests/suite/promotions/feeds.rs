//! Promoted releases in the feeds of native updaters.

use serde_json::json;
use spindrift_tests::{Driver, World, on_hosts};

use crate::natives::{self, NATIVES};

on_hosts! { every: [every_feed_has_them] }

fn every_feed_has_them(host: Driver) {
    let world = World::new(host);
    let (acme, newest) = natives::publish_in(&world, "beta");
    for (place, (native, release)) in NATIVES.iter().zip(&newest).enumerate() {
        let (old, new) = (format!("1.{place}.0"), format!("2.{place}.0"));
        let feed = || world.get(&format!("{}/{}", native.folder(&old), native.file)).send();
        let has_new = || feed().text().contains(&new);
        assert!(!has_new(), "{}", native.platform);
        let order = json!({ "channel": "stable", "publish": true });
        let _ = acme.post_json(&format!("/releases/{release}/promote"), order).send().expect(201);
        assert!(has_new(), "{}: {}", native.platform, feed().text());
        let halt = json!({ "action": "halt", "channel": "stable" });
        let _ = acme.post_json(&format!("/releases/{release}/rollout"), halt).send().expect(200);
        assert!(!has_new(), "{}", native.platform);
    }
}
