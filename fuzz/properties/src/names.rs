//! Names: of applications, channels, files, packages, objects and targets, and the paths that they become part of.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use spindrift_core::{
    AppName, ArchName, ChannelName, ContentHeaders, DeviceId, FileName, MAX_FILE_NAME_BYTES, MAX_NAME_LENGTH,
    MAX_PACKAGE_LENGTH, Package, PlatformName, Reason, Scope, ScopePath, Updater, UserName, Version,
    artifact_path, decode_segment, encode_segments,
};
use spindrift_storage::{MAX_KEY_LENGTH, ObjectKey};
use spindrift_trust::{MetadataFile, RoleName, TargetName, requested_targets};

use crate::text::{lines, of, reread};

/// Most lines that are read.
const MOST: usize = 8;

/// Every line is a name of each kind or is refused. A name that is read stays within its limits, and becomes a path
/// that names the same things when it is read.
pub fn names(data: &[u8]) -> bool {
    let Some(text) = of(data) else { return false };
    let mut is_read = false;
    for line in lines(data).into_iter().take(MOST) {
        kinds(line);
        objects(line);
        targets(line);
        is_read |= files(line);
    }
    scopes(text);
    is_read
}

fn kinds(line: &str) {
    name::<AppName>(line);
    name::<ChannelName>(line);
    name::<PlatformName>(line);
    name::<ArchName>(line);
    name::<UserName>(line);
    if let Ok(device) = line.parse::<DeviceId>() {
        assert_eq!(device.expose(), line);
        assert!(!format!("{device:?}").contains(line) || "DeviceId([redacted])".contains(line));
    }
    if let Ok(reason) = line.parse::<Reason>() {
        assert_eq!(reason.as_str(), line);
    }
}

fn name<T: FromStr + Display + PartialEq + Debug>(line: &str) {
    let Some(name) = reread::<T>(line) else { return };
    assert_eq!(name.to_string(), line, "a name is what was written");
    assert!((1..=MAX_NAME_LENGTH).contains(&line.len()) && line.is_ascii());
    assert!(!line.contains(['/', '\\', '|', '%', '"', '\0', '\n']) && !line.contains(".."), "{line:?}");
}

fn files(line: &str) -> bool {
    let Some(name) = reread::<FileName>(line) else { return false };
    assert_eq!(name.as_str(), line);
    assert!(line.len() <= MAX_FILE_NAME_BYTES && !line.contains(['/', '\\', '\0']));
    let package = name.package();
    assert!((1..=MAX_PACKAGE_LENGTH).contains(&package.as_str().len()));
    assert_eq!(reread::<Package>(package.as_str()), Some(package));
    let headers = ContentHeaders::of(&name);
    assert_eq!(headers.content_disposition, "attachment");
    assert!(!headers.content_type.contains("html") && !headers.content_type.contains("javascript"));
    let scope = Scope {
        owner: "ada".parse().expect("a name"),
        app: "My App".parse().expect("a name"),
        channel: None,
        platform: None,
        arch: None,
    };
    let version: Version = "1.2.3".parse().expect("a version");
    for updater in Updater::ALL {
        let path = artifact_path(updater, &scope, &version, &name, &name.package());
        let key: ObjectKey = path.parse().expect("the path of a file is a key");
        assert!(path.contains("ada/My App/"), "{path} is below its application");
        let public = TargetName::of_key(key.as_str()).expect("the path of a file is a target's name");
        assert_eq!(public.key(), path);
    }
    true
}

fn objects(line: &str) {
    let Some(key) = reread::<ObjectKey>(line) else { return };
    assert!((1..=MAX_KEY_LENGTH).contains(&line.len()));
    assert!(!key.file_name().contains('/') && line.ends_with(key.file_name()));
    let encoded = key.percent_encoded();
    assert!(encoded.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%/".contains(&b)), "{encoded}");
    assert_eq!(decode_segment(&encoded).as_deref(), Some(line));
    assert_eq!(encode_segments(line.split('/')), encoded);
}

fn targets(line: &str) {
    reread::<RoleName>(line);
    reread::<MetadataFile>(line);
    if let Some(name) = reread::<TargetName>(line) {
        assert_eq!(TargetName::of_key(&name.key()), Some(name), "a name is made from its key");
    }
    for asked in requested_targets(line) {
        assert!(asked.name.as_str().len() <= line.len());
        assert_eq!(asked.hash.is_none(), asked.name.as_str() == line);
    }
}

fn scopes(text: &str) {
    let mut parts = text.splitn(2, '\n');
    let Some(path) = parts.next().and_then(ScopePath::from_folder) else { return };
    let path = path.with_dimensions(parts.next());
    let Ok(scopes) = path.scopes() else { return };
    assert!((1..=8).contains(&scopes.len()));
    for scope in scopes {
        let again = ScopePath::from_folder(&scope.folder()).expect("the folder of a scope");
        let again = again.with_dimensions(Some(&scope.used_dimensions())).scopes();
        assert_eq!(again.as_deref(), Ok(&[scope][..]), "a path with its dimensions means one scope");
    }
}
