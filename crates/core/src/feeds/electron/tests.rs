//! Tests of the electron-builder format as a whole.

use super::check::check;
use super::parse::parse;
use super::reference::ReferenceBase;
use super::render::{YmlOptions, render_yml};
use super::*;
use crate::feeds::testing::{Numbers, facts, file, offered_one, scope, version};
use crate::feeds::{FeedError, FeedRelease, ReleaseFeed, UploadFacts};
use crate::{BasisPoints, FileEntry, Scope, Timestamp};

/// Base64 and hexadecimal of 64 bytes 0xAB.
fn digest() -> (String, String) {
    let hex = "ab".repeat(64);
    (super::parse::hex_to_base64(&hex).unwrap(), hex)
}

fn read(yml: &str) -> ElectronInfo {
    parse(yml.as_bytes()).unwrap().0
}

fn refused(yml: &str) -> String {
    parse(yml.as_bytes()).unwrap_err().to_string()
}

fn checked(yml: &str, release: &str, files: &[FileEntry]) -> Result<ElectronInfo, String> {
    let release = version(release);
    check(&parse(yml.as_bytes()).unwrap(), &facts(&release, files)).map_err(|error| error.to_string())
}

fn written() -> String {
    let (sha512, hex) = digest();
    format!(
        "\u{feff}version: 1.2.0-beta.1\r\nfiles:\r\n  - url: App%20Setup%201.2.0.exe\r\n    sha512: >-\r\n      {sha512}\r\n    \
         size: 70\r\n    blockMapSize: 5\r\n    isAdminRightsRequired: true\r\n  - url: App 1.2.0.zip # second\r\n    \
         sha512: {hex}\r\npath: App Setup 1.2.0.exe\r\nsha512: {sha512}\r\nreleaseDate: '2026-11-21T01:53:42.000Z'\r\n\
         releaseNotes: |\r\n  one: two\r\n  - three\r\nstagingPercentage: 10\r\nminimumSystemVersion: 20.0.0\r\n"
    )
}

#[test]
fn files_of_the_tools_are_read() {
    let info = read(&written());
    let (sha512, _) = digest();
    assert_eq!(info.version, "1.2.0-beta.1");
    assert_eq!(info.files.len(), 2);
    assert_eq!(
        info.files[0],
        ElectronFile {
            file_name: "App%20Setup%201.2.0.exe".into(),
            sha512: sha512.clone(),
            size: Some(70),
            block_map_size: Some(5),
            is_admin_rights_required: Some(true),
        }
    );
    assert_eq!((info.files[1].sha512.as_str(), info.files[1].size), (sha512.as_str(), None));
    assert_eq!(info.release_date.as_deref(), Some("2026-11-21T01:53:42.000Z"));
    assert_eq!(info.release_notes, Some(ElectronNotes::Text("one: two\n- three\n".into())));
    assert_eq!(info.minimum_system_version.as_deref(), Some("20.0.0"));
}

#[test]
fn old_feeds_and_lists_of_notes() {
    let (sha512, _) = digest();
    let info = read(&format!(
        "version: 1.0.0\npath: App.exe\nsha512: {sha512}\nreleaseName: ~\nreleaseNotes:\n  - {{version: 1.0.0, note: a}}\n  \
         - version: 0.9.0\n    note: null\npackages:\n  x64: {{path: App.nsis.7z, sha512: {sha512}, size: 3}}\n"
    ));
    assert_eq!(info.files[0].file_name, "App.exe");
    assert_eq!(info.release_name, None);
    let note = |version: &str, note: Option<&str>| ElectronNote {
        version: version.into(),
        note: note.map(str::to_owned),
    };
    let notes = vec![note("1.0.0", Some("a")), note("0.9.0", None)];
    assert_eq!(info.release_notes, Some(ElectronNotes::List(notes)));
    assert_eq!((info.packages[0].arch.as_str(), info.packages[0].file.size), ("x64", Some(3)));
}

