//! Somebody has the service: its database, its bucket, its secret. Every way to a file that the publisher did not sign is
//! tried, and none leads to one.

use serde_json::{Value, json};
use spindrift_client::{HttpSettings, HttpTransport, TrustError};
use spindrift_tests::trust::app::App;
use spindrift_tests::trust::key::{RootKeys, Signers, TestKey};
use spindrift_tests::trust::publisher::{entry, file};
use spindrift_tests::trust::repository::{LIST_DAYS, TARGETS, TestRepository};
use spindrift_tests::trust::role::{Channel, TestTarget};
use spindrift_tests::{Account, Driver, PUBLIC_BUCKET, Release, TUF_SECRET, on_hosts};

use super::super::days_ago;
use super::super::library::refusal;
use super::super::service::target;
use super::hosted::{Hosted, json};
use super::{NOT_LISTED, UNSIGNED, get, refuse};

on_hosts! {
    every: [a_list_that_the_publisher_did_not_sign],
    in_process: [
        a_root_that_its_holders_did_not_sign,
        signers_of_a_channel_that_the_publisher_did_not_name,
        a_file_in_place_of_a_signed_one,
        an_old_list,
        what_the_service_may_do,
        checks_that_offer_anything,
        calls_without_the_publishers_key,
    ],
}

/// A program that its publisher does not know, where clients would look for it.
fn malware(hosted: &Hosted) -> TestTarget {
    let target = TestTarget { bytes: b"malware".to_vec(), ..target("6.6.6") };
    hosted.world.store().write(PUBLIC_BUCKET, &target.key(), &target.bytes);
    target
}

/// Every key that the secret gives.
fn stolen(hosted: &Hosted) -> Vec<TestKey> {
    let key = |purpose, generation| TestKey::of_service(TUF_SECRET, &hosted.app_id, purpose, generation);
    vec![key("online", 1), key("online", 2), key("targets", 1), key("targets", 2)]
}

fn a_list_that_the_publisher_did_not_sign(host: Driver) {
    let (mut hosted, target) = Hosted::new(host);
    let malware = malware(&hosted);
    let stolen = stolen(&hosted);
    for signers in [vec![], stolen[..1].to_vec(), stolen[2..3].to_vec(), stolen] {
        let apps = hosted.installations();
        get(&apps, &[&target]);
        let before = hosted.repository.clone();
        let mut hostile = before.clone();
        // `publish` signs with what it takes for the publisher's keys.
        hostile.keys.targets = Signers { keys: signers, threshold: 1 };
        hostile.publish([malware.clone()], days_ago(0));
        hosted.take(&hostile);
        for apps in [&apps, &hosted.installations()] {
            refuse(apps, &malware, UNSIGNED);
            refuse(apps, &target, UNSIGNED);
        }
        hosted.restore(&hostile, &before);
        get(&apps, &[&target]);
        refuse(&apps, &malware, [NOT_LISTED; 3]);
    }
}

/// A root that names the thief's keys, signed by them and by all that the secret gives.
fn a_root_that_its_holders_did_not_sign(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let malware = malware(&hosted);
    let apps = hosted.installations();
    get(&apps, &[&target]);
    let mut hostile = hosted.repository.clone();
    let stolen = stolen(&hosted);
    let thief = Signers::one_of([66]);
    let keys = RootKeys {
        root: thief.clone(),
        targets: thief.clone(),
        online: hosted.repository.keys.online.clone(),
    };
    let signers: Vec<_> = stolen.iter().chain(&thief.keys).cloned().collect();
    hostile.write_root_by(keys, &signers, days_ago(0));
    hostile.publish([malware.clone()], days_ago(0));
    hosted.take(&hostile);
    for apps in [&apps, &hosted.installations()] {
        refuse(apps, &malware, UNSIGNED);
    }
}

