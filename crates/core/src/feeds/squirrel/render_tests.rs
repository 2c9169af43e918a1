//! Tests of the rendered `RELEASES`.

use std::sync::LazyLock;

use regex::Regex;

use super::check::check;
use super::parse::{ReleasesLine, parse};
use super::render::{Staging, render_releases};
use super::*;
use crate::feeds::testing::{Numbers, Stored, facts, file, offered, version};

const A: &str = "94689fede03fed7ab59c24337673a27837f0c3ec";
const B: &str = "3A2EADD15DD984E4559F2B4D790EC8BADAEB6A39";
const C: &str = "14db31d2647c6d2284882a2e101924a9c409ee67";

/// A release with a full package and, with `base`, a delta.
fn stored(release: &str, rollout: u8, base: Option<&str>) -> Stored<SquirrelFeed> {
    let mut releases = format!("{A} App-{release}-full.nupkg 100");
    let mut files = vec![file(&format!("App-{release}-full.nupkg"), 100)];
    if let Some(base) = base {
        releases = format!("{releases}\n{B} App-{base}-full.nupkg 100\n{C} App-{release}-delta.nupkg 10");
        files.push(file(&format!("App-{release}-delta.nupkg"), 10));
    }
    let release = version(release);
    let feed = check(&parse(releases.as_bytes()).unwrap(), &facts(&release, &files)).unwrap();
    (release, rollout, feed)
}

/// The client's regular expressions for a package, a comment and its percentage.
static CLIENT: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [r"^([0-9a-fA-F]{40})\s+(\S+)\s+(\d+)[\r]*$", r"\s*#.*$", r"#\s+(\d{1,3})%$"]
        .map(|expression| Regex::new(expression).unwrap())
});

/// The lines as `version kind staging`, parsed with the client's own regular expressions.
fn shown(stored: &[Stored<SquirrelFeed>], client: &str, target: &str, staging: Staging) -> Vec<String> {
    let [entry, comment, percent] = &*CLIENT;
    let releases = offered(stored);
    let Some(feed) = render_releases(&releases, &version(client), &version(target), staging) else {
        return Vec::new();
    };
    assert!(feed.ends_with('\n') && !feed.contains(['\r', '\u{feff}']) && !feed.contains(" #"), "{feed}");
    let parsed = parse(feed.as_bytes()).unwrap().lines;
    assert_eq!(parsed.len(), feed.lines().count());
    let line = |(raw, line): (&str, &ReleasesLine)| {
        let bare = comment.replace(raw, "");
        let found = entry.captures(&bare).unwrap();
        assert_eq!(
            (&found[1], &found[2], &found[3]),
            (&*line.sha1, &*line.reference, &*line.size.to_string())
        );
        assert!(found[2].starts_with("https://cdn.example/My%20App/App-"), "{raw}");
        assert_eq!(percent.captures(raw).map(|p| p[1].parse().unwrap()), line.staging, "{raw}");
        let name = line.file_name();
        let kind = if name::kind(&name) == PackageKind::Delta { "delta" } else { "full" };
        let version = name::version_text(&name).unwrap();
        line.staging.map_or_else(|| format!("{version} {kind}"), |p| format!("{version} {kind} {p}%"))
    };
    feed.lines().zip(&parsed).map(line).collect()
}

#[test]
fn exact_bytes() {
    let stored = [stored("1.1.0", 25, Some("1.0.0")), stored("1.0.0", 100, None)];
    let feed = render_releases(&offered(&stored), &version("1.0"), &version("1.1"), Staging::ByClient);
    let url = "https://cdn.example/My%20App/App";
    assert_eq!(
        feed.unwrap(),
        format!(
            "{A} {url}-1.0.0-full.nupkg 100\n{C} {url}-1.1.0-delta.nupkg 10# 25%\n{A} {url}-1.1.0-full.nupkg 100# 25%\n"
        )
    );
}

#[test]
fn deltas_lead_to_the_target_or_are_left_out() {
    let all = [
        stored("1.3.0", 100, Some("1.2.0")),
        stored("1.2.0", 100, Some("1.1.0")),
        stored("1.1.0", 100, Some("1.0.0")),
        stored("1.0.0", 100, None),
    ];
    let whole = ["1.1.0 delta", "1.2.0 delta", "1.3.0 delta", "1.3.0 full"];
    assert_eq!(shown(&all, "1.0.0", "1.3.0", Staging::Decided), whole);
    assert_eq!(shown(&all, "1.1.0", "1.3.0", Staging::ByClient), whole[1..]);
    // The target is an intermediate.
    assert_eq!(shown(&all, "1.0.0", "1.1.0", Staging::Decided), ["1.1.0 delta", "1.1.0 full"]);
    // No delta starts from this client.
    assert_eq!(shown(&all, "1.0.5", "1.3.0", Staging::Decided), ["1.3.0 full"]);
    assert_eq!(shown(&all, "0.9.0", "1.3.0", Staging::Decided), ["1.3.0 full"]);
    // 1.2.0 was unpublished, but its delta is needed.
    let hole = [all[0].clone(), all[2].clone(), all[3].clone()];
    assert_eq!(shown(&hole, "1.0.0", "1.3.0", Staging::Decided), ["1.3.0 full"]);
    let mut held = all.clone();
    held[1].1 = 0;
    assert_eq!(shown(&held, "1.0.0", "1.3.0", Staging::Decided), ["1.3.0 full"]);
    // Up to date or ahead: the list is not empty, but the client has nothing to do.
    assert_eq!(shown(&all, "1.3.0", "1.3.0", Staging::ByClient), ["1.3.0 full"]);
    assert_eq!(shown(&all, "2.0.0", "1.3.0", Staging::ByClient), ["1.3.0 full"]);
}

