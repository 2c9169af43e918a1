//! How pages and badges look, and what browsers may do with them.

use serde_json::json;
use spindrift_tests::{Driver, Multipart, Release, World, on_hosts};

use super::{LINUX, PAGE, acme, page, update};

on_hosts! {
    every: [
        a_page_has_no_scripts_and_says_so,
        the_color_has_readable_text,
        a_badge_has_the_newest_version,
    ],
}

fn a_page_has_no_scripts_and_says_so(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let form = Multipart::new()
        .field("data", json!({ "id": acme.app_id("notes") }).to_string())
        .file("logo.gif", b"GIF89a\x01\0\x01\0\0\0\0;");
    let _ = acme.post_multipart("/app/update", form).send().expect(200);

    for path in [PAGE.to_owned(), format!("{PAGE}/why"), "/get/acme/unknown".to_owned()] {
        let answer = world.get(&path).header("user-agent", LINUX).send();
        let (text, policy) = (answer.text(), answer.header("content-security-policy"));
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{path}: {policy}");
        assert!(!policy.contains("script-src") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let is_in_a_tag =
            |part: &str| text.split('<').any(|tag| tag.split('>').next().unwrap().contains(part));
        assert!(!["script", " style=", " on"].into_iter().any(is_in_a_tag), "{text}");
        for part in ["<html lang=\"en\">", "<main>", "name=\"viewport\""] {
            assert!(text.contains(part), "{path}: {part}: {text}");
        }
        assert_eq!(text.matches("<h1>").count(), 1, "{path}: {text}");
        let has_logo = text.contains("<img");
        assert_eq!(has_logo, path != "/get/acme/unknown", "{text}");
        assert_eq!(policy.contains(&format!(" img-src {};", world.store().url())), has_logo, "{policy}");
    }
}

fn the_color_has_readable_text(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));

    for (color, text) in [("#ffd400", "#000000"), ("#0A5F86", "#ffffff")] {
        let _ = update(&acme, json!({ "get_page_color": color })).expect(200);
        let style = format!("--accent:{};--on-accent:{text}", color.to_ascii_lowercase());
        assert!(page(&world, LINUX).contains(&style), "{style}");
    }
    for color in ["red", "#12345", "#000000;}body{display:none"] {
        let refused = update(&acme, json!({ "get_page_color": color })).refusal();
        assert_eq!(refused, (400, "invalid get_page_color parameter".to_owned()), "{color}");
    }
    assert!(page(&world, LINUX).contains("--accent:#0a5f86"), "it is as before");
    let _ = update(&acme, json!({ "get_page_color": "" })).expect(200);
    assert!(!page(&world, LINUX).contains("--accent:#"));
}

fn a_badge_has_the_newest_version(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let path = format!("{PAGE}/badge.svg");
    assert_eq!(world.get(&path).send().status, 404, "nothing is published");
    acme.publish(Release::new("2.0.1"));

    let badge = world.get(&path).send().expect(200);
    assert_eq!(badge.header("content-type"), "image/svg+xml");
    assert!(badge.text().starts_with("<svg ") && badge.text().contains("<title>notes: 2.0.1</title>"));
    let latest = world.get("/apps/latest?app_name=notes&owner=acme").send().expect(302);
    assert_eq!(badge.header("cache-control"), latest.header("cache-control"));
    let again = world.get(&path).header("if-none-match", badge.header("etag")).send();
    assert_eq!((again.status, again.body.len()), (304, 0));

    acme.publish(Release::new("2.1.0"));
    let newer = world.get(&path).header("if-none-match", badge.header("etag")).send().expect(200);
    assert!(newer.text().contains("notes: 2.1.0"), "{}", newer.text());
}
