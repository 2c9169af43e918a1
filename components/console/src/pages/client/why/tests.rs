use serde_json::json;

use super::*;

/// A published release of `stable` with a `.deb` for linux, changed by `change`.
fn release(version: &str, change: &[(&str, serde_json::Value)]) -> ReleaseEntry {
    let mut entry = json!({
        "ID": version, "AppName": "notes", "Version": version, "Channel": "stable", "Published": true,
        "Critical": false, "Intermediate": false, "RolloutPercent": 100, "RolloutSeed": "seed", "Created_at": "t",
        "Updated_at": "t", "Artifacts": [artifact("deb", "manual")], "Changelog": [],
    });
    for (key, value) in change {
        entry[*key] = value.clone();
    }
    serde_json::from_value(entry).unwrap()
}

fn artifact(package: &str, updater: &str) -> serde_json::Value {
    json!({
        "id": "1", "link": "l", "platform": "linux", "arch": "", "package": package, "updater": updater, "size": 1,
        "md5": "", "has_signature": false, "offered": true, "TufSigned": false,
    })
}

fn client(version: &str) -> Client {
    let scope = Scope {
        owner: "acme".parse().unwrap(),
        app: "notes".parse().unwrap(),
        channel: Some("stable".parse().unwrap()),
        platform: Some("linux".parse().unwrap()),
        arch: None,
    };
    Client { scope, version: version.parse().unwrap(), device: None, updater: Updater::Manual }
}

fn why(client: &Client, releases: &[ReleaseEntry]) -> (Option<String>, Vec<(String, Verdict)>) {
    let why = Why::of(client, releases, &[]);
    let newer = why.newer.into_iter().map(|(version, verdict)| (version.to_string(), verdict));
    (why.offered.map(|version| version.to_string()), newer.collect())
}

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

const OFFERED: Verdict = Verdict::Offered { client_decides: None };

#[test]
fn clients_see_only_releases_for_their_place() {
    let mut unlisted = artifact("deb", "manual");
    unlisted["offered"] = json!(false);
    let releases = [
        release("1.6.0", &[("Published", json!(false))]),
        release("1.5.0", &[("Channel", json!("beta"))]),
        release("1.4.0", &[("Artifacts", json!([]))]),
        release("1.3.0", &[("Artifacts", json!([unlisted]))]),
        release("1.2.0", &[]),
        release("1.1.0", &[]),
        release("1.0.0", &[]),
    ];
    let (offered, newer) = why(&client("1.0.0"), &releases);
    assert_eq!(offered.as_deref(), Some("1.2.0"));
    assert_eq!(
        newer,
        [
            ("1.6.0".to_owned(), Verdict::Draft),
            ("1.5.0".to_owned(), Verdict::OtherChannel("beta".to_owned())),
            ("1.4.0".to_owned(), Verdict::NoFile),
            ("1.3.0".to_owned(), Verdict::NotListed),
            ("1.2.0".to_owned(), OFFERED),
            ("1.1.0".to_owned(), Verdict::Surpassed { by: version("1.2.0") }),
        ]
    );
}

#[test]
fn a_channel_offers_what_it_includes() {
    let releases = [release("1.1.0", &[("Channel", json!("beta"))])];
    let why = Why::of(&client("1.0.0"), &releases, &["beta".to_owned()]);
    assert_eq!(why.offered, Some(version("1.1.0")));
}

/// The devices 1 and 2 are at 78 and 27 for this seed: see the core's tests.
#[test]
fn a_rollout_reaches_some_devices() {
    let releases = [release("1.1.0", &[("RolloutPercent", json!(50))]), release("1.0.0", &[])];
    let mut client = client("1.0.0");
    assert_eq!(
        why(&client, &releases).1,
        [("1.1.0".to_owned(), Verdict::Offered { client_decides: Some(50) })]
    );
    for (device, verdict) in
        [("device-1", Verdict::NotRolledOut { position: Some(78), percent: 50 }), ("device-2", OFFERED)]
    {
        client.device = Some(device.parse().unwrap());
        assert_eq!(why(&client, &releases).1, [("1.1.0".to_owned(), verdict)], "{device}");
    }
}

#[test]
fn an_updater_that_cannot_decide_gets_only_complete_rollouts() {
    let mut signed = json!([artifact("appimage", "manual")]);
    signed[0]["has_signature"] = json!(true);
    let releases = [
        release("1.2.0", &[("RolloutPercent", json!(50)), ("Artifacts", signed.clone())]),
        release("1.1.0", &[("Artifacts", signed)]),
    ];
    let tauri = Client { updater: Updater::Tauri, ..client("1.0.0") };
    let (offered, newer) = why(&tauri, &releases);
    assert_eq!(offered.as_deref(), Some("1.1.0"));
    assert_eq!(newer[0].1, Verdict::NotRolledOut { position: None, percent: 50 });
}

#[test]
fn an_updater_sees_what_it_installs() {
    let releases =
        [release("1.3.0", &[]), release("1.2.0", &[("Artifacts", json!([artifact("nupkg", "velopack")]))])];
    let velopack = Client { updater: Updater::Velopack, ..client("1.0.0") };
    assert_eq!(
        why(&velopack, &releases).1,
        [("1.3.0".to_owned(), Verdict::NotInstallable), ("1.2.0".to_owned(), OFFERED)]
    );
    assert_eq!(why(&client("1.0.0"), &releases).0.as_deref(), Some("1.3.0"));
}

#[test]
fn an_intermediate_comes_first() {
    let releases = [
        release("1.3.0", &[]),
        release("1.2.0", &[("Intermediate", json!(true)), ("RolloutPercent", json!(50))]),
        release("1.1.0", &[]),
        release("1.0.0", &[]),
    ];
    let mut client = client("1.0.0");
    let held = || Verdict::HeldBack { by: version("1.2.0") };
    for (device, offered, intermediate, below) in [
        ("device-2", "1.2.0", OFFERED, Verdict::Surpassed { by: version("1.2.0") }),
        ("device-1", "1.1.0", Verdict::NotRolledOut { position: Some(78), percent: 50 }, OFFERED),
    ] {
        client.device = Some(device.parse().unwrap());
        let (is_offered, newer) = why(&client, &releases);
        assert_eq!(is_offered.as_deref(), Some(offered), "{device}");
        assert_eq!(
            newer,
            [("1.3.0".to_owned(), held()), ("1.2.0".to_owned(), intermediate), ("1.1.0".to_owned(), below)]
        );
    }
}

#[test]
fn a_client_may_be_ahead() {
    let ahead = Why::of(&client("2.0.0"), &[release("1.0.0", &[])], &[]);
    assert_eq!(ahead, Why { offered: None, newer: Vec::new(), is_ahead: true });
    assert!(!Why::of(&client("1.0.0"), &[release("1.0.0", &[])], &[]).is_ahead);
}