#[test]
fn a_staged_target_stands_beside_one_that_is_not() {
    let all = [
        stored("1.3.0", 10, Some("1.2.0")),
        stored("1.2.0", 50, Some("1.1.0")),
        stored("1.1.0", 100, Some("1.0.0")),
    ];
    // A delta above the unstaged package is staged like the target. Otherwise excluded clients
    // would apply it.
    assert_eq!(
        shown(&all, "1.0.0", "1.3.0", Staging::ByClient),
        ["1.1.0 delta", "1.1.0 full", "1.2.0 delta 10%", "1.3.0 delta 10%", "1.3.0 full 10%"]
    );
    assert_eq!(
        shown(&all, "1.0.0", "1.3.0", Staging::Decided),
        ["1.1.0 delta", "1.2.0 delta", "1.3.0 delta", "1.3.0 full"]
    );
    // Deltas that do not pass through the unstaged package are all staged.
    let past = [stored("1.3.0", 10, Some("1.0.0")), stored("1.1.0", 100, Some("1.0.0"))];
    assert_eq!(
        shown(&past, "1.0.0", "1.3.0", Staging::ByClient),
        ["1.1.0 full", "1.3.0 delta 10%", "1.3.0 full 10%"]
    );
    // Held at 0 percent.
    let held = [stored("1.3.0", 0, Some("1.1.0")), stored("1.1.0", 100, None)];
    assert_eq!(shown(&held, "1.0.0", "1.3.0", Staging::ByClient), ["1.1.0 full"]);
    assert!(shown(&held[..1], "1.0.0", "1.3.0", Staging::ByClient).is_empty());
    // Nothing is fully rolled out: list what the client has already reached, or else only the target.
    let young = [stored("1.3.0", 10, None), stored("1.2.0", 10, None)];
    assert_eq!(shown(&young, "1.2.5", "1.3.0", Staging::ByClient), ["1.2.0 full", "1.3.0 full 10%"]);
    assert_eq!(shown(&young, "1.0.0", "1.3.0", Staging::ByClient), ["1.3.0 full 10%"]);
    assert_eq!(shown(&young, "1.3.0", "1.3.0", Staging::ByClient), ["1.3.0 full"]);
    assert!(shown(&young, "1.0.0", "1.4.0", Staging::ByClient).is_empty());
}

/// For any history, a client that applies the rules of `UpdateInfo` ends up with a release that it may have.
#[test]
fn clients_end_where_they_should() {
    let mut numbers = Numbers(7);
    for _ in 0..500 {
        let mut history: Vec<Stored<SquirrelFeed>> = Vec::new();
        for minor in 0..6 {
            let base = (minor > 0 && numbers.below(4) > 0).then(|| format!("1.{}.0", numbers.below(minor)));
            let rollout = *numbers.pick(&[0, 10, 50, 100, 100]);
            if numbers.below(5) > 0 {
                history.insert(0, stored(&format!("1.{minor}.0"), rollout, base.as_deref()));
            }
        }
        let Some((target, rollout, _)) = history.first() else { continue };
        let client = format!("1.{}.0", numbers.below(6));
        for bucket in [0, 30, 99] {
            let seen: Vec<String> = shown(&history, &client, target.as_str(), Staging::ByClient)
                .into_iter()
                .filter_map(|line| match line.rsplit_once(' ') {
                    Some((rest, p)) if p.ends_with('%') => {
                        (bucket < p.trim_end_matches('%').parse::<u8>().unwrap()).then(|| rest.to_owned())
                    }
                    _ => Some(line),
                })
                .collect();
            let of = |kind: &str| -> Vec<Version> {
                seen.iter().filter_map(|l| l.strip_suffix(kind)).map(|v| version(v.trim())).collect()
            };
            let Some(newest) = of(" full").into_iter().max() else { continue };
            let client = version(&client);
            let last_delta = of(" delta").into_iter().filter(|v| *v > client).max();
            let reached = if newest > client { last_delta.unwrap_or(newest) } else { client.clone() };
            let may = |v: &Version| history.iter().any(|(r, p, _)| r == v && bucket < *p);
            assert!(reached == client || may(&reached), "{client} -> {reached}");
            if bucket < *rollout && *target > client {
                assert_eq!(reached, *target);
            }
        }
    }
}
