//! Documents: fields of uploads, signed metadata, reports, and answers of a storage.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_fuzz_properties as properties;
use spindrift_trust::{
    Delegations, Expires, FileMeta, Head, Lifetime, MetadataVersion, NewSigners, PublicKey, Role, RootRole,
    Signed, SigningKey, SnapshotRole, TargetCustom, TargetFile, TargetsRole, TimestampRole,
};

use crate::cases::check;
use crate::mutation::sometimes_changed;

/// Pieces of JSON.
const JSON: &[&str] = &[
    "null",
    "{}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "1e9",
    "-1",
    "\\u0000",
    "\\ud800",
    "\\n",
    "true",
    "\"name\":1,",
    " ",
];

#[test]
fn uploads() {
    let name = "[A-Za-z0-9 ._\u{e9}-]{1,12}\\.(zip|deb|nupkg|yml|RELEASES)";
    let entry = (name, "[0-9a-fA-F]{32}", option::of("[0-9a-f]{64}"), option::of(any::<u32>())).prop_map(
        |(name, md5, sha256, length)| json!({ "name": name, "md5": md5, "sha256": sha256, "length": length, "x": [1] }),
    );
    let files = vec(entry, 0..5).prop_map(Value::from);
    let flag = || prop_oneof![Just(json!(true)), Just(json!("false")), Just(Value::Null)];
    let text = "[ -~\u{e9}\n]{0,20}";
    let data = (
        "[A-Za-z][A-Za-z0-9]{0,9}",
        "[0-9]\\.[0-9]{1,3}(-rc\\.1)?",
        flag(),
        flag(),
        text,
        option::of(0..120_u8),
    )
        .prop_map(|(app, version, publish, critical, changelog, rollout)| {
            json!({
                "app_name": app, "version": version, "channel": "stable", "platform": "", "publish": publish,
                "critical": critical, "changelog": changelog, "rollout": rollout, "signature": changelog,
            })
        });
    let inputs = prop_oneof![files, data].prop_map(|value: Value| value.to_string().into_bytes());
    check(properties::uploads, 1000, sometimes_changed(inputs, JSON));
}

/// A key of a person.
fn key(number: u8) -> SigningKey {
    SigningKey::from_seed([number; 32]).unwrap()
}

fn public(number: u8) -> PublicKey {
    key(number).public().clone()
}

fn head() -> impl Strategy<Value = Head> {
    (1..1_u64 << 53, 1..3650_u16, 0..4_000_000_000_000_i64).prop_map(|(version, days, now)| Head {
        version: MetadataVersion::from_number(version).unwrap(),
        expires: Expires::after(Lifetime::from_days(days).unwrap(), Timestamp::from_millis(now)),
    })
}

fn root() -> impl Strategy<Value = Vec<u8>> {
    (head(), 1..9_u8, 1..4_usize).prop_map(|(head, keys, threshold)| {
        let keys: Vec<PublicKey> = (1..=keys).map(public).collect();
        let threshold = threshold.min(keys.len());
        written(
            RootRole::new(
                head,
                NewSigners::new(keys.clone(), threshold),
                NewSigners::new(keys, 1),
                public(99),
            )
            .unwrap(),
            &[key(1)],
        )
    })
}

fn targets() -> impl Strategy<Value = Vec<u8>> {
    let file = ("[a-z]{1,5}", 0..9_u8, any::<u32>()).prop_map(|(channel, number, length)| {
        let custom = TargetCustom {
            repository: "ada/My App".parse().unwrap(),
            version: format!("1.2.{number}").parse().unwrap(),
            channel: Some(channel.parse().unwrap()),
            platform: None,
            arch: Some("amd64".parse().unwrap()),
            package: "deb".parse().unwrap(),
        };
        let (sha256, sha512) = ("0a".repeat(32).parse().unwrap(), "0b".repeat(64).parse().unwrap());
        let name = format!("ada/My%20App/{channel}/default/amd64/a-1.2.{number}.deb").parse().unwrap();
        (name, TargetFile::new(length.into(), sha256, sha512, custom).unwrap())
    });
    let channels = select(vec![vec![], vec!["stable"], vec!["a", "b"]]);
    (head(), vec(file, 0..4), channels).prop_map(|(head, files, channels)| {
        let is_delegated = !channels.is_empty();
        let channels = channels
            .into_iter()
            .map(|name: &str| (name.parse().unwrap(), NewSigners::new(vec![public(4)], 1)))
            .collect();
        let delegations = is_delegated.then(|| Delegations::new(channels).unwrap());
        written(TargetsRole::new(head, files.into_iter().collect(), delegations).unwrap(), &[key(1), key(2)])
    })
}

