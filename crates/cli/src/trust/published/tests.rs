//! Answers that a service may give about published files.

use std::collections::BTreeMap;

use spindrift_api::ListingState;

use super::*;

const NAME: &str = "ada/notes/beta/linux/amd64/notes-1.2.0.deb";

fn seen(content: &str) -> SeenFile {
    SeenFile {
        length: 7,
        sha256: content.repeat(32).parse().unwrap(),
        sha512: content.repeat(64).parse().unwrap(),
    }
}

fn entry(name: &str, content: Option<&str>, length: u64) -> TargetEntry {
    let hashes: BTreeMap<String, String> = content
        .iter()
        .flat_map(|content| [("sha256", content.repeat(32)), ("sha512", content.repeat(64))])
        .map(|(kind, digest)| (kind.to_owned(), digest))
        .collect();
    TargetEntry {
        name: name.to_owned(),
        version: "1.2.0".to_owned(),
        channel: Some("beta".to_owned()),
        platform: Some("linux".to_owned()),
        arch: Some("amd64".to_owned()),
        package: "deb".to_owned(),
        length,
        hashes,
        state: ListingState::Unlisted,
        published: true,
        needed: true,
    }
}

fn signs(entries: &[TargetEntry]) -> Result<TargetFiles, String> {
    let repository = "ada/notes".parse().unwrap();
    let release =
        r#"{"app_name":"notes","version":"v1.2.0","channel":"beta","platform":"linux","arch":"amd64"}"#;
    let release = ReleaseMetadata::parse(release).unwrap();
    let files = [("notes.deb".parse().unwrap(), seen("0a"))];
    name_files(&Naming::of(&repository), &repository, &release, &files, entries)
        .map_err(|error| error.to_string())
}

#[test]
fn what_is_signed_is_what_was_hashed() {
    for known in [Some("0a"), Some("0A"), None] {
        let files = signs(&[entry(NAME, known, 7)]).unwrap();
        let (name, file) = files.first_key_value().unwrap();
        assert_eq!((name.as_str(), file.length(), files.len()), (NAME, 7, 1));
        assert_eq!((file.sha256(), file.sha512()), (&seen("0a").sha256, &seen("0a").sha512));
        assert_eq!(file.custom().version.to_string(), "1.2.0");
    }
}

#[test]
fn a_service_cannot_give_a_file_another_name_or_other_bytes() {
    for (what, entries) in [
        ("nothing", vec![]),
        ("other bytes", vec![entry(NAME, Some("0b"), 7)]),
        ("another length", vec![entry(NAME, Some("0a"), 8)]),
        ("a newer version", vec![entry("ada/notes/beta/linux/amd64/notes-9.0.0.deb", Some("0a"), 7)]),
        ("another channel", vec![entry("ada/notes/stable/linux/amd64/notes-1.2.0.deb", Some("0a"), 7)]),
        ("another application", vec![entry("ada/draw/beta/linux/amd64/draw-1.2.0.deb", Some("0a"), 7)]),
        ("no name", vec![entry("../x", Some("0a"), 7)]),
    ] {
        assert!(signs(&entries).unwrap_err().contains("has no notes.deb"), "{what}");
    }
    let folder = "ada/notes/beta/linux/amd64/0197/notes-1.2.0.deb";
    let two = [entry(NAME, Some("0a"), 7), entry(folder, Some("0a"), 7)];
    assert!(signs(&two).unwrap_err().contains("two files"));
}
