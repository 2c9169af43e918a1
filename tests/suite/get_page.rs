//! Pages for the users of an application: `GET /get/{owner}/{app}`, its badge, and `why`.

mod look;
mod why;

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Multipart, PUBLIC_BUCKET, Release, World, on_hosts};

on_hosts! {
    every: [
        there_is_no_page_until_it_is_turned_on,
        the_button_fits_the_visitor,
        a_partial_rollout_shows_the_release_before,
        a_withdrawn_release_is_gone,
        a_channel_can_be_chosen,
        a_private_application_tells_no_more_than_checks,
        names_and_notes_run_nothing,
    ],
    in_process: [a_failing_store_is_not_an_absence],
}

const PAGE: &str = "/get/acme/notes";
const WINDOWS: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const MAC: &str =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15";
const LINUX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

fn update(acme: &Account, fields: Value) -> Answer {
    let mut data = json!({ "id": acme.app_id("notes") });
    let Value::Object(fields) = fields else { panic!("no object") };
    data.as_object_mut().unwrap().extend(fields);
    acme.post_multipart("/app/update", Multipart::new().field("data", data.to_string())).send()
}

/// An application with a page.
pub(crate) fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    let _ = update(&acme, json!({ "get_page": true })).expect(200);
    acme
}

fn page(world: &World, agent: &str) -> String {
    world.get(PAGE).header("user-agent", agent).send().expect(200).text()
}

/// The link of the button; empty without one.
fn button(page: &str) -> &str {
    let start = page.split("class=\"button\" href=\"").nth(1);
    start.and_then(|rest| rest.split('"').next()).unwrap_or_default()
}

fn link(world: &World, place: &str, file: &str) -> String {
    format!("{}/{PUBLIC_BUCKET}/acme/notes/{place}/notes-{file}", world.store().url())
}

fn there_is_no_page_until_it_is_turned_on(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let unknown = |path: &str| world.get(&format!("/get/nobody/nothing{path}")).send().expect(404).text();

    for path in ["", "/badge.svg", "/why", "/why?device=device-1&version=1.0.0"] {
        let off = world.get(&format!("{PAGE}{path}")).send().expect(404);
        assert_eq!(off.text(), unknown(path), "{path}");
        assert_eq!(off.header("cache-control"), "no-store", "{path}");
    }

    let _ = update(&acme, json!({ "get_page": true })).expect(200);
    for path in ["", "/badge.svg", "/why", "/why?device=device-1&version=1.0.0"] {
        let path = format!(
            "{PAGE}{path}{}platform=linux&arch=amd64&channel=stable",
            if path.contains('?') { "&" } else { "?" }
        );
        assert_eq!(world.get(&path).send().status, 200, "{path}");
    }

    let _ = update(&acme, json!({ "get_page": false })).expect(200);
    assert_eq!(world.get(PAGE).header("user-agent", LINUX).send().expect(404).text(), unknown(""));
}

fn the_button_fits_the_visitor(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform("windows");
    acme.create_platform("darwin");
    acme.create_arch("arm64");
    acme.publish(Release::empty("2.0.0").file("n.deb", "deb").file("n.rpm", "rpm").with_digests());
    acme.publish(Release::empty("2.0.0").file("n.deb", "arm deb").with("arch", "arm64"));
    acme.publish(Release::empty("2.0.0").file("n.exe", "exe").with("platform", "windows"));
    acme.publish(Release::empty("2.0.0").file("n.dmg", "dmg").with("platform", "darwin"));
    acme.publish(
        Release::empty("2.0.0").file("n.dmg", "arm dmg").with("platform", "darwin").with("arch", "arm64"),
    );

    for (agent, place, file) in [
        (WINDOWS, "stable/windows/amd64", "2.0.0.exe"),
        (MAC, "stable/darwin/amd64", "2.0.0.dmg"),
        (LINUX, "stable/linux/amd64", "2.0.0.deb"),
        ("Mozilla/5.0 (X11; Linux aarch64)", "stable/linux/arm64", "2.0.0.deb"),
    ] {
        assert_eq!(button(&page(&world, agent)), link(&world, place, file), "{agent}");
    }
    let hinted = world.get(PAGE).header("user-agent", MAC);
    let hinted = hinted.header("sec-ch-ua-platform", "\"macOS\"").header("sec-ch-ua-arch", "\"arm\"");
    let hinted = hinted.send().expect(200);
    assert_eq!(button(&hinted.text()), link(&world, "stable/darwin/arm64", "2.0.0.dmg"));
    assert_eq!(hinted.header("accept-ch"), "Sec-CH-UA-Platform, Sec-CH-UA-Arch");
    let vary = hinted.header("vary");
    for name in ["User-Agent", "Sec-CH-UA-Platform", "Sec-CH-UA-Arch"] {
        assert!(vary.contains(name), "{vary}");
    }

    let unknown = page(&world, "curl/8.5.0");
    assert_eq!(button(&unknown), "");
    for (place, file) in [
        ("stable/windows/amd64", "2.0.0.exe"),
        ("stable/darwin/arm64", "2.0.0.dmg"),
        ("stable/linux/amd64", "2.0.0.rpm"),
    ] {
        assert!(unknown.contains(&link(&world, place, file)), "{unknown}");
    }
    let digest = spindrift_tests::sha256_hex(b"deb");
    assert!(unknown.contains(&digest) && unknown.contains("sha256sum"), "{unknown}");
    let download = spindrift_tests::Client::new("").get(button(&page(&world, LINUX))).send().expect(200);
    assert_eq!(download.text(), "deb");
}

