//! `GET /telemetry/beacon`.

use std::time::Duration;

use spindrift_db::SqlValue;

use crate::world::World;

fn expect(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[test]
fn a_beacon_is_counted_once_a_day() {
    let world = World::new();
    for version in ["1.0.0", "9.9", "v1.1.0"] {
        assert_eq!(world.beacon("device one", version, ""), expect(204, ""));
    }
    let rows =
        world.sql("SELECT day, app_id, version, channel, platform, arch, is_latest, requests FROM telemetry");
    let expected = [
        20_778_i64.into(),
        "notes".into(),
        "1.1.0".into(),
        "stable".into(),
        "linux".into(),
        "amd64".into(),
        1_i64.into(),
        3_i64.into(),
    ];
    assert_eq!(rows, [expected]);
    world.platform.advance(Duration::from_hours(24));
    world.beacon("device one", "1.0.0", "");
    assert_eq!(
        world.sql("SELECT is_latest FROM telemetry ORDER BY day DESC LIMIT 1"),
        [[SqlValue::Integer(0)]]
    );
    assert_eq!(world.rows(), 2);
    assert!(!format!("{:?}", world.sql("SELECT * FROM telemetry")).contains("device one"));
}

#[test]
fn the_devices_own_is_latest_is_stored() {
    let world = World::new();
    world.beacon("d", "1.0.0", "&is_latest=true");
    assert_eq!(world.sql("SELECT is_latest FROM telemetry"), [[SqlValue::Integer(1)]]);
    world.beacon("d", "1.1.0", "&is_latest=false");
    assert_eq!(world.sql("SELECT is_latest FROM telemetry"), [[SqlValue::Integer(0)]]);
}

#[test]
fn beacons_that_are_refused_store_nothing() {
    let world = World::new();
    let good = "app_name=notes&version=1&channel=stable&platform=linux&arch=amd64&owner=ada";
    assert_eq!(world.beacon_of("", good), expect(400, "missing X-Device-ID"));
    assert_eq!(
        world.beacon_of(&"d".repeat(129), good),
        expect(400, "invalid X-Device-ID parameter: 1 to 128 printable ASCII characters")
    );
    for name in ["app_name", "version", "channel", "platform", "arch", "owner"] {
        let without: Vec<&str> = good.split('&').filter(|pair| !pair.starts_with(name)).collect();
        assert_eq!(world.beacon_of("d", &without.join("&")), expect(400, &format!("missing {name}")));
        let bad = format!("{name}=a%2Fb&{good}");
        let (status, text) = world.beacon_of("d", &bad);
        assert!(status == 400 && text.starts_with(&format!("invalid {name} parameter: ")), "{text}");
        if name != "version" {
            let unknown = format!("{name}=unknown&{good}");
            assert_eq!(world.beacon_of("d", &unknown), expect(404, "unknown scope"), "{name}");
        }
    }
    assert_eq!(
        world.beacon("d", "1", "&is_latest=1"),
        expect(400, "invalid is_latest parameter: true or false, not \"1\"")
    );
    world.platform.set_variable("telemetry_enabled", "false");
    assert_eq!(world.beacon("d", "1", ""), expect(403, "telemetry is disabled"));
    assert_eq!(world.rows(), 0);
}

#[test]
fn a_scope_with_nothing_published_is_known() {
    let world = World::new();
    let todo = "app_name=todo&version=1+5&channel=stable&platform=linux&arch=amd64&owner=ada";
    assert_eq!(world.beacon_of("d", todo), expect(204, ""));
    let rows = world.sql("SELECT app_id, version, is_latest FROM telemetry");
    assert_eq!(rows, [["todo".into(), "1+5".into(), SqlValue::Integer(1)]]);
}

#[test]
fn without_a_key_the_service_makes_one_and_keeps_it() {
    let world = World::new();
    let devices = || world.sql("SELECT DISTINCT device FROM telemetry").len();
    world.platform.set_variable("device_hash_key", "");
    for version in ["1.0.0", "1.1.0"] {
        assert_eq!(world.beacon("d", version, ""), expect(204, ""));
        world.platform.advance(Duration::from_hours(24));
    }
    assert_eq!((world.rows(), devices()), (2, 1), "the same device on both days");
    let made = world.sql("SELECT length(value) FROM generated_secrets WHERE name = 'device_hash_key'");
    assert_eq!(made, [[SqlValue::Integer(64)]]);
    world.platform.set_variable("device_hash_key", "a key of the owner's");
    world.beacon("d", "1.0.0", "");
    assert_eq!(devices(), 2, "another key makes it another device");
}

#[test]
fn a_write_that_fails_changes_no_answer() {
    let world = World::new();
    world.beacon("d", "1", "");
    world.platform.fail_sql(true);
    // The key-value store already has the record of the scope.
    assert_eq!(world.beacon("e", "1", ""), expect(204, ""));
    world.platform.fail_sql(false);
    assert_eq!(world.rows(), 1);
}
