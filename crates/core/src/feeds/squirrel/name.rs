//! Package names, parsed as Squirrel does.

use super::PackageKind;
use crate::Version;

/// Maximum number of numbers in a version.
const MAX_NUMBERS: usize = 4;

/// The version: drop `-full`, `-delta` and `.nupkg` from the end, then take the leftmost match of
/// `\d+(\.\d+){0,3}(-[A-Za-z][0-9A-Za-z-]*)?$`. So `App-1.0.0-beta.1-full.nupkg` is version 1: a pre-release
/// must not contain dots.
///
/// The numbers end at the end of the text, or at a `-` that only a pre-release follows. Each such
/// place is tried once, from the left, with the preceding digits and dots, so that the time is
/// linear in the length of the name.
pub(super) fn version_text(file_name: &str) -> Option<&str> {
    let stem = file_name.strip_suffix(".nupkg")?;
    let stem = stem.strip_suffix("-full").or_else(|| stem.strip_suffix("-delta")).unwrap_or(stem);
    let in_pre_release = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let tail = stem.trim_end_matches(in_pre_release).len();
    let begins_pre_release =
        |(at, _): &(usize, &str)| stem.as_bytes().get(at + 1).is_some_and(u8::is_ascii_alphabetic);
    let dashes = stem.match_indices('-').skip_while(|(at, _)| *at < tail).filter(begins_pre_release);
    let mut ends = dashes.map(|(at, _)| at).chain([stem.len()]);
    let start = ends.find_map(|end| numbers_before(stem.get(..end)?))?;
    stem.get(start..)
}

