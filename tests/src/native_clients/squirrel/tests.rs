//! Tests with feeds as packagers and services write them.

use super::*;
use crate::file_server::{Entry as Served, FileServer};
use crate::native_clients::nupkg::Package;

const SHA1: &str = "94689fede03fed7ab59c24337673a27837f0c3ec";
/// The last four bytes are 0, so this installation is in every stage above 0 percent.
const FIRST: &str = "aaaaaaaa-aaaa-aaaa-aaaa-aaaa00000000";
const LAST: &str = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaffffffff";

fn line(name: &str, size: u64) -> String {
    format!("{SHA1} {name} {size}")
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.apply.iter().map(|entry| entry.file_name.as_str()).collect()
}

fn planned(feed: &str, local: Option<&str>, beta_id: Option<&str>) -> Result<Plan, String> {
    let local = local.map(|text| PackageVersion::parse(text).unwrap());
    plan(&parse(feed.as_bytes())?, local.as_ref(), beta_id)
}

#[test]
fn lines_are_read_as_the_client_does() {
    let feed = format!(
        "\u{feff}# a comment\r\n\r\n{}\r\n{}\n{} # note\n",
        line("App-1.0.0-full.nupkg", 10),
        line("https://h.example:8/a%20b/My%20App-1.1.0.2-Delta.nupkg?k=%2F", 11),
        line("App-2.0.0-beta1-full.nupkg", 12),
    );
    let entries = parse(feed.as_bytes()).unwrap();
    let [first, second, third] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((first.file_name.as_str(), first.size, first.is_delta), ("App-1.0.0-full.nupkg", 10, false));
    assert_eq!(second.base_url.as_deref(), Some("https://h.example:8/a b/"));
    assert_eq!((second.file_name.as_str(), second.query.as_str()), ("My App-1.1.0.2-Delta.nupkg", "?k=%2F"));
    assert!(second.is_delta && second.staging_percent.is_none());
    assert_eq!(third.version, PackageVersion::parse("2.0.0-BETA1").unwrap());
    assert!(first.version < second.version && second.version < third.version);
}

#[test]
fn one_bad_line_fails_the_whole_feed() {
    let good = line("App-1.0.0-full.nupkg", 10);
    for bad in [
        format!("{SHA1} My App-1.0.0-full.nupkg 10"),
        line("sub/App-1.0.0-full.nupkg", 1),
        format!("{} App-1.0.0-full.nupkg 10", &SHA1[1..]),
        format!("{SHA1} App-1.0.0-full.nupkg"),
        line("App-full.nupkg", 1),
    ] {
        assert!(parse(format!("{good}\n{bad}\n").as_bytes()).is_err(), "{bad}");
    }
    assert_eq!(parse(b"\n").unwrap(), []);
}

#[test]
fn versions_come_from_names_and_order_as_text() {
    let version = |name: &str| parse(line(name, 1).as_bytes()).unwrap().remove(0).version;
    let of = |text: &str| PackageVersion::parse(text).unwrap();
    assert_eq!(version("App-1.0.0-beta.1-full.nupkg"), of("1"));
    assert_eq!(version("App-1.2-full.nupkg"), of("1.2.0.0"));
    assert!(of("1.0.0-beta10") < of("1.0.0-beta2") && of("1.0.0-rc") < of("1.0.0"));
    assert!(PackageVersion::parse("1.2.3.4.5").is_err());
}

#[test]
fn staging_needs_line_feeds_and_an_id() {
    let old = line("App-1.0.0-full.nupkg", 10);
    let staged = format!("{old}\n{}# 50%\n", line("App-1.1.0-full.nupkg", 10));
    assert_eq!(names(&planned(&staged, Some("1.0.0"), Some(FIRST)).unwrap()), ["App-1.1.0-full.nupkg"]);
    assert!(planned(&staged, Some("1.0.0"), Some(LAST)).unwrap().apply.is_empty());
    assert_eq!(names(&planned(&staged, None, None).unwrap()), ["App-1.0.0-full.nupkg"]);
    // Little-endian: the bytes 01 00 00 00 are 1.
    let almost_first = "aaaaaaaa-aaaa-aaaa-aaaa-aaaa01000000";
    assert_eq!(planned(&staged, Some("1.0.0"), Some(almost_first)).unwrap().apply.len(), 1);

    let ignored = staged.replace('\n', "\r\n");
    assert_eq!(names(&planned(&ignored, Some("1.0.0"), Some(LAST)).unwrap()), ["App-1.1.0-full.nupkg"]);

    let only_staged = staged.lines().last().unwrap().to_owned();
    let error = planned(&only_staged, None, None).unwrap_err();
    assert_eq!(error, "Remote release File is empty or corrupted");
}

#[test]
fn deltas_are_taken_while_they_are_smaller() {
    let feed = |delta: u64| {
        let full = ["1.0.0", "1.1.0", "1.2.0"].map(|v| line(&format!("App-{v}-full.nupkg"), 100));
        let deltas = ["1.2.0", "1.1.0"].map(|v| line(&format!("App-{v}-delta.nupkg"), delta));
        [full.join("\n"), deltas.join("\n")].join("\n")
    };
    let with = |size: u64, local: &str| planned(&feed(size), Some(local), None).unwrap();
    assert_eq!(names(&with(49, "1.0.0")), ["App-1.1.0-delta.nupkg", "App-1.2.0-delta.nupkg"]);
    assert_eq!(names(&with(50, "1.0.0")), ["App-1.2.0-full.nupkg"]);
    assert_eq!(names(&with(50, "1.1.0")), ["App-1.2.0-delta.nupkg"]);
    assert!(with(1, "1.2.0").apply.is_empty() && with(1, "9.0.0").apply.is_empty());

    let without_full = line("App-1.3.0-delta.nupkg", 1);
    let error = planned(&format!("{}\n{without_full}", feed(1)), Some("1.0.0"), None).unwrap_err();
    assert_eq!(error, "There should always be at least one full release");
}

#[test]
fn packages_are_downloaded_and_checked() {
    let (old, new) = (Package::new("App", "1.0.0"), Package::new("App", "1.1.0").with_file("App.exe", b"2"));
    let (old_bytes, new_bytes) = (old.bytes(), new.bytes());
    let feed = releases(&[(&old.full_name(), &old_bytes), (&new.full_name(), &new_bytes)]);
    let server = FileServer::start([
        ("/feed/RELEASES", Served::File(feed.clone())),
        ("/feed/App-1.1.0-full.nupkg", Served::Redirect("/files/a.nupkg".to_owned())),
        ("/files/a.nupkg", Served::File(new_bytes.clone())),
        ("/bad/RELEASES", Served::File(feed)),
        ("/bad/App-1.1.0-full.nupkg", Served::File(old_bytes)),
    ]);
    let app = |path: &str| SquirrelApp {
        base: format!("{}/{path}", server.url()),
        id: "App".to_owned(),
        version: Some("1.0.0".to_owned()),
        beta_id: None,
    };

    let plan = app("feed/").check().unwrap();

    assert_eq!(names(&plan), ["App-1.1.0-full.nupkg"]);
    assert_eq!(app("feed").download(&plan.newest).unwrap(), new_bytes);
    assert_eq!(server.asked()[0], "/feed/RELEASES?id=App&localVersion=1.0.0&arch=amd64");
    let wrong = app("bad").download(&app("bad").check().unwrap().newest).unwrap_err();
    assert!(wrong.contains("bytes instead of"), "{wrong}");
    assert_eq!(app("nothing").check().unwrap_err(), "status 404");
}
