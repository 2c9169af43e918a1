//! The header, which is written from the source.

use std::fs;

use crate::build::package;

/// If this variable is set, the test writes the header.
const WRITE: &str = "SPINDRIFT_WRITE_HEADER";
/// The files with public items, in the order of the header.
const FILES: [&str; 11] = [
    "status", "error", "config", "client", "kit", "check", "update", "progress", "download", "trust",
    "report",
];
/// The last one, and those without public items for C.
const OTHERS: [&str; 3] = ["program", "raw", "lib"];

#[test]
fn the_header_is_that_of_the_source() {
    let source = package().join("src");
    let mut builder = cbindgen::Builder::new()
        .with_config(cbindgen::Config::from_file(package().join("cbindgen.toml")).unwrap())
        .with_header(contract());
    for name in FILES.iter().chain(&OTHERS[..2]) {
        builder = builder.with_src(source.join(format!("{name}.rs")));
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    // The name of a type is a pointer here, which cbindgen does not expect.
    let header = String::from_utf8(header).unwrap().replace("const char * ", "const char *");

    let file = package().join("include/spindrift.h");
    if std::env::var_os(WRITE).is_some() {
        fs::write(&file, &header).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == header, "include/spindrift.h differs from the source: run this test with {WRITE}=1");
}

/// The comment of the library, without the line about this source.
fn contract() -> String {
    let library = fs::read_to_string(package().join("src/lib.rs")).unwrap();
    let lines = library.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<String> = lines.map(|line| format!("//{line}")).collect();
    format!("// Written from the source by crates/client-c/tests/suite/header.rs\n//\n{}", lines.join("\n"))
}

#[test]
fn every_file_is_in_the_header() {
    let mut expected: Vec<String> = FILES.iter().chain(&OTHERS).map(|name| format!("{name}.rs")).collect();
    expected.sort();
    let files = fs::read_dir(package().join("src")).unwrap();
    let mut found: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, expected);
}