#[test]
fn bombs_and_nonsense_are_refused() {
    let (sha512, _) = digest();
    let one = format!("version: 1.0.0\nfiles:\n- url: a.exe\n  sha512: {sha512}\n");
    let bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n";
    let package = |n: u8| format!("  a{n}: {{path: a.7z, sha512: {sha512}}}\n");
    let packages = (0..33).map(package).collect::<Vec<_>>().concat();
    let deep = format!("version: 1\nx: {}{}", "[".repeat(20), "]".repeat(20));
    for (yml, problem) in [
        (bomb.to_owned(), "line 1: an anchor (&name), which feeds do not have"),
        (format!("{one}x: *y"), "line 5: not YAML"),
        (format!("{one}releaseNotes: !!js/function 'x'"), "line 5: a tag (!name), which feeds do not have"),
        (format!("{one}---\nversion: 2"), "line 5: more than one document"),
        (format!("{one}version: 2"), "line 5: the key \"version\" stands twice"),
        (format!("{one}[a]: 2"), "line 5: a key is a text, not a list or a map"),
        (deep, "line 2: more than 8 levels"),
        (format!("{one}x: [{}]", "1,".repeat(20_001)), "line 5: more than 20000 values"),
        (
            format!("{one}x: [{}]", "1".repeat(600_000)),
            "larger than 524288 bytes, and with brackets or braces",
        ),
        ("[".repeat(60_000), "line 1: not YAML"),
        ("- ".repeat(30_000), "line 1: more than 8 levels"),
        ("version: \"1".to_owned(), "line 1: not YAML"),
        (String::new(), "empty"),
        ("- a".to_owned(), "not a map of keys, as electron-builder writes it"),
        ("version: [1]".to_owned(), "version: a text, not a list or a map"),
        ("version: 1.0.0".to_owned(), "files: missing: it lists each file with url and sha512"),
        ("version: 1.0.0\nfiles: x".to_owned(), "files: a list of files, each with url and sha512"),
        ("version: 1.0.0\nfiles: [x]".to_owned(), "files[0]: missing url, the name of the file"),
        (
            format!("version: 1.0.0\nfiles:\n  - url: {}.exe\n", "x".repeat(252)),
            "files[0]: a file name of more than 255 bytes",
        ),
        ("version: 1.0.0\nfiles: [{url: a, sha2: 00}]".to_owned(), "files[0]: missing sha512"),
        (
            "version: 1.0.0\nfiles: [{url: a, sha512: AAAA}]".to_owned(),
            "files[0]: sha512: a SHA-512 in base64 or hexadecimal, not \"AAAA\"",
        ),
        (one.replace("a.exe", "a.exe\n  size: big"), "files[0]: size: a whole number, not \"big\""),
        ("version: 1.0.0\npath: a".to_owned(), "path: missing sha512"),
        (format!("{one}packages:\n{packages}"), "more than 32 packages"),
        (format!("{one}releaseNotes: {{a: b}}"), "releaseNotes: neither a text nor a list of notes"),
    ] {
        let error = refused(&yml);
        let expected = format!("*.yml: {problem}");
        assert_eq!(error, expected, "{}", yml.chars().take(80).collect::<String>());
    }
    let no_feed = FeedError::in_file(parse(b"files: []").unwrap_err(), "builder-debug.yml").to_string();
    let message =
        "builder-debug.yml is not a feed of electron-builder, because it has no version: leave it out";
    assert_eq!(no_feed, message);
    let in_file = FeedError::in_file(parse(b"- a").unwrap_err(), "latest.yml").to_string();
    assert!(in_file.starts_with("latest.yml: not a map"), "{in_file}");
    let utf16: Vec<u8> = one.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(
        parse(&utf16).unwrap_err().to_string(),
        "*.yml: the control character U+0000, which UTF-8 text does not have"
    );
}

#[test]
fn an_upload_is_compared() {
    let (exe, zip) = ("App Setup 1.2.0.exe", "App 1.2.0.zip");
    let with_sha512 = |mut entry: FileEntry, hex: String| {
        entry.sha512 = Some(hex);
        entry
    };
    let files = [
        with_sha512(file(exe, 70), digest().1.to_uppercase()),
        file(zip, 9),
        file("App Setup 1.2.0.exe.blockmap", 3),
    ];
    let info = checked(&written(), "1.2.0-beta.1", &files).unwrap();
    assert_eq!(info.files.iter().map(|f| f.file_name.as_str()).collect::<Vec<_>>(), [exe, zip]);
    assert_eq!(info.files[1].size, Some(9));
    let json = serde_json::to_string(&ReleaseFeed::ElectronBuilder(info.clone())).unwrap();
    assert_eq!(serde_json::from_str::<ReleaseFeed>(&json).unwrap(), ReleaseFeed::ElectronBuilder(info));

    let other = checked(&written(), "1.2.0", &[file(exe, 70), file(zip, 9)]).unwrap_err();
    assert_eq!(other, "*.yml says 1.2.0-beta.1, the release is 1.2.0");
    for (release, files, problem) in [
        ("1.2.0-beta.1", vec![file(exe, 70)], "App 1.2.0.zip: listed and not uploaded"),
        (
            "1.2.0-beta.1",
            vec![file(exe, 71), file(zip, 9)],
            "App Setup 1.2.0.exe: size differs from the uploaded file: it has 71 bytes, not 70",
        ),
        (
            "1.2.0-beta.1",
            vec![with_sha512(file(exe, 70), "cd".repeat(64)), file(zip, 9)],
            "App Setup 1.2.0.exe: sha512 differs from the uploaded file",
        ),
    ] {
        assert_eq!(checked(&written(), release, &files), Err(format!("*.yml: {problem}")));
    }
}