fn a_partial_rollout_shows_the_release_before(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0").with("changelog", "the first"));
    acme.publish(Release::new("2.0.0").with("changelog", "the second").rollout(25));

    let latest = world.get("/apps/latest?app_name=notes&owner=acme").send().expect(302);
    let shown = page(&world, LINUX);
    assert_eq!(button(&shown), latest.header("location"));
    assert!(shown.contains("Version 1.0.0") && shown.contains("the first"), "{shown}");
    assert!(!shown.contains("2.0.0") && !shown.contains("the second"), "{shown}");

    let _ = acme.edit(acme.release("2.0.0").id.as_str(), json!({ "rollout": 100 })).expect(200);
    let shown = page(&world, LINUX);
    assert!(shown.contains("Version 2.0.0") && shown.contains("the second"), "{shown}");
}

fn a_withdrawn_release_is_gone(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let second = acme.publish(Release::new("2.0.0"));
    assert!(page(&world, LINUX).contains("Version 2.0.0"));

    let path = format!("/releases/{second}/withdraw");
    let _ = acme.post_json(&path, json!({ "reason": "It loses notes" })).send().expect(200);
    let shown = page(&world, LINUX);
    assert!(shown.contains("Version 1.0.0") && !shown.contains("2.0.0"), "{shown}");
    assert!(!shown.contains("loses"), "the reason is for devices that have it");
}

fn a_channel_can_be_chosen(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_channel("beta");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0-beta.1").with("channel", "beta"));

    let version = |path: &str| {
        let text = world.get(&format!("{PAGE}{path}")).header("user-agent", LINUX).send().expect(200).text();
        text.split("Version ").nth(1).unwrap().split(',').next().unwrap().to_owned()
    };
    assert_eq!(version(""), "1.0.0", "stable, as there is no default");
    assert_eq!(version("?channel=beta"), "2.0.0-beta.1");
    let beta = acme.get("/channel/list").ok()["channels"]
        .as_array()
        .unwrap()
        .iter()
        .find(|channel| channel["ChannelName"] == "beta")
        .unwrap()["ID"]
        .clone();
    acme.post_json("/channel/update", json!({ "id": beta, "default": true })).ok();
    assert_eq!(version(""), "2.0.0-beta.1", "the default");
    for path in ["?channel=nightly", "?channel=default"] {
        let nothing = world.get(&format!("{PAGE}{path}")).send().expect(404).text();
        assert!(nothing.contains("nothing to download"), "{nothing}");
    }
    let invalid = world.get(&format!("{PAGE}?channel=%3Cb%3E")).send().expect(400);
    assert_eq!(invalid.header("content-type"), "text/html; charset=utf-8");
}

fn a_private_application_tells_no_more_than_checks(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let secret = json!({ "app": "secret", "private": true, "download_mode": "token", "get_page": true });
    let id = acme.create_app_with(secret);
    acme.publish(Release::new("1.0.0").with("app_name", "secret").with_digests());
    let token = acme.post_json("/download-tokens/regenerate", json!({ "app_id": id })).ok()["token"].clone();
    let token = token.as_str().unwrap();
    let show = |query: &str| {
        world.get(&format!("/get/acme/secret{query}")).header("user-agent", LINUX).send().expect(200)
    };

    let key = "acme%2Fsecret%2Fstable%2Flinux%2Famd64%2Fsecret-1.0.0.deb";
    let plain = show("");
    assert_eq!(button(&plain.text()), format!("{}/download?key={key}", world.url()));
    let digest = spindrift_tests::sha256_hex(b"notes 1.0.0");
    assert!(!plain.text().contains(&digest) && !plain.text().contains("11 B"), "{}", plain.text());
    let path = |page: &Answer| button(&page.text()).replace("&amp;", "&").replace(&world.url(), "");
    assert_eq!(world.get(&path(&plain)).send().status, 401);

    let with_token = show(&format!("?download_token={token}"));
    assert_eq!(with_token.header("cache-control"), "private, no-store");
    assert_eq!(with_token.header("referrer-policy"), "no-referrer");
    assert_eq!(world.get(&path(&with_token)).send().status, 302);
}

fn names_and_notes_run_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let notes = "# New\n\n- **fast**\n\n<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://a.example/y.png)";
    acme.publish(Release::empty("1.0.0").file("<b>$(id).deb", "x").with("changelog", notes).with_digests());

    let shown = page(&world, LINUX);
    assert!(shown.contains("<h3>New</h3>") && shown.contains("<strong>fast</strong>"), "{shown}");
    assert!(shown.contains("&lt;b&gt;$(id).deb") && shown.contains("sha256sum FILE"), "{shown}");
    for part in ["<script", "<b>", "href=\"javascript", "<img"] {
        assert!(!shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown.matches("<h1>").count(), 1, "{shown}");
}

fn a_failing_store_is_not_an_absence(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));

    world.platform().fail_sql(true);
    for path in ["", "/why", "/why?device=device-1&version=1.0.0", "?channel=beta"] {
        let failed = world.get(&format!("{PAGE}{path}")).send().expect(503);
        assert_eq!(failed.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(failed.header("retry-after"), "5");
        let text = failed.text();
        assert!(
            text.contains("not available at the moment") && text.contains("try again in 5 seconds"),
            "{text}"
        );
        assert!(failed.header("content-security-policy").starts_with("default-src 'none'"));
    }
    world.platform().fail_sql(false);
    world.platform().fail_key_value(true);
    assert!(page(&world, LINUX).contains("Version 1.0.0"), "only the database is needed");
}