/// The start of the numbers at the end of `text`: 1 to 4, separated by dots.
fn numbers_before(text: &str) -> Option<usize> {
    let mut start = None;
    let mut rest = text;
    for _ in 0..MAX_NUMBERS {
        let before = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        if before.len() == rest.len() {
            break;
        }
        start = Some(before.len());
        match before.strip_suffix('.') {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    start
}

/// The version of a package in the feed of `release`: the result of [`version_text`], parsed. If
/// the pre-release of `release` has dots, package names omit them (see [`is_of`]), so they are
/// restored.
pub(super) fn version_beside(file_name: &str, release: &Version) -> Option<Version> {
    let text = version_text(file_name)?;
    match (split_pre_release(release.as_str()), text.split_once('-')) {
        (Some((_, like)), Some((numbers, pre))) if like.contains('.') => {
            format!("{numbers}-{}", with_dots(pre, like)?).parse().ok()
        }
        _ => text.parse().ok(),
    }
}

/// Whether the name contains this version. `NuGet` ignores case in pre-releases, and
/// electron-winstaller omits their dots: `rc.2` becomes `rc2`.
pub(super) fn is_of(file_name: &str, version: &Version) -> bool {
    let lower = |text: &str| text.to_ascii_lowercase().parse::<Version>().ok();
    let Some(named) = version_text(file_name).and_then(lower) else { return false };
    let dotless = split_pre_release(version.as_str())
        .and_then(|(numbers, pre)| lower(&format!("{numbers}-{}", pre.replace('.', ""))));
    lower(version.as_str()).is_some_and(|version| version == named)
        || dotless.is_some_and(|version| version == named)
}

/// The numbers and the pre-release of a version in SemVer's form, without its build.
fn split_pre_release(version: &str) -> Option<(&str, &str)> {
    version.split('+').next()?.split_once('-')
}

/// The pre-release `text` with dots in the same places as `like`: `rc1` with `rc.2` becomes `rc.1`.
/// `None`: its words and numbers differ from those of `like`, so the places are unknown.
fn with_dots(text: &str, like: &str) -> Option<String> {
    let is_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let mut rest = text;
    let mut identifiers = Vec::new();
    for like in like.split('.') {
        let of_kind = |c: char| c.is_ascii_digit() == is_digit(like);
        let end = rest.find(|c| !of_kind(c)).unwrap_or(rest.len());
        let (identifier, after) =
            rest.split_at_checked(end).filter(|(identifier, _)| !identifier.is_empty())?;
        identifiers.push(identifier);
        rest = after;
    }
    rest.is_empty().then(|| identifiers.join("."))
}

/// Delta if the name ends in `-delta.nupkg`, in any case; otherwise full.
pub(super) fn kind(file_name: &str) -> PackageKind {
    if file_name.to_ascii_lowercase().ends_with("-delta.nupkg") {
        PackageKind::Delta
    } else {
        PackageKind::Full
    }
}

/// The package id: the first group of `^([\w-]+)-\d+\..+\.nupkg$`, or else the text before the first `-` or
/// `.`.
pub(super) fn package_id(file_name: &str) -> &str {
    let in_id = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let ids_end = file_name.find(|c| !in_id(c)).unwrap_or(file_name.len());
    let is_rest = |text: &str| {
        let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = after.strip_prefix('.').and_then(|rest| rest.strip_suffix(".nupkg"));
        after.len() < text.len() && rest.is_some_and(|rest| !rest.is_empty())
    };
    file_name
        .rmatch_indices('-')
        .filter(|(at, _)| (1..=ids_end).contains(at))
        .filter_map(|(at, _)| Some((file_name.get(..at)?, file_name.get(at + 1..)?)))
        .find(|(_, rest)| is_rest(rest))
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

    /// Texts of characters that are special in names, always the same.
    fn odd_names() -> impl Iterator<Item = String> {
        let mut numbers = crate::feeds::testing::Numbers(7);
        std::iter::repeat_with(move || {
            let length = numbers.below(14);
            let stem: String =
                (0..length).map(|_| *numbers.pick(&['1', '2', '.', '-', 'a', '_', ' '])).collect();
            stem + *numbers.pick(&["-full", "-delta", ""]) + ".nupkg"
        })
    }

    #[test]
    fn odd_names_are_read_as_the_expressions_read_them() {
        let suffix = Regex::new(r"(-full|-delta)?\.nupkg$").unwrap();
        let version = Regex::new(r"\d+(\.\d+){0,3}(-[A-Za-z][0-9A-Za-z-]*)?$").unwrap();
        let id = Regex::new(r"^([\w-]+)-\d+\..+\.nupkg$").unwrap();
        for name in odd_names().take(100_000) {
            let stem = suffix.replace(&name, "");
            assert_eq!(version_text(&name), version.find(&stem).map(|m| m.as_str()), "{name}");
            if let Some(found) = id.captures(&name) {
                assert_eq!(&found[1], package_id(&name), "{name}");
            }
        }
    }

    /// With work for each pair of characters, each of these names would take minutes.
    #[test]
    fn long_names_are_read_in_linear_time() {
        for part in ["1-", "1.", "1", "-", "a-", "1a", "1-a-", "-1.", "a1-"] {
            let long = part.repeat(256 * 1024 / part.len());
            for end in ["", "!", "!-full", "-1.nupk", ".x"] {
                let name = format!("{long}{end}.nupkg");
                assert!(package_id(&name).len() < name.len());
                assert!(version_text(&name).is_none_or(|text| text.len() < name.len()), "{part}");
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

    /// Names in the format of electron-winstaller.
    #[test]
    fn pre_releases_without_their_dots() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        for (name, release, is_it) in [
            ("App-2.0.0-rc2-full.nupkg", "2.0.0-rc.2", true),
            ("App-2.0.0-rc2-full.nupkg", "2.0.0-rc.2+7", true),
            ("App-2.0.0-RC2-delta.nupkg", "2.0.0-Rc.2", true),
            ("App-2.0.0-beta12-full.nupkg", "2.0.0-beta.1.2", true),
            ("App-2.0.0-rc2-full.nupkg", "2.0.0-rc2", true),
            ("App-2.0.0-rc3-full.nupkg", "2.0.0-rc.2", false),
            ("App-2.0.0-full.nupkg", "2.0.0-rc.2", false),
            ("App-2.0.0-rc2-full.nupkg", "2.0.0", false),
        ] {
            assert_eq!(is_of(name, &version(release)), is_it, "{name} {release}");
        }
        for (name, release, expected) in [
            ("App-2.0.0-rc1-full.nupkg", "2.0.0-rc.2", Some("2.0.0-rc.1")),
            ("App-2.0.0-beta4-full.nupkg", "2.0.0-rc.2", Some("2.0.0-beta.4")),
            ("App-2.0.0-beta4x-full.nupkg", "2.0.0-rc.2", None),
            ("App-2.0.0-beta-full.nupkg", "2.0.0-rc.2", None),
            ("App-1.9.0-full.nupkg", "2.0.0-rc.2", Some("1.9.0")),
            ("App-2.0.0-rc1-full.nupkg", "2.0.0-rc2", Some("2.0.0-rc1")),
            ("App-2.0.0-rc1-full.nupkg", "2.0.0", Some("2.0.0-rc1")),
        ] {
            let found = version_beside(name, &version(release));
            assert_eq!(found.as_ref().map(Version::as_str), expected, "{name} {release}");
        }
    }
}