/// The names of the files and packages that an architecture keeps from a feed.
fn kept(yml: &str, has_archs: bool, names: &[&str]) -> Result<String, String> {
    let (release, files) = (version("1.0.0"), names.iter().map(|name| file(name, 7)).collect::<Vec<_>>());
    let facts = UploadFacts { has_archs, ..facts(&release, &files) };
    let info = check(&parse(yml.as_bytes()).unwrap(), &facts).map_err(|error| error.to_string())?;
    let packages = info.packages.iter().map(|package| &package.file);
    let names = info.files.iter().chain(packages).map(|file| file.file_name.as_str());
    Ok(names.collect::<Vec<_>>().join(" "))
}

#[test]
fn files_of_other_architectures_come_with_their_own_uploads() {
    let (sha512, _) = digest();
    let listed = |names: &[&str]| {
        let entry = |name: &&str| format!("- url: {name}\n  sha512: {sha512}\n  size: 7\n");
        names.iter().map(entry).collect::<Vec<_>>().concat()
    };
    let mac = ["App-mac.zip", "App-arm64-mac.zip", "App.dmg", "App-arm64.dmg"];
    let mac = format!("version: 1.0.0\nfiles:\n{}", listed(&mac));
    for (uploaded, result) in [
        (&["App-mac.zip", "App.dmg"][..], Ok("App-mac.zip App.dmg")),
        (&["App-arm64-mac.zip", "App-arm64.dmg"], Ok("App-arm64-mac.zip App-arm64.dmg")),
        (&["App-arm64-mac.zip"], Err("*.yml: App-arm64.dmg: listed and not uploaded")),
        (&["App.dmg"], Err("*.yml: App-mac.zip: listed and not uploaded")),
        (&["App.dmg.blockmap"], Err("*.yml: App-mac.zip: listed and not uploaded")),
    ] {
        let expected = result.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(kept(&mac, true, uploaded), expected, "{uploaded:?}");
    }
    let message = kept(&mac, false, &["App-mac.zip", "App.dmg"]).unwrap_err();
    assert_eq!(message, "*.yml: App-arm64-mac.zip: listed and not uploaded", "there are no architectures");

    let package = |arch: &str| format!("  {arch}: {{path: app-{arch}.nsis.7z, sha512: {sha512}, size: 7}}\n");
    let packages = format!("{}{}", package("x64"), package("arm64"));
    let web = format!("version: 1.0.0\nfiles:\n{}packages:\n{packages}", listed(&["App-Web-Setup.exe"]));
    let arm = kept(&web, true, &["App-Web-Setup.exe", "app-arm64.nsis.7z"]);
    assert_eq!(arm.as_deref(), Ok("App-Web-Setup.exe app-arm64.nsis.7z"));
    let message = kept(&web, true, &["App-Web-Setup.exe"]).unwrap_err();
    assert_eq!(message, "*.yml: app-x64.nsis.7z: listed and not uploaded");

    let custom = format!("version: 1.0.0\nfiles:\n{}", listed(&["App-intel.exe", "App-silicon.exe"]));
    assert_eq!(kept(&custom, true, &["App-silicon.exe"]).as_deref(), Ok("App-silicon.exe"));
}

#[test]
fn several_feeds_are_one() {
    let (sha512, _) = digest();
    let yml = |name: &str| format!("version: 1.0.0\npath: {name}\nsha512: {sha512}\n");
    let feeds = ["a.exe", "a.exe", "b.exe"].map(|name| parse(yml(name).as_bytes()).unwrap());
    let merged = ElectronYml::merge(feeds.iter()).unwrap();
    assert_eq!(merged.0.files.len(), 2);
    let other = parse(yml("a.exe").replace("1.0.0", "1.1.0").as_bytes()).unwrap();
    let error = ElectronYml::merge([&merged, &other].into_iter()).unwrap_err();
    assert_eq!(error.to_string(), "*.yml: version: differs between feeds");
}

fn info(name: &str) -> ElectronInfo {
    let file = ElectronFile {
        file_name: name.into(),
        sha512: digest().0,
        size: Some(7),
        block_map_size: None,
        is_admin_rights_required: None,
    };
    ElectronInfo {
        version: "1.2.0".into(),
        files: vec![file],
        packages: Vec::new(),
        release_date: None,
        release_name: None,
        release_notes: None,
        minimum_system_version: None,
    }
}

fn options(scope: &Scope) -> YmlOptions<'_> {
    YmlOptions {
        base: ReferenceBase { scope, own_arch: None, has_several_archs: false },
        staging_percentage: None,
        released_at: Timestamp::from_millis(1_795_225_422_999),
        changelog: "",
    }
}

