//! Tests with appcasts as Sparkle's tools write them.

use super::*;
use crate::file_server::{Entry, FileServer};

fn archive<'a>(build: &'a str, more: &'a str) -> Archive<'a> {
    Archive { file_name: "My%20App.zip", version: "1.0", build, bytes: build.as_bytes(), more }
}

fn found(archives: &[Archive<'_>], change: impl FnOnce(&mut SparkleApp)) -> Option<String> {
    let xml = appcast("App", archives, &SigningKey::generate());
    let server = FileServer::start([("/appcast.xml", Entry::File(xml.into_bytes()))]);
    let mut app = SparkleApp::new(&format!("{}/appcast.xml", server.url()), "100", "");
    change(&mut app);
    app.check().unwrap().map(|item| item.build)
}

#[test]
fn the_newest_item_is_downloaded_and_verified() {
    let key = SigningKey::generate();
    let xml = appcast("App", &[archive("99", ""), archive("101", "<sparkle:criticalUpdate/>")], &key);
    let server = FileServer::start([
        ("/feed/appcast.xml", Entry::File(xml.into_bytes())),
        ("/feed/My%20App.zip", Entry::Redirect("/files/1".to_owned())),
        ("/files/1", Entry::File(b"101".to_vec())),
        ("/files/2", Entry::File(b"999".to_vec())),
        ("/files/3", Entry::File(b"1".to_vec())),
    ]);
    let app = SparkleApp::new(&format!("{}/feed/appcast.xml", server.url()), "100", &key.public_key());

    let item = app.check().unwrap().unwrap();

    assert_eq!((item.build.as_str(), item.version.as_deref(), item.critical), ("101", Some("1.0"), true));
    assert_eq!(app.download(&item).unwrap(), b"101");
    let at = |path: &str, signature: Option<&str>| Item {
        enclosure: Enclosure {
            url: format!("{}{path}", server.url()).parse().unwrap(),
            signature: signature.map(str::to_owned),
            ..item.enclosure.clone()
        },
        ..item.clone()
    };
    let signature = item.enclosure.signature.as_deref();
    assert!(app.download(&at("/files/2", signature)).is_err(), "other bytes");
    assert!(app.download(&at("/files/3", signature)).unwrap_err().ends_with("1 bytes"));
    assert_eq!(app.download(&at("/files/1", None)).unwrap_err(), "the update is not signed");
    let stranger = SigningKey::generate().sign(b"101");
    assert!(app.download(&at("/files/1", Some(&stranger))).is_err(), "another key");
}

#[test]
fn items_that_are_not_for_the_app_are_skipped() {
    let plain = archive("101", "");
    for (more, found_build) in [
        ("<sparkle:channel>beta</sparkle:channel>", "101"),
        ("<sparkle:maximumSystemVersion>14.9</sparkle:maximumSystemVersion>", "101"),
        ("<sparkle:minimumUpdateVersion>101</sparkle:minimumUpdateVersion>", "101"),
        ("<sparkle:minimumUpdateVersion>100</sparkle:minimumUpdateVersion>", "102"),
        ("<sparkle:maximumSystemVersion>15.0.0</sparkle:maximumSystemVersion>", "102"),
    ] {
        let found = found(&[plain.clone(), archive("102", more)], |_| {});
        assert_eq!(found.as_deref(), Some(found_build), "{more}");
    }
    let beta = [plain.clone(), archive("102", "<sparkle:channel>beta</sparkle:channel>")];
    let joined = found(&beta, |app| app.channels.push("beta".to_owned()));
    assert_eq!(joined.as_deref(), Some("102"), "the default channel is included");
    assert_eq!(found(&[archive("100", ""), archive("20", "")], |_| {}), None);
    assert_eq!(found(&[plain], |app| app.system = "10.12.6".to_owned()), None);
}

#[test]
fn a_delta_to_the_installed_build_is_preferred() {
    let key = SigningKey::generate();
    let deltas = format!(
        "<sparkle:deltas><enclosure url=\"a.delta\" length=\"5\" sparkle:deltaFrom=\"100\" \
         sparkle:edSignature=\"{}\"/></sparkle:deltas>",
        key.sign(b"delta")
    );
    let xml = appcast("App", &[archive("101", &deltas)], &key);
    let server = FileServer::start([
        ("/appcast.xml", Entry::File(xml.into_bytes())),
        ("/a.delta", Entry::File(b"delta".to_vec())),
        ("/My%20App.zip", Entry::File(b"101".to_vec())),
    ]);
    let mut app = SparkleApp::new(&format!("{}/appcast.xml", server.url()), "100", &key.public_key());
    let item = app.check().unwrap().unwrap();
    assert_eq!(app.download(&item).unwrap(), b"delta");
    app.build = "99".to_owned();
    assert_eq!(app.download(&item).unwrap(), b"101");
}

#[test]
fn versions_order_as_sparkle_does() {
    for (less, more) in [
        ("1.0", "1.1"),
        ("1.9", "1.10"),
        ("1.0", "1.0.1"),
        ("1.0b2", "1.0"),
        ("1.0b2", "1.0b10"),
        ("1.0a1", "1.0b1"),
        ("99", "100"),
        ("1.0-beta", "1.0"),
    ] {
        assert_eq!(compare(less, more), Ordering::Less, "{less} {more}");
        assert_eq!(compare(more, less), Ordering::Greater, "{more} {less}");
    }
    assert_eq!(compare("1.00", "1.0"), Ordering::Equal);
}

#[test]
fn other_documents_than_appcasts_are_refused() {
    let good = appcast("App", &[archive("1", "")], &SigningKey::generate());
    assert_eq!(parse(good.as_bytes(), "http://h.example/").unwrap().len(), 1);
    for bad in [
        String::new(),
        "<html/>".to_owned(),
        good.replace("<sparkle:version>1</sparkle:version>", ""),
        good.replace("length=\"1\"", "length=\"x\""),
        good.replace("<enclosure", "<other"),
        good.replace("</rss>", ""),
    ] {
        assert!(parse(bad.as_bytes(), "http://h.example/").is_err(), "{bad}");
    }
}
