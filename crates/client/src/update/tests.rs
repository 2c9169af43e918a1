use super::*;

/// A release, identified by its version.
fn offer(version: &str) -> Offer {
    let link = PackageUrl { package: "deb".into(), url: format!("https://d.example/{version}.deb") };
    Offer { version: Some(version.into()), package_urls: vec![link], ..Offer::default() }
}

fn answer(percent: u8, fallback: Option<Offer>) -> UndecidedAnswer {
    UndecidedAnswer {
        update_available: true,
        offer: offer("2.0"),
        possible_rollback: false,
        withdrawn: None,
        unmet: None,
        varies_with: Vec::new(),
        shut_off: false,
        rollout: Some(Rollout { part: BasisPoints::from_percent(percent), seed: "seed".into() }),
        fallback,
        error: None,
    }
}

/// The buckets of the devices are 78 and 27: the first 16 digits of `printf 'device-1:seed' | sha256sum`,
/// modulo 100.
#[test]
fn rollouts_decide_by_device() {
    for (device, percent, admitted) in [
        ("device-1", 0, false),
        ("device-1", 78, false),
        ("device-1", 79, true),
        ("device-1", 100, true),
        ("device-2", 27, false),
        ("device-2", 28, true),
        ("", 0, false),
        ("", 99, false),
        ("", 100, true),
    ] {
        for fallback in [None, Some(offer("1.5"))] {
            let device = device.parse::<DeviceId>().ok();
            let update = answer(percent, fallback.clone()).decide(device.as_ref(), Source::Edge);

            assert_eq!(update.held_back, !admitted);
            let expected = if admitted { Some(offer("2.0")) } else { fallback.clone() };
            assert_eq!(update.update_available, expected.is_some());
            assert_eq!(update.offer, expected.unwrap_or_default());
            assert_eq!(update.fallback, fallback);
            assert_eq!(update.rollout.unwrap().part.percent(), percent);
        }
    }
}

#[test]
fn without_a_rollout_everybody_may() {
    let update = UndecidedAnswer { rollout: None, ..answer(0, None) }.decide(None, Source::Api);
    assert_eq!((update.update_available, update.held_back, update.offer), (true, false, offer("2.0")));
}

/// A device with the newest release still gets its links.
#[test]
fn without_an_update_there_is_nothing_to_hold_back() {
    let answer = UndecidedAnswer { update_available: false, possible_rollback: true, ..answer(0, None) };
    let update = answer.decide(None, Source::Api);
    assert_eq!((update.update_available, update.held_back, update.offer), (false, false, offer("2.0")));
    assert!(update.possible_rollback);
}

#[test]
fn an_update_always_has_a_version() {
    let full =
        |answer: UndecidedAnswer| UndecidedAnswer { rollout: None, ..answer }.decide(None, Source::Edge);
    let result = full(answer(0, None));
    let update = result.clone().into_update().unwrap().unwrap();
    assert_eq!((update.version.as_str(), update.source), ("2.0", Source::Edge));
    assert_eq!(update.url_of("deb"), result.offer.url_of("deb"));
    assert_eq!(update.url_of(""), None);

    let none = full(UndecidedAnswer { update_available: false, ..answer(0, None) });
    assert_eq!(none.into_update(), Ok(None));
    let unnamed = full(UndecidedAnswer { offer: Offer { version: None, ..offer("2.0") }, ..answer(0, None) });
    assert_eq!(unnamed.into_update(), Err(MissingVersion));
}

#[test]
fn links_by_package() {
    let offer = Offer { update_url: Some("https://d.example/app".into()), ..offer("2.0") };
    assert_eq!(offer.url_of("deb"), Some("https://d.example/2.0.deb"));
    assert_eq!(offer.url_of(""), Some("https://d.example/app"));
    assert_eq!(offer.url_of("rpm"), None);
}

#[test]
fn a_patch_is_read_from_other_answers() {
    let patch = json!({
        "url": "https://d.example/a.patch", "length": 7, "sha256": "a".repeat(64), "format": "bidiff+brotli",
        "base_sha256": "b".repeat(64), "file_length": 20, "file_sha256": "c".repeat(64),
    });
    let read = Patch::from_json("appimage", &patch).unwrap();
    assert_eq!((read.package.as_str(), read.length, read.file_length), ("appimage", 7, 20));
    for (key, value) in
        [("format", json!("vcdiff")), ("sha256", json!("a")), ("length", json!("7")), ("url", json!(null))]
    {
        let mut other = patch.clone();
        other[key] = value;
        assert_eq!(Patch::from_json("appimage", &other), None, "{key}");
    }
    assert_eq!(Patch::from_json("appimage", &Value::Null), None);
}