#[test]
fn architectures_of_macos_are_one_file() {
    let (arm, intel, universal) = (info("App-arm64.zip"), info("App.zip"), info("App.zip"));
    let release = version("1.2.0");
    let part = |arch, info| FeedRelease { arch: Some(arch), ..offered_one(&release, 100, info) };
    let parts = [part("arm64", &arm), part("x64", &intel), part("universal", &universal)];
    let scope = Scope { arch: Some("arm64".parse().unwrap()), ..scope() };
    let base = ReferenceBase { scope: &scope, own_arch: Some("arm64"), has_several_archs: true };
    let options = YmlOptions {
        base,
        staging_percentage: Some(BasisPoints::from_percent(20)),
        changelog: "New: \"a\"\n# b",
        ..options(&scope)
    };
    let (sha512, _) = digest();
    assert_eq!(
        render_yml(&parts, &options).unwrap(),
        format!(
            "version: \"1.2.0\"\nfiles:\n  - url: \"../../%7864/1.2.0/files/App.zip\"\n    sha512: \"{sha512}\"\n    \
             size: 7\n  - url: \"../../universal/1.2.0/files/App.zip\"\n    sha512: \"{sha512}\"\n    size: 7\n  - url: \
             \"../1.2.0/files/App-arm64.zip\"\n    sha512: \"{sha512}\"\n    size: 7\npath: \
             \"../../%7864/1.2.0/files/App.zip\"\nsha512: \"{sha512}\"\nreleaseNotes: \"New: \\\"a\\\"\\n# b\"\n\
             stagingPercentage: 20\nreleaseDate: \"2026-11-21T01:43:42+00:00\"\n"
        )
    );
    let mut older = info("App-1.1.0-arm64.zip");
    older.version = "1.1.0".into();
    let options = YmlOptions { staging_percentage: None, ..options };
    let yml = render_yml(&[part("x64", &intel), part("arm64", &older)], &options).unwrap();
    assert!(!yml.contains("arm64") && !yml.contains("stagingPercentage"), "{yml}");
    assert_eq!(render_yml(&[], &options), None);
}

/// All texts in a feed survive rendering and parsing.
#[test]
fn feeds_are_read_back() {
    const PIECES: [&str; 22] = [
        "\"", "'", "\\", "\n", "\r\n", "\t", ": ", "- ", "#", "&a", "*a", "!t", "---\n", "%", "é", "💥",
        "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}", "null", " ",
    ];
    let (mut numbers, release, scope) = (Numbers(3), version("1.2.0"), scope());
    let mut any =
        |most: usize| -> String { (0..numbers.below(most)).map(|_| *numbers.pick(&PIECES)).collect() };
    for _ in 0..500 {
        let mut info = info("App Setup 1.2.0.exe");
        info.release_name = Some(any(6));
        info.release_date = Some(any(6));
        info.minimum_system_version = Some(any(4));
        info.release_notes = Some(if any(2).is_empty() {
            ElectronNotes::Text(any(20))
        } else {
            ElectronNotes::List(vec![
                ElectronNote { version: any(4), note: Some(any(9)) },
                ElectronNote { version: any(4), note: None },
            ])
        });
        let arch = any(4);
        info.packages = vec![ElectronPackage { arch, file: info.files[0].clone() }];
        let yml = render_yml(&[offered_one(&release, 100, &info)], &options(&scope)).unwrap();
        let mut back = parse(yml.as_bytes()).unwrap_or_else(|error| panic!("{error}: {yml}")).0;
        for file in back.files.iter_mut().chain(back.packages.iter_mut().map(|package| &mut package.file)) {
            file.file_name = file.file_name.replace("../1.2.0/files/", "").replace("%20", " ");
        }
        assert_eq!(back, info, "{yml}");
    }
}

#[test]
fn large_feeds() {
    let limit = usize::try_from(crate::MAX_FEED_BYTES).unwrap();
    let padded = |start: String, end: &str, length: usize| {
        let filler = "  notes of a release\n";
        let room = length - start.len() - end.len();
        let text = filler.repeat(room / filler.len()) + &"\n".repeat(room % filler.len());
        start + &text + end
    };
    let notes = || format!("{}releaseNotes2: |\n", written().replace("\r\n", "\n"));

    assert!(parse(padded(notes(), "", limit).as_bytes()).is_ok());
    let refused = |text: String| parse(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(refused(padded(notes(), "", limit + 1)), "*.yml: larger than 10485760 bytes");
    let message = refused(padded(notes(), "x: [a]\n", 600 * 1024));
    assert_eq!(message, "*.yml: larger than 524288 bytes, and with brackets or braces");
}
