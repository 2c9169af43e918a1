//! The fields of an upload: `files`, the list of files, and `data`, the description of the release.

use std::collections::HashSet;

use serde_json::{Value, json};
use spindrift_core::{
    BasisPoints, FileEntry, InvalidManifest, MAX_FILE_BYTES, MAX_FILES_PER_UPLOAD, MAX_MANIFEST_BYTES,
    MAX_METADATA_BYTES, Packages, ReleaseMetadata, Timestamp, parse_manifest,
};

use crate::text::{of, places};

/// Longest text of a refusal. Names of files and fields are part of it.
const MAX_REFUSAL_BYTES: usize = 640;

/// Each field is read or refused. A field that is read obeys the limits, and means the same when it is written and read
/// again.
pub fn uploads(data: &[u8]) -> bool {
    let Some(text) = of(data) else { return false };
    let files = parse_manifest(text);
    match &files {
        Ok((files, packages)) => manifest(text, files, packages),
        Err(refusal) => {
            assert!(refusal.to_string().len() <= MAX_REFUSAL_BYTES, "{refusal}");
            if let InvalidManifest::Feed(name) = refusal {
                assert!(name.is_feed());
            }
        }
    }
    let release = ReleaseMetadata::parse(text);
    match &release {
        Ok(release) => metadata(text, release),
        Err(refusal) => assert!(refusal.to_string().len() <= MAX_REFUSAL_BYTES, "{refusal}"),
    }
    files.is_ok() || release.is_ok()
}

fn manifest(text: &str, files: &[FileEntry], packages: &Packages) {
    assert!(text.len() <= MAX_MANIFEST_BYTES && files.len() <= MAX_FILES_PER_UPLOAD);
    let names: HashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names.len(), files.len(), "each name once");
    assert!(files.iter().all(|file| !file.name.is_feed()));
    assert!(files.iter().all(|file| file.length.is_none_or(|length| length <= MAX_FILE_BYTES)));
    let entry = |file: &FileEntry| {
        let FileEntry { name, md5, sha256, sha512, length } = file;
        let package = packages.is_named(name).then(|| packages.of(name));
        let md5 = md5.to_string();
        json!({ "name": name, "md5": md5, "sha256": sha256, "sha512": sha512, "length": length, "package": package })
    };
    let written = Value::from(files.iter().map(entry).collect::<Vec<_>>()).to_string();
    assert_eq!(parse_manifest(&written), Ok((files.to_vec(), packages.clone())));
    is_whole(text, |part| parse_manifest(part).is_ok());
}

fn metadata(text: &str, release: &ReleaseMetadata) {
    assert!(text.len() <= MAX_METADATA_BYTES && release.rollout <= BasisPoints::ALL);
    assert!(
        release
            .signature
            .as_ref()
            .is_none_or(|signature| !signature.is_empty() && signature.trim() == signature)
    );
    let written = json!({
        "app_name": release.app_name, "version": release.version, "channel": release.channel,
        "platform": release.platform, "arch": release.arch, "publish": release.publish, "critical": release.critical,
        "intermediate": release.intermediate, "changelog": release.changelog, "signature": release.signature,
        "updater": release.updater, "plan": release.plan, "packages": release.packages,
        "rollout": release.plan.is_none().then(|| release.rollout.to_json()),
        "created_at": release.created_at.map(Timestamp::to_rfc3339),
    });
    // Escapes may be longer than their characters.
    let written = written.to_string();
    if written.len() <= MAX_METADATA_BYTES {
        // Times are written without fractions.
        let created_at = release.created_at.map(|at| Timestamp::from_millis(at.as_seconds() * 1000));
        assert_eq!(ReleaseMetadata::parse(&written), Ok(ReleaseMetadata { created_at, ..release.clone() }));
    }
    is_whole(text, |part| ReleaseMetadata::parse(part).is_ok());
}

/// A part of a document is not a document.
fn is_whole(text: &str, is_read: impl Fn(&str) -> bool) {
    let text = text.trim_end();
    for place in places(text.len()).filter_map(|place| text.get(..place)) {
        assert!(!is_read(place), "{place}");
    }
}
