//! Names of targets, and the paths under which clients ask for them.

use std::fmt;
use std::str::FromStr;

use spindrift_core::{Sha256Hex, Sha512Hex, decode_segment, encode_segments};

use crate::TargetFile;
use crate::field_reader::exact;

/// Longest name, in characters: an object's key has up to 1024 bytes, each of which may be percent-encoded.
const MAX_NAME_LENGTH: usize = 3 * 1024;

/// Longest `HASH.` in front of a segment, in characters: SHA-512.
const MAX_PREFIX_LENGTH: usize = 128 + 1;

/// The name of a target: the key of its object, with each segment percent-encoded as in public links, and
/// with a dot at the start of a segment written as `%2E`, because the patterns of some clients would not
/// match it otherwise. So the name is also the path of the link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetName(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid name")]
pub struct InvalidTargetName;

impl TargetName {
    /// The name of the object with this key. `None` if clients could not ask for it, because a segment is
    /// empty, `.` or `..`, or because it is too long.
    pub fn of_key(key: &str) -> Option<Self> {
        if key.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return None;
        }
        let segments: Vec<String> = key.split('/').map(encode_segment).collect();
        Some(Self(segments.join("/"))).filter(|name| name.0.len() <= MAX_NAME_LENGTH)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn key(&self) -> String {
        // A name is made from a key, so it decodes.
        decode_segment(&self.0).unwrap_or_default()
    }

    /// The segments, percent-encoded.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

fn encode_segment(segment: &str) -> String {
    let encoded = encode_segments([segment]);
    match encoded.strip_prefix('.') {
        Some(rest) => format!("%2E{rest}"),
        None => encoded,
    }
}

impl FromStr for TargetName {
    type Err = InvalidTargetName;

    fn from_str(text: &str) -> Result<Self, InvalidTargetName> {
        if text.len() > MAX_NAME_LENGTH {
            return Err(InvalidTargetName);
        }
        let key = decode_segment(text).ok_or(InvalidTargetName)?;
        Self::of_key(&key).filter(|name| name.0 == text).ok_or(InvalidTargetName)
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A digest in front of a segment of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HashPrefix {
    /// SHA-256 of the target.
    Sha256(Sha256Hex),
    /// SHA-512 of the target.
    Sha512(Sha512Hex),
}

impl HashPrefix {
    fn parse(digits: &str) -> Option<Self> {
        exact(digits).map(Self::Sha256).or_else(|| exact(digits).map(Self::Sha512))
    }
}

/// A target that a path may ask for, with or without a required digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedTarget {
    pub name: TargetName,
    /// The digest that the target must have. `None`: any.
    pub hash: Option<HashPrefix>,
}

impl RequestedTarget {
    /// Whether this file, which has the name, is the one that is asked for.
    pub fn is_met_by(&self, file: &TargetFile) -> bool {
        self.is_met_by_digests(Some(file.sha256().as_str()), Some(file.sha512().as_str()))
    }

