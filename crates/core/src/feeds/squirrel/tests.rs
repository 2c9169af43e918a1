//! Tests of `RELEASES` as a whole.

use std::sync::LazyLock;

use regex::Regex;

use super::*;
use crate::feeds::testing::{Numbers, Stored, facts, file, names, offered, version};
use crate::feeds::{FeedError, UploadFacts};
use crate::{FileEntry, FileName};

const A: &str = "94689fede03fed7ab59c24337673a27837f0c3ec";
const B: &str = "3A2EADD15DD984E4559F2B4D790EC8BADAEB6A39";
const C: &str = "14db31d2647c6d2284882a2e101924a9c409ee67";

fn text(error: FeedError) -> String {
    error.to_string()
}

fn lines(releases: &str) -> Vec<ReleasesLine> {
    parse(releases.as_bytes()).unwrap().lines
}

fn checked(
    releases: &str,
    release: &str,
    files: &[FileEntry],
    stored: &[FileName],
) -> Result<SquirrelFeed, String> {
    let release = version(release);
    let facts = UploadFacts { version: &release, files, stored };
    check(&parse(releases.as_bytes()).unwrap(), &facts).map_err(text)
}

#[test]
fn what_tools_write_is_read() {
    let written = format!(
        "\u{feff}# history\r\n\r\n{A} App-1.0.0-full.nupkg 1004502\r\n{B}  App-1.1.0-delta.nupkg\t106396 # 10%\r\n{C} \
         https://h.example/d/My%20App-1.1.0-full.nupkg?t=a%2Fb 1005555# 20%\n{C} My App-1.2.0-full.nupkg 7\n"
    );
    let lines = lines(&written);
    let names: Vec<_> = lines.iter().map(ReleasesLine::file_name).collect();
    assert_eq!(
        names,
        [
            "App-1.0.0-full.nupkg",
            "App-1.1.0-delta.nupkg",
            "My App-1.1.0-full.nupkg",
            "My App-1.2.0-full.nupkg"
        ]
    );
    assert_eq!(lines.iter().map(|l| l.size).collect::<Vec<_>>(), [1_004_502, 106_396, 1_005_555, 7]);
    assert_eq!(lines.iter().map(|l| l.staging).collect::<Vec<_>>(), [None, Some(10), Some(20), None]);
    assert_eq!(lines[1].sha1, B);
}

#[test]
fn the_rest_is_refused() {
    for (line, problem) in [
        ("nonsense", "not a package"),
        (&format!("{A} App-1.0.0-full.nupkg"), "not a package"),
        (&format!("{} App-1.0.0-full.nupkg 1", &A[1..]), "SHA1 is not 40 hexadecimal digits"),
        (&format!("{A} App-1.0.0-full.nupkg -1"), "size is not a number"),
        (&format!("{A} App-1.0.0-full.nupkg 99999999999999999999"), "size is not a number"),
        (&format!("{A} a/App-1.0.0-full.nupkg 1"), "neither a file name nor an absolute address"),
        (&format!("{A} ..\\App-1.0.0-full.nupkg 1"), "neither a file name nor an absolute address"),
        (&format!("{A} https://h.example/ 1"), "neither a file name nor an absolute address"),
        (&format!("{A} https://h.example/a%2Fb 1"), "neither a file name nor an absolute address"),
        (&format!("{A} App-1.0.0-full.nupkg 1# 101%"), "staging is above 100 percent"),
        (&"x".repeat(5000), "too long"),
    ] {
        let error = parse(format!("\n{line}\n").as_bytes()).unwrap_err();
        assert_eq!(text(error), format!("RELEASES: line 2: {problem}"), "{line}");
    }
    let twice = format!("{A} App-1.0.0-full.nupkg 1\n{B} https://h.example/App-1.0.0-full.nupkg 1");
    assert_eq!(text(parse(twice.as_bytes()).unwrap_err()), "RELEASES: App-1.0.0-full.nupkg: listed twice");
    let utf16: Vec<u8> = twice.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(text(parse(&utf16).unwrap_err()), "RELEASES: control character");
    let many = (0..=10_000).map(|n| format!("{A} App-{n}.nupkg 1\n")).collect::<String>();
    assert_eq!(text(parse(many.as_bytes()).unwrap_err()), "RELEASES: line 10001: too many packages");
}

