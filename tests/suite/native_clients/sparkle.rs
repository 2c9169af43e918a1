//! Sparkle 2.

use spindrift_tests::native_clients::sparkle::{Archive, SigningKey, SparkleApp, appcast, verify};
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{acme, base, link, program, roll_out};

on_hosts! {
    every: [
        the_highest_item_is_downloaded_and_verified,
        a_delta_to_the_installed_build_is_preferred,
        an_item_for_other_systems_is_passed_over,
        there_may_be_nothing_newer,
        an_item_keeps_its_bytes,
        a_signed_appcast_keeps_its_signature,
    ],
}

/// A version, and the build that orders it.
const OLD: (&str, &str) = ("1.0.0", "2041");
const NEW: (&str, &str) = ("1.1.0", "2107");

fn name(version: &str) -> String {
    format!("Notes-{version}.zip")
}

/// The item's archive, with further elements.
fn xml(key: &SigningKey, (version, build): (&str, &str), more: &str) -> String {
    let (file_name, bytes) = (name(version), program(version));
    let archive = Archive { file_name: &file_name, version, build, bytes: &bytes, more };
    appcast("Notes", &[archive], key)
}

fn release((version, _): (&str, &str), xml: &str) -> Release {
    let release = Release::empty(version).with("platform", "darwin").with("updater", "sparkle");
    release.file(&name(version), program(version)).feed("appcast.xml", xml)
}

fn signed(key: &SigningKey, item: (&str, &str)) -> Release {
    release(item, &xml(key, item, ""))
}

fn app(world: &World, (version, build): (&str, &str), key: &SigningKey) -> SparkleApp {
    SparkleApp::new(&(base(world, "darwin", version) + "appcast.xml"), build, &key.public_key())
}

/// The feed as it is on the wire.
fn served(world: &World, version: &str) -> String {
    world.get(&super::path("darwin", version, "appcast.xml")).send().expect(200).text()
}

fn the_highest_item_is_downloaded_and_verified(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let key = SigningKey::generate();
    acme.publish(signed(&key, OLD));
    let history = [OLD, NEW].map(|(version, build)| (name(version), version, build, program(version)));
    let archives = history.each_ref().map(|(file_name, version, build, bytes)| Archive {
        file_name,
        version,
        build,
        bytes,
        more: "<sparkle:criticalUpdate/>",
    });
    acme.publish(release(NEW, &appcast("Notes", &archives, &key)));
    let app = app(&world, ("0.9.0", "1999"), &key);

    let item = app.check().unwrap().unwrap();

    assert_eq!((item.build.as_str(), item.version.as_deref(), item.critical), (NEW.1, Some(NEW.0), true));
    assert!(item.deltas.is_empty());
    assert_eq!(app.download(&item).unwrap(), program(NEW.0));
    let stranger = SparkleApp { public_key: SigningKey::generate().public_key(), ..app };
    assert!(stranger.download(&item).is_err());
}

fn a_delta_to_the_installed_build_is_preferred(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let key = SigningKey::generate();
    let deltas = format!(
        "<sparkle:deltas><enclosure url=\"Notes2107-2041.delta\" length=\"10\" sparkle:deltaFrom=\"2041\" \
         type=\"application/octet-stream\" sparkle:edSignature=\"{}\"/></sparkle:deltas>",
        key.sign(b"difference")
    );
    acme.publish(signed(&key, OLD));
    acme.publish(release(NEW, &xml(&key, NEW, &deltas)).file("Notes2107-2041.delta", "difference"));

    let old = app(&world, OLD, &key);
    assert_eq!(old.download(&old.check().unwrap().unwrap()).unwrap(), b"difference");
    let older = app(&world, ("0.9.0", "1999"), &key);
    assert_eq!(older.download(&older.check().unwrap().unwrap()).unwrap(), program(NEW.0));
}

fn an_item_for_other_systems_is_passed_over(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let key = SigningKey::generate();
    acme.publish(signed(&key, OLD));
    let until_14 = "<sparkle:maximumSystemVersion>14.9</sparkle:maximumSystemVersion>";
    acme.publish(release(NEW, &xml(&key, NEW, until_14)));
    let found = |system: &str| {
        let app = SparkleApp { system: system.to_owned(), ..app(&world, ("0.9.0", "1999"), &key) };
        app.check().unwrap().map(|item| app.download(&item).unwrap())
    };

    assert_eq!(found("14.2"), Some(program(NEW.0)));
    assert_eq!(found("15.0"), Some(program(OLD.0)));
    assert_eq!(found("10.12"), None);
}

fn there_may_be_nothing_newer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let key = SigningKey::generate();
    acme.publish(signed(&key, OLD));
    let newest = acme.publish(signed(&key, NEW).rollout(0));

    assert_eq!(app(&world, OLD, &key).check(), Ok(None), "held back");
    roll_out(&acme, &newest, 100);
    assert!(app(&world, OLD, &key).check().unwrap().is_some());
    for installed in [NEW, ("2.0.0", "3000")] {
        assert_eq!(app(&world, installed, &key).check(), Ok(None), "{installed:?}");
    }
}

fn an_item_keeps_its_bytes(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let key = SigningKey::generate();
    let more = "<description><![CDATA[<b>Faster</b> &amp; &#x1F680; \u{fc}]]></description>\n\n \
                <sparkle:phasedRolloutInterval>86400</sparkle:phasedRolloutInterval>";
    let xml = xml(&key, NEW, more);
    acme.publish(release(NEW, &xml));

    let (start, end) = (xml.find("<item>").unwrap(), xml.find("</item>").unwrap());
    let address = link(&world, "sparkle", "darwin", NEW.0, &name(NEW.0));
    let item = xml[start..end].replace(&format!("url=\"{}\"", name(NEW.0)), &format!("url=\"{address}\""));
    let feed = served(&world, OLD.0);
    assert!(feed.contains(&item), "{feed}");
    let described = app(&world, OLD, &key).check().unwrap().unwrap().description;
    assert_eq!(described.as_deref(), Some("<b>Faster</b> &amp; &#x1F680; \u{fc}"));
}

fn a_signed_appcast_keeps_its_signature(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let key = SigningKey::generate();
    let address = link(&world, "sparkle", "darwin", NEW.0, &name(NEW.0));
    let xml = xml(&key, NEW, "").replace(&format!("\"{}\"", name(NEW.0)), &format!("\"{address}\"")) + "\n";
    let signature = key.sign(xml.as_bytes());
    let comment = format!("<!-- sparkle-signatures:\nedSignature: {signature}\nlength: {}\n-->\n", xml.len());
    acme.publish(release(NEW, &(xml.clone() + &comment)));

    let feed = served(&world, OLD.0);
    assert_eq!(verify(&key.public_key(), &feed.as_bytes()[..xml.len()], &signature), Ok(()));
    assert!(feed.ends_with(&comment), "{feed}");
    let app = app(&world, OLD, &key);
    assert_eq!(app.download(&app.check().unwrap().unwrap()).unwrap(), program(NEW.0));
}