fn signers_of_a_channel_that_the_publisher_did_not_name(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let malware = malware(&hosted);
    let apps = hosted.installations();
    get(&apps, &[&target]);
    let mut hostile = hosted.repository.clone();
    let stolen = stolen(&hosted);
    hostile.keys.targets = Signers { keys: stolen.clone(), threshold: 1 };
    hostile.delegate(Channel { name: "stable".to_owned(), signers: Signers::one_of([66]) }, days_ago(0));
    hostile.publish([malware.clone()], days_ago(0));
    hosted.take(&hostile);
    for apps in [&apps, &hosted.installations()] {
        refuse(apps, &malware, UNSIGNED);
    }

    // A list of a channel that nobody has delegated to is never asked for.
    let mut beside = hosted.repository.clone();
    let list = hostile.metadata[&hostile.newest("channel-stable")].clone();
    beside.put("channel-stable", hostile.version("channel-stable"), list);
    beside.commit(days_ago(0));
    beside.commit(days_ago(0));
    hosted.take(&beside);
    refuse(&hosted.installations(), &malware, [NOT_LISTED; 3]);
}

/// Other bytes in the bucket, and the database says that they are right.
fn a_file_in_place_of_a_signed_one(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let apps = hosted.installations();
    get(&apps, &[&target]);
    let mut bytes = target.bytes.clone();
    bytes.reverse();
    hosted.world.store().write(PUBLIC_BUCKET, &target.key(), &bytes);
    let said = "UPDATE artifacts SET sha256 = ?1, sha512 = ?2";
    let digests = [spindrift_tests::sha256_hex(&bytes), spindrift_tests::sha512_hex(&bytes)];
    let _rows = hosted.world.database().execute(said, digests).unwrap();
    for apps in [&apps, &hosted.installations()] {
        let reasons = ["Hash mismatch", "LengthOrHashMismatchError", "LengthOrHashMismatchError"];
        // The service's route knows digests from the database and does not find the target any more.
        for (place, app) in apps.iter().filter(|(place, _)| place.name == "bucket") {
            super::refuses(app, place, &target, reasons);
        }
        for (place, app) in apps {
            let _none = app.update(place, &target).unwrap_err();
        }
    }
}

fn an_old_list(host: Driver) {
    let (mut hosted, old) = Hosted::new(host);
    let first = hosted.repository.version(TARGETS);
    let new = hosted.release("1.1.0");
    let apps = hosted.installations();
    get(&apps, &[&old, &new]);
    let mut hostile = hosted.repository.clone();
    hostile.pretend(TARGETS, first);
    hostile.commit(days_ago(0));
    hosted.take(&hostile);
    refuse(
        &apps,
        &old,
        ["Role targets.json version", "BadVersionNumberError", "of targets.json is less than"],
    );
    // A client without state cannot know, until that list expires.
    get(&hosted.installations(), &[&old]);
}

/// It may go on showing the newest list, as long as that is good, and withhold everything.
fn what_the_service_may_do(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let apps = hosted.installations();
    get(&apps, &[&target]);
    let mut frozen = hosted.repository.clone();
    frozen.commit(days_ago(0));
    hosted.take(&frozen);
    get(&apps, &[&target]);
    // The publisher's list ends whatever the service signs.
    let mut over = frozen.clone();
    over.write_list(TARGETS, days_ago(LIST_DAYS + 1));
    over.commit(days_ago(0));
    hosted.take(&over);
    for apps in [&apps, &hosted.installations()] {
        refuse(
            apps,
            &target,
            ["targets metadata is expired", "ExpiredMetadataError", "targets.json is expired"],
        );
    }
}

/// The application asks the service, and verifies what it says.
fn checks_that_offer_anything(host: Driver) {
    let (mut hosted, _) = Hosted::new(host);
    let listed = hosted.release("1.1.0");
    hosted.acme.publish(Release::new("2.0.0").with_digests());
    let transport = HttpTransport::new(&HttpSettings { proxies: false, ..HttpSettings::default() }).unwrap();
    let app = App::over(transport, &hosted.world.url(), &hosted.repository.metadata["1.root.json"]);
    let app = app.installed(|options| options.with_target("stable", "linux", "amd64"));
    assert_eq!(app.check().unwrap().version, "1.1.0", "2.0.0 is not listed");
    assert_eq!(app.update_of("deb").unwrap().name, listed.name);

    // The thief has checks offer what nobody has signed.
    hosted.forge("UPDATE artifacts SET listing = 'listed'");
    assert_eq!(app.check().unwrap().version, "2.0.0");
    assert_eq!(refusal(app.update_of("deb")), TrustError::NotListed { version: "2.0.0".to_owned() });
    // A version that was not released.
    hosted.forge("UPDATE releases SET version = '9.0.0', version_key = 'z' WHERE version = '2.0.0'");
    assert_eq!(refusal(app.update_of("deb")), TrustError::NotListed { version: "9.0.0".to_owned() });
    // One that is not an update.
    let newest = app.installed(|mut options| {
        "1.1.0".clone_into(&mut options.version);
        options
    });
    hosted.forge("UPDATE releases SET version = '1.0.0' WHERE version = '9.0.0'");
    assert_eq!(newest.check(), None, "an older version is not an update");
}