#[test]
fn an_upload_is_kept_without_its_history() {
    let releases = format!(
        "{A} App-0.9.0-full.nupkg 1\n{A} App-1.0.0-full.nupkg 2\n{B} App-1.1.0-delta.nupkg 3\n{C} App-1.1.0-full.nupkg 4"
    );
    let files = [file("App-1.1.0-full.nupkg", 4), file("App-1.1.0-delta.nupkg", 3), file("Setup.exe", 9)];
    let feed = checked(&releases, "1.1", &files, &[]).unwrap();
    assert_eq!(
        feed.packages.iter().map(|p| p.kind).collect::<Vec<_>>(),
        [PackageKind::Delta, PackageKind::Full]
    );
    assert_eq!(feed.packages[1].sha1, C);
    assert_eq!(feed.packages[1].package_id, "App");
    assert_eq!(feed.delta_base, Some(version("1.0.0")));
    // A second upload adds the delta: the full package is stored already.
    let feed = checked(&releases, "1.1", &files[1..2], &names(&["App-1.1.0-full.nupkg"])).unwrap();
    assert_eq!(feed.packages.len(), 2);
    let json = serde_json::to_string(&crate::feeds::ReleaseFeed::SquirrelWindows(feed.clone())).unwrap();
    assert!(json.starts_with(r#"{"updater":"squirrel_windows","packages":[{"file_name":"#), "{json}");
    let read: crate::feeds::ReleaseFeed = serde_json::from_str(&json).unwrap();
    assert_eq!(read, crate::feeds::ReleaseFeed::SquirrelWindows(feed));
}

#[test]
fn uploads_that_do_not_fit() {
    let full = "App-1.1.0-full.nupkg";
    let delta = "App-1.1.0-delta.nupkg";
    for (releases, release, files, problem) in [
        (
            format!("{A} {full} 4"),
            "1.1.0",
            vec![file(full, 5)],
            "App-1.1.0-full.nupkg: size differs from the uploaded file",
        ),
        (
            format!("{A} {full} 4"),
            "1.1.0",
            vec![file(full, 4), file(delta, 1)],
            "App-1.1.0-delta.nupkg: uploaded and not listed",
        ),
        (
            format!("{A} {full} 4"),
            "1.2.0",
            vec![file(full, 4)],
            "App-1.1.0-full.nupkg: the version in the name is not the release's",
        ),
        (
            format!("{A} {delta} 4\n{B} {full} 4"),
            "1.1.0",
            vec![file(delta, 4)],
            "no full package of the release",
        ),
        (
            format!("{A} App-1.0.0-beta.1-full.nupkg 4"),
            "1.0.0-beta.1",
            vec![file("App-1.0.0-beta.1-full.nupkg", 4)],
            "App-1.0.0-beta.1-full.nupkg: the version in the name is not the release's",
        ),
        (
            format!("{A} {full} 4\n{B} Other-1.1.0-full.nupkg 4"),
            "1.1.0",
            vec![file(full, 4), file("Other-1.1.0-full.nupkg", 4)],
            "packages of several applications",
        ),
        (String::new(), "1.1.0", vec![], "no full package of the release"),
    ] {
        assert_eq!(checked(&releases, release, &files, &[]), Err(format!("RELEASES: {problem}")));
    }
}

#[test]
fn names_with_spaces_and_pre_releases() {
    for (reference, name, release) in [
        ("My App-1.0.0-beta1-full.nupkg", "My App-1.0.0-beta1-full.nupkg", "1.0.0-beta1"),
        ("My%20App-1.0.0-full.nupkg", "My App-1.0.0-full.nupkg", "1.0.0"),
        ("https://h.example/x/My%20App-1.0.0.0-full.nupkg?k=1", "My App-1.0.0.0-full.nupkg", "1.0.0"),
    ] {
        let feed = checked(&format!("{A} {reference} 1"), release, &[file(name, 1)], &[]).unwrap();
        assert_eq!(feed.packages[0].file_name, name);
    }
}

/// A release with a full package and, where it has a base, a delta.
fn stored(release: &str, rollout: u8, base: Option<&str>) -> Stored<SquirrelFeed> {
    let mut releases = format!("{A} App-{release}-full.nupkg 100");
    let mut files = vec![file(&format!("App-{release}-full.nupkg"), 100)];
    if let Some(base) = base {
        releases += &format!("\n{B} App-{base}-full.nupkg 100\n{C} App-{release}-delta.nupkg 10");
        files.push(file(&format!("App-{release}-delta.nupkg"), 10));
    }
    let release = version(release);
    let feed = check(&parse(releases.as_bytes()).unwrap(), &facts(&release, &files)).unwrap();
    (release, rollout, feed)
}

/// The client's expressions for a package, a comment and its percentage.
static CLIENT: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [r"^([0-9a-fA-F]{40})\s+(\S+)\s+(\d+)[\r]*$", r"\s*#.*$", r"#\s+(\d{1,3})%$"]
        .map(|expression| Regex::new(expression).unwrap())
});

