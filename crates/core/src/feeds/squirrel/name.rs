//! What Squirrel reads from the name of a package.

use super::PackageKind;
use crate::Version;

/// The version: `-full`, `-delta` and `.nupkg` taken off the end, then the leftmost match of
/// `\d+(\.\d+){0,3}(-[A-Za-z][0-9A-Za-z-]*)?$`. So `App-1.0.0-beta.1-full.nupkg` is version 1, and a pre-release has
/// to be written without dots.
pub(super) fn version_text(file_name: &str) -> Option<&str> {
    let stem = file_name.strip_suffix(".nupkg")?;
    let stem = stem.strip_suffix("-full").or_else(|| stem.strip_suffix("-delta")).unwrap_or(stem);
    let digit_at = |(at, c): (usize, char)| c.is_ascii_digit().then_some(at);
    stem.char_indices().filter_map(digit_at).filter_map(|at| stem.get(at..)).find(|rest| is_version(rest))
}

/// As [`version_text`], with its meaning.
pub(super) fn version(file_name: &str) -> Option<Version> {
    version_text(file_name)?.parse().ok()
}

/// Whether the name says this version. `NuGet` compares pre-releases without regard to case.
pub(super) fn is_of(file_name: &str, version: &Version) -> bool {
    let lower = |text: &str| text.to_ascii_lowercase().parse::<Version>().ok();
    version_text(file_name).and_then(lower).is_some_and(|named| Some(named) == lower(version.as_str()))
}

fn is_version(text: &str) -> bool {
    let (numbers, pre_release) = text.split_once('-').map_or((text, None), |(n, p)| (n, Some(p)));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    numbers.split('.').count() <= 4
        && numbers.split('.').all(is_number)
        && pre_release.is_none_or(|text| {
            text.starts_with(|c: char| c.is_ascii_alphabetic())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        })
}

/// Whether the package is a delta: the name ends in `-delta.nupkg`, in either case.
pub(super) fn kind(file_name: &str) -> PackageKind {
    if file_name.to_ascii_lowercase().ends_with("-delta.nupkg") {
        PackageKind::Delta
    } else {
        PackageKind::Full
    }
}

/// The package id: the first group of `^([\w-]+)-\d+\..+\.nupkg$`, or what stands before the first `-` or `.`.
pub(super) fn package_id(file_name: &str) -> &str {
    let is_id =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let is_rest = |text: &str| {
        let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = after.strip_prefix('.').and_then(|rest| rest.strip_suffix(".nupkg"));
        after.len() < text.len() && rest.is_some_and(|rest| !rest.is_empty())
    };
    file_name
        .rmatch_indices('-')
        .filter_map(|(at, _)| Some((file_name.get(..at)?, file_name.get(at + 1..)?)))
        .find(|(id, rest)| is_id(id) && is_rest(rest))
        .map_or_else(|| file_name.split(['-', '.']).next().unwrap_or_default(), |(id, _)| id)
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    const NAMES: [(&str, Option<&str>, &str); 15] = [
        ("App-1.0.0-full.nupkg", Some("1.0.0"), "App"),
        ("App-1.0.0-delta.nupkg", Some("1.0.0"), "App"),
        ("App-1.0.0.nupkg", Some("1.0.0"), "App"),
        ("App-1.0.0-beta1-full.nupkg", Some("1.0.0-beta1"), "App"),
        ("App-1.0.0-beta.1-full.nupkg", Some("1"), "App"),
        ("My-App_x-2.10.0.4-full.nupkg", Some("2.10.0.4"), "My-App_x"),
        ("My App-1.0.0-full.nupkg", Some("1.0.0"), "My App"),
        ("My.App-1.0.0-full.nupkg", Some("1.0.0"), "My"),
        ("App2-1.0.0-full.nupkg", Some("1.0.0"), "App2"),
        ("App-win32-x64-1.0.0-full.nupkg", Some("1.0.0"), "App-win32-x64"),
        ("App-1.0.0-x64-full.nupkg", Some("1.0.0-x64"), "App"),
        ("App-1.2.3.4.5-full.nupkg", Some("2.3.4.5"), "App"),
        ("App-1.0.0+5-full.nupkg", Some("5"), "App"),
        ("App-full.nupkg", None, "App"),
        ("App-1.0.0-full.zip", None, "App"),
    ];

    #[test]
    fn names_are_read_as_squirrel_reads_them() {
        let suffix = Regex::new(r"(-full|-delta)?\.nupkg$").unwrap();
        let version = Regex::new(r"\d+(\.\d+){0,3}(-[A-Za-z][0-9A-Za-z-]*)?$").unwrap();
        let id = Regex::new(r"^([\w-]+)-\d+\..+\.nupkg$").unwrap();
        for (name, expected, package) in NAMES {
            assert_eq!(version_text(name), expected, "{name}");
            assert_eq!(package_id(name), package, "{name}");
            if expected.is_some() || name != "App-1.0.0-full.zip" {
                let stem = suffix.replace(name, "");
                assert_eq!(version.find(&stem).map(|m| m.as_str()), expected, "{name}");
            }
            if let Some(found) = id.captures(name) {
                assert_eq!(&found[1], package, "{name}");
            }
        }
    }

    #[test]
    fn kinds_and_case() {
        assert_eq!(kind("App-1.0.0-DELTA.nupkg"), PackageKind::Delta);
        assert_eq!(kind("App-delta-1.0.0-full.nupkg"), PackageKind::Full);
        for release in ["1.0.0-beta1", "1.0.0-Beta1+7"] {
            assert!(is_of("App-1.0.0-BETA1-full.nupkg", &release.parse().unwrap()), "{release}");
        }
        assert!(!is_of("App-1.0.0-beta.1-full.nupkg", &"1.0.0-beta.1".parse().unwrap()));
    }
}
