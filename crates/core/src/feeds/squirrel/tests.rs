//! Tests of the Squirrel.Windows format as a whole.

use super::check::check;
use super::parse::{ReleasesLine, parse};
use super::*;
use crate::feeds::UploadFacts;
use crate::feeds::testing::{facts, file, names, version};
use crate::{BasisPoints, FileEntry, FileName};

const A: &str = "94689fede03fed7ab59c24337673a27837f0c3ec";
const B: &str = "3A2EADD15DD984E4559F2B4D790EC8BADAEB6A39";
const C: &str = "14db31d2647c6d2284882a2e101924a9c409ee67";

fn refused(releases: &[u8]) -> String {
    parse(releases).unwrap_err().to_string()
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
    let facts = UploadFacts { stored, ..facts(&release, files) };
    check(&parse(releases.as_bytes()).unwrap(), &facts).map_err(|error| error.to_string())
}

#[test]
fn files_of_the_tools_are_read() {
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
        (&format!("{A} {}-1.0.0.nupkg 1", "x".repeat(244)), "a file name of more than 255 bytes"),
        (
            &format!("{A} https://h.example/{}-1.0.0.nupkg 1", "x".repeat(244)),
            "a file name of more than 255 bytes",
        ),
    ] {
        let error = refused(format!("\n{line}\n").as_bytes());
        assert_eq!(error, format!("RELEASES: line 2: {problem}"), "{line}");
    }
    let twice = format!("{A} App-1.0.0-full.nupkg 1\n{B} https://h.example/App-1.0.0-full.nupkg 1");
    assert_eq!(refused(twice.as_bytes()), "RELEASES: App-1.0.0-full.nupkg: listed twice");
    let utf16: Vec<u8> = twice.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(refused(&utf16), "RELEASES: the control character U+0000, which UTF-8 text does not have");
    let many = (0..=10_000).map(|n| format!("{A} App-{n}.nupkg 1\n")).collect::<Vec<_>>().concat();
    assert_eq!(refused(many.as_bytes()), "RELEASES: line 10001: too many packages");
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
    // A second upload adds the delta; the full package is already stored.
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
            "App-1.1.0-full.nupkg: size differs from the uploaded file: it has 5 bytes, not 4",
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
fn a_name_may_have_255_bytes() {
    let name = format!("{}-1.0.0.nupkg", "x".repeat(243));
    assert_eq!(name.len(), 255);
    assert_eq!(lines(&format!("{A} https://h.example/a/long/way/{name} 1"))[0].file_name(), name);
}

#[test]
fn a_staging_is_the_rollout_of_the_release() {
    let release = version("1.1.0");
    let files = [file("App-1.1.0-full.nupkg", 4)];
    let check_with = |rollout, releases: &str| {
        let rollout = BasisPoints::from_percent(rollout);
        let facts = UploadFacts { rollout, ..facts(&release, &files) };
        check(&parse(releases.as_bytes()).unwrap(), &facts).map(|_| ()).map_err(|error| error.to_string())
    };
    let own = |staging: &str| format!("{A} App-1.0.0-full.nupkg 1 # 5%\n{B} App-1.1.0-full.nupkg 4{staging}");
    let refused =
        |name: &str| Err(format!("RELEASES: {name}: staging differs from the rollout of the release"));
    for (rollout, staging, accepted) in [
        (100, "", true),
        (10, "", true),
        (10, "# 10%", true),
        (100, "# 100%", true),
        (100, "# 10%", false),
        (0, "# 10%", false),
    ] {
        let expected = if accepted { Ok(()) } else { refused("App-1.1.0-full.nupkg") };
        assert_eq!(check_with(rollout, &own(staging)), expected, "{rollout} {staging}");
    }
    let unknown = own("") + &format!("\n{C} App-1.1.0-delta.nupkg 3 # 10%");
    assert_eq!(
        check_with(100, &unknown),
        refused("App-1.1.0-delta.nupkg"),
        "also in a line that is left out"
    );
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
