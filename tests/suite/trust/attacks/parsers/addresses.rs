//! Addresses with names that lead elsewhere.

use spindrift_tests::{Driver, on_hosts};

use super::super::hosted::Hosted;

on_hosts! {
    every: [names_in_addresses],
}

fn names_in_addresses(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let (folder, file) = target.name.rsplit_once('/').unwrap();
    let long = "a".repeat(2000);
    for path in [
        "acme/notes/metadata/../../../../health".to_owned(),
        "acme/notes/metadata/%2e%2e%2f%2e%2e%2ftimestamp.json".to_owned(),
        "acme/notes/metadata/..%2ftimestamp.json".to_owned(),
        "acme/notes/metadata/timestamp.json%00".to_owned(),
        "acme/notes/metadata/timestamp.json/".to_owned(),
        "acme/notes/metadata//timestamp.json".to_owned(),
        "acme/notes/metadata/1.channel-..%2f..%2ftimestamp.json".to_owned(),
        format!("acme/notes/metadata/{long}.root.json"),
        "acme/../acme/notes/metadata/timestamp.json".to_owned(),
        "%2e%2e/notes/metadata/timestamp.json".to_owned(),
        "acme/%2e%2e/metadata/timestamp.json".to_owned(),
        format!("acme/notes/targets/../targets/{}", target.name),
        format!("acme/notes/targets/%2e%2e/{}", target.name),
        format!("acme/notes/targets/x/../{}", target.name),
        format!("acme/notes/targets/{folder}/./{file}"),
        format!("acme/notes/targets/{folder}/%2e%2e%2f{file}"),
        format!("acme/notes/targets/{folder}//{file}"),
        format!("acme/notes/targets/{folder}/{}.{file}", "0".repeat(64)),
        format!("acme/notes/targets/{}/{}", long, target.name),
        "acme/notes/targets/%ff%fe".to_owned(),
    ] {
        // Written by hand: a client would resolve dots before it asks.
        let request = format!("GET /tuf/repository/{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = spindrift_tests::raw(&hosted.world.url(), request.as_bytes());
        let status = answer.split(' ').nth(1).unwrap_or_default().to_owned();
        let first = answer.lines().next().unwrap_or_default();
        assert!(["400", "404", "414"].contains(&status.as_str()), "{path}: {first}");
    }
    for (path, status) in
        [("metadata/timestamp.json".to_owned(), 200), (format!("targets/{}", target.name), 302)]
    {
        let answer = hosted.world.get(&format!("/tuf/repository/acme/notes/{path}")).send();
        assert_eq!(answer.status, status, "{path}");
    }
}
