use super::*;

fn report() -> FailureReport {
    FailureReport {
        app: "notes".parse().unwrap(),
        version: "v1.2.3".parse().unwrap(),
        channel: "stable".parse().unwrap(),
        platform: "linux".parse().unwrap(),
        arch: "amd64".parse().unwrap(),
        event: EventType::Crash,
        reason: "segv".parse().unwrap(),
    }
}

/// Computed with `printf 'notes|1.2.3|stable|linux|amd64|crash|segv' | sha256sum`.
const HASH: &str = "39e6feb7e7f2e56721d5123b009adc7b7bc99d18de8be8ae4374d6328907d157";

#[test]
fn hash_vector() {
    assert_eq!(report().group_hash().as_str(), HASH);
}

#[test]
fn every_field_makes_another_group() {
    let base = report();
    let others = [
        FailureReport { app: "Notes".parse().unwrap(), ..base.clone() },
        FailureReport { version: "1.2.4".parse().unwrap(), ..base.clone() },
        FailureReport { channel: "beta".parse().unwrap(), ..base.clone() },
        FailureReport { platform: "darwin".parse().unwrap(), ..base.clone() },
        FailureReport { arch: "arm64".parse().unwrap(), ..base.clone() },
        FailureReport { event: EventType::UpdateFailure, ..base.clone() },
        FailureReport { reason: "oom".parse().unwrap(), ..base.clone() },
    ];
    for other in others {
        assert_ne!(other.group_hash(), base.group_hash(), "{other:?}");
    }
}

#[test]
fn event_types_and_statuses() {
    for text in ["crash", "startup_failure", "update_failure", "install_failure", "rollback_failure"] {
        assert_eq!(text.parse::<EventType>().unwrap().as_str(), text);
    }
    for bad in ["", "Crash", "crash ", "other"] {
        assert!(bad.parse::<EventType>().is_err(), "{bad:?}");
    }
    for text in ["open", "resolved", "muted"] {
        assert_eq!(text.parse::<GroupStatus>().unwrap().as_str(), text);
    }
    assert!("closed".parse::<GroupStatus>().is_err());
}

#[test]
fn reasons() {
    for good in ["a", "E_01.x-y", &"r".repeat(128)] {
        assert!(good.parse::<Reason>().is_ok(), "{good}");
    }
    for bad in ["", "a b", "a|b", "ä", "<b>", "a\n", "a/b", &"r".repeat(129)] {
        assert!(bad.parse::<Reason>().is_err(), "{bad:?}");
    }
}

#[test]
fn hashes() {
    assert!(HASH.parse::<GroupHash>().is_ok());
    for bad in ["", &HASH.to_uppercase(), &HASH[1..], &format!("{HASH}0"), "g".repeat(64).as_str()] {
        assert!(bad.parse::<GroupHash>().is_err(), "{bad}");
    }
}

#[test]
fn the_other_group_is_one_that_a_report_could_have() {
    let [version, channel, platform, arch, event, reason] = OTHER_GROUP;
    let other = FailureReport {
        app: "notes".parse().unwrap(),
        version: version.parse().unwrap(),
        channel: channel.parse().unwrap(),
        platform: platform.parse().unwrap(),
        arch: arch.parse().unwrap(),
        event: event.parse().unwrap(),
        reason: reason.parse().unwrap(),
    };
    assert_eq!(GroupHash::of_other(&other.app), other.group_hash());
    assert_eq!(other.version.as_str(), version, "in normal form");
}

#[test]
fn counters_are_told_apart() {
    let (hash, app, other) = (report().group_hash(), Id::from_text("1"), Id::from_text("2"));
    let (one, two): (DeviceId, DeviceId) = ("d1".parse().unwrap(), "d2".parse().unwrap());
    assert_eq!(hash.subject(&app).len(), 40);
    assert_ne!(hash.subject(&app), hash.subject(&other));
    let [key, another] = ["key", "another"].map(DeviceHashKey::new);
    for key in [None, key.as_ref()] {
        let subject = hash.device_subject(&app, &one, key);
        assert_eq!(subject.len(), 40);
        assert_ne!(subject, hash.device_subject(&app, &two, key));
        assert_ne!(subject, hash.device_subject(&other, &one, key));
        assert_ne!(subject, hash.device_subject(&app, &one, another.as_ref()));
    }
}

#[test]
fn paths() {
    let now = Timestamp::from_millis(1_795_225_422_000);
    let path = blob_path(&"My App".parse().unwrap(), now, &report().group_hash(), [0, 1, 2, 3, 4, 5, 6, 255]);
    assert_eq!(path, format!("reports/My App/2026/11/21/{HASH}-00010203040506ff.json.gz"));
}

#[test]
fn tags_and_notes() {
    let given = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(checked_tags(given(&["b", "a", "b"])).unwrap(), given(&["b", "a"]));
    assert!(checked_tags((0..20).map(|n| n.to_string()).collect()).is_ok());
    assert!(checked_tags((0..21).map(|n| n.to_string()).collect()).is_err());
    assert!(checked_tags(vec!["ä".repeat(64)]).is_ok());
    for bad in [String::new(), "t".repeat(65), "a\n".into()] {
        assert!(checked_tags(vec![bad.clone()]).is_err(), "{bad:?}");
    }
    assert!(checked_note("ä".repeat(4000)).is_ok() && checked_note("n".repeat(4001)).is_err());
}
