//! All calls, from C.

use std::fs;

use tempfile::TempDir;

use crate::build::{can_link, command, compile, package, run};
use crate::server::Server;
use crate::signed::SignedMetadata;

/// The program has the assertions, so this test has those about its requests.
#[test]
fn every_call_can_be_made_from_c() {
    if !can_link() {
        return;
    }
    let signed = SignedMetadata::new();
    let accepted = br#"{"status": "accepted", "group_hash": "9f86", "stored_details": false}"#;
    let none = br#"{"update_available": false, "critical": false, "version": "1.2.0"}"#;
    let unsigned =
        br#"{"update_available": true, "critical": false, "version": "1.4.0", "update_url_deb": "http://127.0.0.1/x"}"#;
    let own = [
        ("/reports/ingest".to_owned(), (202, "", accepted.to_vec())),
        ("/none/checkVersion".to_owned(), (200, "", none.to_vec())),
        ("/busy/checkVersion".to_owned(), (503, "Retry-After: 7\r\n", Vec::new())),
        ("/unsigned/checkVersion".to_owned(), (200, "", unsigned.to_vec())),
    ];
    // The same metadata, also where the service is said to be in a folder.
    let elsewhere = signed.answers.iter().map(|(path, answer)| (format!("/unsigned{path}"), answer.clone()));
    let server = Server::start(own.into_iter().chain(elsewhere).chain(signed.answers.clone()));
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("root.json"), &signed.root).unwrap();
    let program = folder.path().join("calls");
    compile(&package().join("tests/suite/calls.c"), &program);

    let said = run(&mut command(&program, [&server.url, &folder.path()]));

    assert!(said.ends_with("all calls are fine\n"), "{said}");
    let reports: Vec<String> =
        server.requests().into_iter().filter(|request| request.starts_with("POST")).collect();
    assert_eq!(reports.len(), 2, "one by the kit, one at once");
    for (report, (event, reason)) in
        reports.iter().zip([("update_failure", "digest.mismatch"), ("crash", "uncaught.oops")])
    {
        assert!(report.contains(event) && report.contains(reason), "{report}");
    }
}