/// An admin's login, or a CI token, without the publisher's key.
fn calls_without_the_publishers_key(host: Driver) {
    let (mut hosted, target) = Hosted::new(host);
    let apps = hosted.installations();
    get(&apps, &[&target]);
    hosted.acme.publish(Release::new("6.6.6").with_digests());
    let uploaded = super::super::service::target("6.6.6");
    let current = hosted.publisher.version(TARGETS);
    let by = |signers: &[TestKey]| {
        let mut hostile: TestRepository = hosted.repository.clone();
        hostile.keys.targets = Signers { keys: signers.to_vec(), threshold: 1 };
        hostile.publish([uploaded.clone()], days_ago(0));
        json(&hostile.metadata[&hostile.newest(TARGETS)])
    };
    let ci = hosted.acme.ci_token(&[&hosted.app_id]);
    for key in stolen(&hosted).into_iter().chain([TestKey::from_seed(250)]) {
        let body = json!({ "metadata": { "targets": by(&[key]) } });
        for caller in [&hosted.acme, &ci] {
            let answer = caller.post_json("/tuf/v1/metadata?appName=notes", body.clone()).send();
            assert_eq!(answer.refusal(), (400, "invalid signature".to_owned()));
        }
    }
    a_list_without_signatures_stands_in_nobodys_way(&hosted, &ci, &by(&[]));
    for key in stolen(&hosted) {
        let signature = json!({ "keyid": entry(&key)["keyid"], "sig": key.sign(b"anything") });
        let answer =
            hosted.publisher.send("metadata/sign", json!({ "role": "targets", "signature": signature }));
        assert_eq!(answer.status / 100, 4, "{}", answer.text());
    }
    // A root that hands the lists over to the service.
    let mut named = hosted.publisher.named();
    named.targets = vec![hosted.publisher.service_key("targets_key")];
    let root = hosted.publisher.root_file(2, &named, &stolen(&hosted)[..1]);
    let answer = hosted.publisher.send("metadata", json!({ "metadata": { "root": root } }));
    assert_eq!(answer.refusal(), (400, "invalid signature".to_owned()));

    assert_eq!(hosted.publisher.version(TARGETS), current);
    let checked: Value = hosted.acme.check("0.9.0");
    assert_eq!(checked["version"], "1.0.0", "{checked}");
    for apps in [&apps, &hosted.installations()] {
        get(apps, &[&target]);
        refuse(apps, &uploaded, [NOT_LISTED; 3]);
    }
    // None of this keeps the publisher from signing.
    let next = hosted.release("1.1.0");
    get(&apps, &[&next]);
}

/// A list of a channel is refused too if only the same unsigned call names its signers.
fn a_list_without_signatures_stands_in_nobodys_way(hosted: &Hosted, ci: &Account, list: &Value) {
    let thief = Signers::one_of([66]);
    let beta = Channel { name: "stable".to_owned(), signers: thief.clone() };
    let delegating = file(&hosted.publisher.unsigned_list(&[], &[beta]), &[]);
    let of_channel = file(&hosted.publisher.unsigned_list(&[], &[]), &thief.keys);
    for metadata in
        [json!({ "targets": list }), json!({ "targets": delegating, "channel-stable": of_channel })]
    {
        for caller in [&hosted.acme, ci] {
            let body = json!({ "metadata": metadata });
            let answer = caller.post_json("/tuf/v1/metadata?appName=notes", body).send();
            let text = "invalid signature: none of the role's signers has signed";
            assert_eq!(
                (answer.refusal(), answer.code()),
                ((400, text.to_owned()), "invalid_signature".to_owned())
            );
        }
    }
    let waiting = hosted.publisher.get("metadata/sign").expect(200).json();
    assert_eq!(waiting["message"], "No metadata pending signing available");
}
