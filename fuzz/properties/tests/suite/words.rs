//! Versions, names and settings.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use spindrift_fuzz_properties as properties;

use crate::cases::check;
use crate::mutation::sometimes_changed;

#[test]
fn versions() {
    let number = prop_oneof![4 => "[0-9]{1,2}", 1 => "0{1,4}[0-9]{1,17}", 1 => "[0-9]{18,20}"];
    let core = (select(vec!["", "v", "V"]), vec(number, 1..=7))
        .prop_map(|(prefix, numbers)| format!("{prefix}{}", numbers.join(".")));
    let identifier = prop_oneof!["[0-9]{1,4}", "(alpha|beta|rc|RC)", "[0-9A-Za-z-]{1,8}"];
    let tail = |sign: &'static str| {
        let some = vec(identifier.clone(), 1..=3).prop_map(move |parts| format!("{sign}{}", parts.join(".")));
        prop_oneof![2 => Just(String::new()), 1 => some]
    };
    let stage = prop_oneof![3 => Just(String::new()), 1 => "(d|a|b|fc|alpha|beta|rc|Beta)[0-9]{1,3}"];
    let version = (core, stage, tail("-"), tail("+"))
        .prop_map(|(core, stage, pre, build)| format!("{core}{stage}{pre}{build}"));
    let lines = vec(version, 1..=6).prop_map(|lines| lines.join("\n").into_bytes());
    check(
        properties::versions,
        2000,
        sometimes_changed(lines, &[".", "-", "+", "v", "00", "\n", "..", "\u{661}"]),
    );
}

#[test]
fn names() {
    let extension =
        select(vec!["", ".", ".zip", ".TAR.GZ", ".app.tar.gz", ".nupkg", ".blockmap", ".yml", ".\u{e9}"]);
    let file = ("[ -~\u{e0}-\u{ff}\u{4e00}-\u{4e10}]{0,40}", extension)
        .prop_map(|(stem, end)| format!("{stem}{end}"));
    let segment =
        prop_oneof!["[a-zA-Z0-9._@ -]{1,66}", Just("default".to_owned()), Just("pending".to_owned())];
    let path = vec(segment.clone(), 1..=9).prop_map(|segments| segments.join("/"));
    let digests = ("[0-9a-f]{64}", "[a-z.]{1,9}").prop_map(|(digest, name)| format!("a/{digest}.{name}"));
    let role = prop_oneof![
        "[0-9]{0,17}\\.(root|targets|snapshot|channel-[a-z.]{1,4})\\.json".prop_map(String::from),
        Just("timestamp.json".to_owned()),
    ];
    let line = prop_oneof![3 => file, 2 => segment, 2 => path, 1 => digests, 1 => role];
    let scope = (vec("[a-z@. ]{1,9}|default", 5..=5), "(channel|platform|arch|none|,){0,5}")
        .prop_map(|(segments, used)| format!("{}\n{used}", segments.join("/")));
    let lines = vec(line, 1..=5).prop_map(|lines| lines.join("\n"));
    let inputs = prop_oneof![3 => lines, 1 => scope].prop_map(String::into_bytes);
    check(
        properties::names,
        1000,
        sometimes_changed(inputs, &["/", "..", "%2F", "%", "\\", "\0", " ", "\u{85}", "~"]),
    );
}

#[test]
fn settings() {
    let name = select(vec![
        "s3_api_endpoint",
        "s3_presign_endpoint",
        "s3_public_url",
        "s3_region",
        "s3_bucket",
        "s3_bucket_private",
        "s3_bucket_cdn",
        "s3_path_style",
        "storage_driver",
        "s3_secret_key",
        "s3_access_key",
    ]);
    let text = prop_oneof![
        3 => "https?://[a-z0-9.-]{1,20}(:[0-9]{1,5})?(/[a-z%. ]{0,9})?",
        2 => "[a-z0-9-]{1,20}",
        1 => "(true|false|s3|s3-internal|minio)",
        1 => "[ -~]{0,20}",
    ];
    let usual = "s3_api_endpoint=https://s3.example\ns3_public_url=https://cdn.example\n\
                 s3_bucket=pub\ns3_bucket_private=priv\ns3_bucket_cdn=cdn\n";
    let given = vec((name, text), 0..=2).prop_map(move |pairs| {
        let given = pairs.iter().map(|(name, text)| format!("{name}={text}\n"));
        (given.collect::<Vec<_>>().concat() + usual).into_bytes()
    });
    check(
        properties::settings,
        1000,
        sometimes_changed(given, &["://", "@", "/", "?", "#", "[::1]", ":0", "="]),
    );
}