fn others() -> impl Strategy<Value = Vec<u8>> {
    let meta = (1..1_u64 << 53, vec(any::<u8>(), 0..9)).prop_map(|(version, bytes)| {
        FileMeta::of(MetadataVersion::from_number(version).unwrap(), &bytes).unwrap()
    });
    let snapshot = (head(), meta.clone(), vec(("[a-z]{1,5}", meta.clone()), 0..3)).prop_map(
        |(head, targets, channels)| {
            let channels = channels.into_iter().map(|(name, meta)| (name.parse().unwrap(), meta)).collect();
            written(SnapshotRole::after(None, head, targets, channels), &[key(3)])
        },
    );
    let timestamp =
        (head(), meta).prop_map(|(head, snapshot)| written(TimestampRole { head, snapshot }, &[key(3)]));
    prop_oneof![snapshot, timestamp]
}

fn written<R: Role>(role: R, keys: &[SigningKey]) -> Vec<u8> {
    let mut signed = Signed::unsigned(role);
    signed.sign(keys).unwrap();
    signed.to_bytes().unwrap()
}

#[test]
fn metadata() {
    let indented = |bytes: Vec<u8>| {
        serde_json::to_vec_pretty(&serde_json::from_slice::<Value>(&bytes).unwrap()).unwrap()
    };
    let file = || prop_oneof![root(), targets(), others()];
    let inputs = prop_oneof![3 => file(), 1 => file().prop_map(indented)];
    check(properties::metadata, 600, sometimes_changed(inputs, JSON));
}

#[test]
fn reports() {
    let packed = |text: String, level: u32| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let object = prop_oneof![
        3 => "[ \n]{0,3}\\{(\"[a-z]{1,3}\":(1|\"x\"|\\[\\]))?\\}[ \n]{0,3}",
        1 => "[ -~]{0,20}",
        1 => (100_000..140_000_usize).prop_map(|length| format!("{{\"a\":\"{}\"}}", "x".repeat(length))),
    ];
    let details = (object, 0..=9_u32).prop_map(move |(text, level)| packed(text, level));
    let report = ("[a-z]{1,9}", "(crash|startup_failure|x)", "[a-zA-Z0-9._ -]{0,9}").prop_map(
        |(version, event, reason)| {
            let body = json!({
                "application": { "name": "notes", "version": version, "channel": "stable" },
                "system": { "platform": "linux", "arch": "amd64" },
                "event": { "type": event, "reason": reason },
            });
            body.to_string().into_bytes()
        },
    );
    let words = &["\x1f", "\0", "\x08", "\x01", "{", "}", "\"", ",", "null"];
    check(properties::reports, 256, sometimes_changed(prop_oneof![4 => details, 1 => report], words));
}

#[test]
fn storage_answers() {
    let key = prop_oneof![3 => "[a-z/.]{1,20}", 1 => "[ -~\u{e9}]{1,9}"];
    let object = (key, any::<u64>(), "[0-9a-f]{32}(-[0-9])?", "2026-11-2[0-9]T01:43:42.000Z").prop_map(|(key, size, tag, time)| {
        let key = key.replace('&', "&amp;").replace('<', "&lt;");
        format!(
            "<Contents><Key>{key}</Key><LastModified>{time}</LastModified><ETag>&quot;{tag}&quot;</ETag><Size>{size}</Size></Contents>"
        )
    });
    let page = (vec(object, 0..4), option::of("[A-Za-z0-9+/=]{1,9}"), any::<bool>()).prop_map(
        |(objects, next, has_space)| {
            let next = next
                .map(|next| format!("<NextContinuationToken>{next}</NextContinuationToken>"))
                .unwrap_or_default();
            let space = if has_space { "\n  " } else { "" };
            format!(
                "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
             <IsTruncated>{}</IsTruncated>{next}{space}{}</ListBucketResult>",
                !next.is_empty(),
                objects.join(space)
            )
        },
    );
    let error = "<Error><Code>[A-Za-z.<]{0,70}</Code><Message>x</Message></Error>";
    let other = prop_oneof![
        "<InitiateMultipartUploadResult><UploadId>[a-z]{0,9}</UploadId></InitiateMultipartUploadResult>",
        "<CompleteMultipartUploadResult><ETag>[a-z\"]{0,9}</ETag></CompleteMultipartUploadResult>",
        "<ListMultipartUploadsResult><Upload><Key>[a-z/]{0,5}</Key></Upload></ListMultipartUploadsResult>",
    ];
    let inputs = prop_oneof![6 => page, 1 => error, 1 => other].prop_map(String::into_bytes);
    let words = &[
        "<",
        ">",
        "&",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "&b;",
        "<![CDATA[",
        "]]>",
        "<?x?>",
        "<!--",
        "-->",
        "&#0;",
        "<Key>",
    ];
    check(properties::storage_answers, 600, sometimes_changed(inputs, words));
}