/// The lines as `version kind staging`, after every line was read by the client's own expressions.
fn shown(stored: &[Stored<SquirrelFeed>], client: &str, target: &str, staging: Staging) -> Vec<String> {
    let [entry, comment, percent] = &*CLIENT;
    let releases = offered(stored);
    let Some(feed) = render_releases(&releases, &version(client), &version(target), staging) else {
        return Vec::new();
    };
    assert!(feed.ends_with('\n') && !feed.contains(['\r', '\u{feff}']) && !feed.contains(" #"), "{feed}");
    let parsed = lines(&feed);
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
    // The target is a required intermediate.
    assert_eq!(shown(&all, "1.0.0", "1.1.0", Staging::Decided), ["1.1.0 delta", "1.1.0 full"]);
    // No delta starts from this client.
    assert_eq!(shown(&all, "1.0.5", "1.3.0", Staging::Decided), ["1.3.0 full"]);
    assert_eq!(shown(&all, "0.9.0", "1.3.0", Staging::Decided), ["1.3.0 full"]);
    // 1.2.0 was taken back; its delta is needed between.
    let hole = [all[0].clone(), all[2].clone(), all[3].clone()];
    assert_eq!(shown(&hole, "1.0.0", "1.3.0", Staging::Decided), ["1.3.0 full"]);
    let mut held = all.clone();
    held[1].1 = 0;
    assert_eq!(shown(&held, "1.0.0", "1.3.0", Staging::Decided), ["1.3.0 full"]);
    // Up to date, or ahead: never empty, and nothing to do for the client.
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
    // A delta above the unstaged package is staged like the target, or clients left out would apply it.
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
    // Nothing is fully rolled out: what the client is past is no update; else the target stands alone.
    let young = [stored("1.3.0", 10, None), stored("1.2.0", 10, None)];
    assert_eq!(shown(&young, "1.2.5", "1.3.0", Staging::ByClient), ["1.2.0 full", "1.3.0 full 10%"]);
    assert_eq!(shown(&young, "1.0.0", "1.3.0", Staging::ByClient), ["1.3.0 full 10%"]);
    assert_eq!(shown(&young, "1.3.0", "1.3.0", Staging::ByClient), ["1.3.0 full"]);
    assert!(shown(&young, "1.0.0", "1.4.0", Staging::ByClient).is_empty());
}

/// For any history: what a client makes of the feed, by the rules of `UpdateInfo`, is what it may have.
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
