//! The service's own documentation of its interface.

use serde_json::Value;
use spindrift_tests::contract::DOCUMENT;
use spindrift_tests::{Driver, World, on_hosts};

on_hosts! {
    every: [
        the_document_is_served,
        the_page_loads_nothing_from_elsewhere,
        readers_keep_what_has_not_changed,
    ],
}

fn the_document_is_served(host: Driver) {
    let world = World::new(host);

    let answer = world.get("/openapi.json").send().expect(200);

    assert_eq!(answer.json(), serde_json::from_str::<Value>(DOCUMENT).unwrap());
    assert_eq!(answer.header("content-type"), "application/json");
}

fn the_page_loads_nothing_from_elsewhere(host: Driver) {
    let world = World::new(host);

    for path in ["/docs", "/docs/"] {
        let page = world.get(path).send().expect(200);

        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert!(page.header("content-security-policy").starts_with(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
        ));
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert!(page.text().contains("href=\"/docs/style.css\""));
        assert!(page.text().contains("id=\"getHealth\""));
    }
    let style = world.get("/docs/style.css").send().expect(200);
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
    assert!(style.text().contains("light-dark("));
    assert_eq!(world.get("/docs/nothing").send().refusal(), (404, "not found".to_owned()));
}

fn readers_keep_what_has_not_changed(host: Driver) {
    let world = World::new(host);

    for path in ["/openapi.json", "/docs", "/docs/style.css"] {
        let first = world.get(path).send().expect(200);
        assert_eq!(first.header("cache-control"), "public, max-age=60, must-revalidate");
        let again = world.get(path).header("if-none-match", first.header("etag")).send().expect(304);
        assert!(again.body.is_empty());
    }
}