    /// Whether a file with the name and these digests (lower-case hex, if known) is the one that is asked
    /// for.
    pub fn is_met_by_digests(&self, sha256: Option<&str>, sha512: Option<&str>) -> bool {
        match &self.hash {
            None => true,
            Some(HashPrefix::Sha256(asked)) => sha256 == Some(asked.as_str()),
            Some(HashPrefix::Sha512(asked)) => sha512 == Some(asked.as_str()),
        }
    }
}

/// All targets that a path may ask for, the most likely one first: the name as it is, then the name without
/// the `HASH.` that clients with consistent snapshots put in front of one segment
/// ([TUF 1.0, section 5.7.3](https://theupdateframework.github.io/specification/latest/#fetch-target)). Which
/// segment that is depends on the client. Empty for a path that is longer than any such name.
pub fn requested_targets(path: &str) -> Vec<RequestedTarget> {
    if path.len() > MAX_NAME_LENGTH + MAX_PREFIX_LENGTH {
        return Vec::new();
    }
    let bare = path.parse().ok().map(|name| RequestedTarget { name, hash: None });
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    let prefixed = starts.filter_map(|start| {
        let (before, segment) = path.split_at_checked(start)?;
        let (digits, rest) = segment.split_once('.')?;
        let hash = HashPrefix::parse(digits)?;
        Some(RequestedTarget { name: format!("{before}{rest}").parse().ok()?, hash: Some(hash) })
    });
    bare.into_iter().chain(prefixed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_keys() {
        for (key, name) in [
            ("ada/app/beta/linux/amd64/app-1.0.deb", "ada/app/beta/linux/amd64/app-1.0.deb"),
            ("ada@x/My App/a+b#c%d/ä.zip", "ada%40x/My%20App/a%2Bb%23c%25d/%C3%A4.zip"),
            ("a/.env/..x/x.", "a/%2Eenv/%2E.x/x."),
            ("~pending/a\\b/\u{1}", "~pending/a%5Cb/%01"),
        ] {
            let named = TargetName::of_key(key).unwrap();
            assert_eq!((named.as_str(), named.key().as_str()), (name, key));
            assert_eq!(name.parse(), Ok(named));
        }
        for bad in ["", "/a", "a/", "a//b", "a/./b", "../a", "a/..", &"ä".repeat(513)] {
            assert_eq!(TargetName::of_key(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_file_has_one_name() {
        for bad in [
            "",
            "/a",
            "a//b",
            "../a",
            "a/%2E%2E/b",
            "a/%2e%2e/b",
            "a/%2E./b",
            "%2E",
            "a/.env",
            "a/%2eenv",
            "a b",
            "a+b",
            "a%2Fb",
            "a%2fb",
            "a%zz",
            "%41",
            "ä",
            "a%ff",
            "a?b",
            "a#b",
            "a\\b",
            &"a".repeat(3073),
        ] {
            assert_eq!(bad.parse::<TargetName>(), Err(InvalidTargetName), "{bad}");
        }
    }

    #[test]
    fn prefixes_are_taken_apart() {
        let name = "ada/My%20App/%2Ex";
        let (sha256, sha512) = ("0a".repeat(32), "0a".repeat(64));
        let with = |hash| vec![RequestedTarget { name: name.parse().unwrap(), hash }];
        let hash256 = Some(HashPrefix::Sha256(sha256.parse().unwrap()));
        let hash512 = Some(HashPrefix::Sha512(sha512.parse().unwrap()));
        let without_bare = |path: &str| {
            let mut asked = requested_targets(path);
            assert_eq!(asked.remove(0), RequestedTarget { name: path.parse().unwrap(), hash: None });
            asked
        };
        assert_eq!(requested_targets(name), with(None));
        assert_eq!(without_bare(&format!("{sha256}.ada/My%20App/%2Ex")), with(hash256.clone()));
        assert_eq!(without_bare(&format!("ada/{sha512}.My%20App/%2Ex")), with(hash512));
        // This is not a name: its dot need not be encoded.
        assert_eq!(requested_targets(&format!("ada/My%20App/{sha256}.%2Ex")), with(hash256));
        for other in [
            format!("{}.ada/x", "0A".repeat(32)),
            format!("{}.ada/x", "0a".repeat(31)),
            format!("{sha256}/x"),
        ] {
            assert_eq!(without_bare(&other), [], "{other}");
        }
        assert_eq!(without_bare(&format!("ada/{sha256}.")), []);
        assert_eq!(requested_targets("../x"), []);
        assert_eq!(without_bare(&format!("{sha256}.../x")), []);
    }

    #[test]
    fn a_prefix_is_a_digest_of_the_file() {
        let file = crate::test_world::file("beta");
        for (path, is_met) in [
            ("a/x".to_owned(), true),
            (format!("a/{}.x", file.sha256()), true),
            (format!("{}.a/x", file.sha512()), true),
            (format!("a/{}.x", "0c".repeat(32)), false),
            (format!("a/{}.x", "0a".repeat(64)), false),
        ] {
            let asked =
                requested_targets(&path).into_iter().find(|asked| asked.name.as_str() == "a/x").unwrap();
            assert_eq!(asked.is_met_by(&file), is_met, "{path}");
            assert_eq!(asked.is_met_by_digests(None, None), asked.hash.is_none(), "{path}");
        }
    }

    /// A file whose own name begins like a digest prefix.
    #[test]
    fn a_name_is_asked_for_before_a_prefix() {
        let path = format!("a/{}.zip", "0a".repeat(32));
        let names: Vec<String> =
            requested_targets(&path).into_iter().map(|asked| asked.name.to_string()).collect();
        assert_eq!(names, [path.as_str(), "a/zip"]);
    }
}
