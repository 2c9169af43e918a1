//! Metadata that nobody renews.

use spindrift_tests::trust::repository::{
    LIST_DAYS, ROOT_DAYS, SNAPSHOT_DAYS, TARGETS, TIMESTAMP_DAYS, TestRepository,
};

use super::super::{days_ago, package, repository};
use super::{Scene, with_channel};

const CHANNEL: &str = "channel-stable";

/// The next version of a role is some days old, and what is above it is new.
fn with_old(role: &str, ago: i64, good: &TestRepository) -> TestRepository {
    let mut repository = good.clone();
    let (old, now) = (days_ago(ago), days_ago(0));
    match role {
        "root" => repository.write_root(good.keys.clone(), old),
        "timestamp" => repository.write_timestamp(old),
        "snapshot" => {
            repository.commit(old);
            repository.write_timestamp(now);
        }
        list => {
            repository.write_list(list, old);
            repository.commit(now);
        }
    }
    repository
}

/// The role is accepted a day before its end, and refused a day after it.
fn expires(role: &str, days: i64, reasons: [&str; 3]) {
    let (good, nightly, stable) = with_channel(1);
    let scene = Scene::of(&good, &[&nightly, &stable]);
    let good = with_old(role, days - 1, &good);
    scene.show(&good);
    scene.all_get(&[&nightly, &stable]);
    scene.show(&with_old(role, days + 1, &good));
    scene.all_refuse(&stable, reasons);
}

#[test]
fn an_expired_timestamp() {
    let reasons = [
        "timestamp metadata is expired",
        "ExpiredMetadataError: timestamp",
        "ExpiredMetadataError: Final timestamp",
    ];
    expires("timestamp", TIMESTAMP_DAYS, reasons);
}

#[test]
fn an_expired_snapshot() {
    expires(
        "snapshot",
        SNAPSHOT_DAYS,
        ["snapshot metadata is expired", "ExpiredMetadataError: snapshot", "snapshot.json is expired"],
    );
}

#[test]
fn an_expired_list() {
    expires(
        TARGETS,
        LIST_DAYS,
        ["targets metadata is expired", "ExpiredMetadataError: New targets", "targets.json is expired"],
    );
}

#[test]
fn an_expired_list_of_a_channel() {
    expires(
        CHANNEL,
        LIST_DAYS,
        [
            "targets metadata is expired",
            "ExpiredMetadataError: New channel-stable",
            "channel-stable.json is expired",
        ],
    );
}

#[test]
fn an_expired_root() {
    expires(
        "root",
        ROOT_DAYS,
        ["root metadata is expired", "ExpiredMetadataError: Final root", "ExpiredMetadataError: Final root"],
    );
}

/// The mirror shows for ever what an installation has seen when it was good.
#[test]
fn a_timestamp_that_has_grown_old_with_the_installation() {
    let target = package("stable", "1.0.0");
    let good = repository(0, &target);
    let scene = Scene::of(&good, &[&target]);
    let mut frozen = good.clone();
    frozen.pretend("timestamp", good.version("timestamp") - 1);
    frozen.write_timestamp(days_ago(TIMESTAMP_DAYS + 1));
    assert_eq!(frozen.version("timestamp"), good.version("timestamp"));
    for (_, app) in &scene.known {
        app.keep("timestamp", &frozen.metadata["timestamp.json"]);
    }
    scene.show(&frozen);
    let reasons = [
        "timestamp metadata is expired",
        "ExpiredMetadataError: timestamp",
        "Final timestamp.json is expired",
    ];
    scene.all_refuse(&target, reasons);
}
