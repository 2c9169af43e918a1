use std::path::Path;

use clap::Parser as _;
use spindrift_api::ReleaseData;

use super::{ArchOptions, ArchPart, FileArch};
use crate::publish::files::{LocalFile, ReleaseFiles};

#[derive(Debug, clap::Parser)]
struct Words {
    #[command(flatten)]
    options: ArchOptions,
    #[arg(long)]
    arch: Option<String>,
}

fn files(names: &str) -> ReleaseFiles {
    let is_feed = |file: &LocalFile| Path::new(&file.name).extension().is_some_and(|end| end == "yml");
    let (feeds, large) = names.split_whitespace().map(file).partition(is_feed);
    ReleaseFiles { large, feeds }
}

fn file(name: &str) -> LocalFile {
    LocalFile { path: name.into(), name: name.to_owned(), length: 1 }
}

fn part_text(part: &ArchPart) -> String {
    let arch = match &part.arch {
        FileArch::Named(name) => name.to_string(),
        FileArch::Of(processor) => processor.names()[0].to_owned(),
    };
    let all = part.files.large.iter().chain(&part.files.feeds).map(|file| file.name.as_str());
    format!("{arch}: {}", all.collect::<Vec<_>>().join(" "))
}

fn split(words: &str, names: &str, packages: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let words = Words::try_parse_from(std::iter::once("x").chain(words.split_whitespace())).unwrap();
    let packages = packages.iter().map(|(name, package)| ((*name).to_owned(), (*package).to_owned()));
    let data = ReleaseData { arch: words.arch, packages: packages.collect(), ..ReleaseData::default() };
    let parts = words.options.split(&files(names), &data).map_err(|error| error.to_string())?;
    Ok(parts.map_or_else(Vec::new, |parts| parts.iter().map(part_text).collect()))
}

#[test]
fn builds_of_electron_builder_are_sorted() {
    for (names, expected) in [
        (
            "A-mac.zip A-mac.zip.blockmap A-arm64-mac.zip A-arm64-mac.zip.blockmap A.dmg A-arm64.dmg \
             latest-mac.yml",
            &[
                "x64: A-mac.zip A-mac.zip.blockmap A.dmg latest-mac.yml",
                "arm64: A-arm64-mac.zip A-arm64-mac.zip.blockmap A-arm64.dmg latest-mac.yml",
            ][..],
        ),
        (
            "A.AppImage A-arm64.AppImage a_amd64.deb a_arm64.deb latest-linux.yml latest-linux-arm64.yml",
            &[
                "x64: A.AppImage a_amd64.deb latest-linux.yml",
                "arm64: A-arm64.AppImage a_arm64.deb latest-linux-arm64.yml",
            ],
        ),
        (
            "A-Web-Setup.exe a-x64.nsis.7z a-arm64.nsis.7z a-ia32.nsis.7z latest.yml",
            &[
                "x64: A-Web-Setup.exe a-x64.nsis.7z latest.yml",
                "arm64: A-Web-Setup.exe a-arm64.nsis.7z latest.yml",
                "ia32: A-Web-Setup.exe a-ia32.nsis.7z latest.yml",
            ],
        ),
        (
            "A-x64.exe A-arm64.exe notes.txt latest.yml",
            &["x64: A-x64.exe notes.txt latest.yml", "arm64: A-arm64.exe notes.txt latest.yml"],
        ),
    ] {
        assert_eq!(split("", names, &[]).unwrap(), expected, "{names}");
    }
}

#[test]
fn one_upload_stays_one() {
    for (words, names) in [
        ("", "A.exe A.msi latest.yml"),
        ("", "A-arm64.exe A-arm64.exe.blockmap latest.yml"),
        ("", "a-x64.msi a-arm64.dmg"),
        ("", "A-1-full.nupkg A-arm64-1-full.nupkg"),
        ("", "A.exe B.exe"),
        ("--arch arm64", "A-mac.zip A-arm64-mac.zip"),
    ] {
        assert_eq!(split(words, names, &[]).unwrap(), [""; 0], "{words} {names}");
    }
}

#[test]
fn patterns_win_over_names() {
    let words = "--arch-of *silicon*=m1 --arch-of *=intel";
    let parts = split(words, "A-silicon.zip A-x64.zip latest-mac.yml", &[]).unwrap();
    assert_eq!(parts, ["intel: A-x64.zip latest-mac.yml", "m1: A-silicon.zip latest-mac.yml"]);
    let parts =
        split("--arch-of *silicon*=m1 --arch-of *.zip=intel", "A-silicon.zip A.zip latest-mac.yml", &[]);
    assert_eq!(parts.unwrap(), ["intel: A.zip latest-mac.yml", "m1: A-silicon.zip latest-mac.yml"]);
    for words in ["--arch-of arm64", "--arch-of [=x64", "--arch-of *=a/b", "--arch-of *=x64 --arch x64"] {
        let words = std::iter::once("x").chain(words.split(' '));
        assert!(Words::try_parse_from(words.clone()).is_err(), "{words:?}");
    }
}

#[test]
fn a_file_too_many_is_refused() {
    let names = "A-Setup.exe A-x64.exe A-arm64.exe latest.yml";
    let text = split("", names, &[]).unwrap_err();
    assert!(text.contains("--arch-of \"A-Setup.exe=ARCH\"") && text.contains("--package"), "{text}");
    let parts = split("--arch-of A-Setup.exe=x64", names, &[("A-Setup.exe", "setup")]);
    let all = ["x64: A-Setup.exe latest.yml", "x64: A-x64.exe latest.yml", "arm64: A-arm64.exe latest.yml"];
    assert_eq!(parts.unwrap(), all);
    let text = split("", "A-x64.zip A-arm64.zip latest-mac-ia32.yml", &[]).unwrap_err();
    assert!(text.starts_with("latest-mac-ia32.yml: there is no file for this processor"), "{text}");
}

#[test]
fn parts_of_one_name_are_one_upload() {
    let part =
        |names: &str| ArchPart { arch: FileArch::Of(spindrift_core::Processor::X64), files: files(names) };
    let parts = vec![part("B.exe latest.yml"), part("A.exe latest.yml"), part("C.exe")];
    let all = super::by_name(parts, ["x64", "x64", "arm64"].map(str::to_owned).into());
    assert_eq!(all["x64"], files("A.exe B.exe latest.yml"));
    assert_eq!(all["arm64"], files("C.exe"));
}
