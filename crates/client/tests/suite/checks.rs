use std::time::Duration;

use spindrift_client::{Cause, Client, Config, Error, ErrorCode, Settings, Source, TransportError};

use crate::server::{ReceivedRequest, Reply, Server, answer, raw};
use crate::world::{SHORT, client, options};

const EDGE_ANSWER: &str = r#"{"update_available":true,"critical":false,"version":"1.3.0","update_url_deb":"https://d.example/e.deb"}"#;
const API_ANSWER: &str = r#"{"update_available":true,"critical":true,"version":"1.4.0","update_url_rpm":"https://d.example/a.rpm","update_url_deb":"https://d.example/a.deb"}"#;

fn service() -> Server {
    Server::start(|_, request| match request.target.split('?').next() {
        Some("/checkVersion") => answer(200, &[], API_ANSWER),
        Some("/telemetry/beacon") => answer(204, &[], ""),
        _ => answer(404, &[], ""),
    })
}

fn targets(server: &Server) -> Vec<String> {
    server
        .requests()
        .into_iter()
        .map(|ReceivedRequest { method, target, .. }| format!("{method} {target}"))
        .collect()
}

#[tokio::test]
async fn the_service_is_asked_when_there_is_no_edge() {
    let service = service();
    let (client, _) = client(Config::new(&service.url));

    let update = client.check_result(&options().with_device_id("device-1")).await.unwrap();

    assert_eq!(update.source, Source::Api);
    assert!(update.update_available && update.offer.critical);
    let packages: Vec<&str> = update.offer.package_urls.iter().map(|link| link.package.as_str()).collect();
    assert_eq!(packages, ["deb", "rpm"]);
    assert_eq!(
        targets(&service),
        [
            "GET /checkVersion?app_name=notes&version=1.2.0&channel=stable&platform=linux&arch=amd64&owner=acme&updater=manual"
        ]
    );
    assert_eq!(service.requests()[0].header("x-device-id"), Some("device-1"));
}

#[tokio::test]
async fn a_check_is_an_update_or_none() {
    for (body, expected) in [
        (API_ANSWER, Ok(Some("1.4.0"))),
        (r#"{"update_available":false,"critical":false,"version":"1.2.0"}"#, Ok(None)),
        (r#"{"update_available":true,"update_url_deb":"https://d.example/a.deb"}"#, Err(())),
    ] {
        let service = Server::start(move |_, _| answer(200, &[], body));
        let (client, _) = client(Config::new(&service.url));

        let update = client.check(&options()).await;

        match (update, expected) {
            (Ok(update), Ok(expected)) => {
                assert_eq!(update.as_ref().map(|update| update.version.as_str()), expected);
            }
            (Err(Error::RequestFailed(error)), Err(())) => {
                assert!(matches!(&error.cause, Cause::Invalid(what) if what.contains("without a version")));
                assert!(error.url.starts_with(&service.url), "{}", error.url);
                let result = client.check_result(&options()).await.unwrap();
                assert_eq!(result.offer.url_of("deb"), Some("https://d.example/a.deb"));
            }
            (update, _) => panic!("{update:?} for {body}"),
        }
    }
}

#[tokio::test]
async fn names_are_sent_as_given() {
    let service = service();
    let edge = Server::start(|_, _| answer(404, &[], ""));
    let (client, _) = client(Config::new(format!("{}/updates/", service.url)).with_edge(&edge.url));
    let mut options = options().with_target("Nightly Ü", "macOS", "ARM64/e");
    options.version = "v1.0.0+7".into();

    let error = client.check(&options).await.unwrap_err();

    assert!(matches!(error, Error::RequestFailed(error) if error.status == Some(404)));
    assert_eq!(
        targets(&edge),
        ["GET /responses/acme/notes/Nightly%20%C3%9C/macOS/ARM64%2Fe/v1.0.0%2B7.json"]
    );
    assert_eq!(
        targets(&service),
        [
            "GET /updates/checkVersion?app_name=notes&version=v1.0.0%2B7&channel=Nightly+%C3%9C&platform=macOS&arch=ARM64%2Fe&owner=acme&updater=manual"
        ]
    );
}

#[tokio::test]
async fn the_edge_answers_and_the_device_is_counted() {
    let service = service();
    let edge = Server::start(|_, _| answer(200, &[], EDGE_ANSWER));
    let (client, _) = client(Config::new(&service.url).with_edge(&edge.url));

    let update = client.check_result(&options().with_device_id("device-1")).await.unwrap();

    assert_eq!((update.source, update.offer.version.as_deref()), (Source::Edge, Some("1.3.0")));
    assert_eq!(targets(&edge), ["GET /responses/acme/notes/stable/linux/amd64/1.2.0.json"]);
    assert_eq!(edge.requests()[0].header("x-device-id"), None, "the edge is not told");
    assert_eq!(
        targets(&service),
        [
            "GET /telemetry/beacon?app_name=notes&version=1.2.0&channel=stable&platform=linux&arch=amd64&owner=acme"
        ]
    );
    assert_eq!(service.requests()[0].header("x-device-id"), Some("device-1"));
}

/// An edge with answers for the path without an updater and the one with `manual`.
async fn edge_of(
    default: &'static str,
    manual: Option<&'static str>,
) -> (spindrift_client::CheckResult, Vec<String>) {
    let service = service();
    let edge = Server::start(move |_, request| match (request.target.contains("/manual/"), manual) {
        (false, _) => answer(200, &[], default),
        (true, Some(manual)) => answer(200, &[], manual),
        (true, None) => answer(404, &[], r#"{"error":"not found"}"#),
    });
    let (client, _) = client(Config::new(&service.url).with_edge(&edge.url));
    let update = client.check_result(&options()).await.unwrap();
    assert!(service.requests().is_empty(), "JSON is an answer");
    (update, targets(&edge))
}

const OF_DEFAULT: &str = "GET /responses/acme/notes/stable/linux/amd64/1.2.0.json";
const OF_MANUAL: &str = "GET /responses/acme/notes/stable/linux/amd64/manual/1.2.0.json";
const SQUIRREL_ANSWER: &str = r#"{"url":"https://d.example/a.zip","name":"1.5.0","update_available":true,"critical":true,"version":"1.5.0"}"#;
const TAURI_ANSWER: &str =
    r#"{"version":"1.5.0","url":"https://d.example/a.zip","signature":"s","notes":"Faster"}"#;

#[tokio::test]
async fn the_answer_of_another_updater_leads_to_the_one_for_manual() {
    for default in [SQUIRREL_ANSWER, TAURI_ANSWER] {
        let (update, asked) = edge_of(default, Some(EDGE_ANSWER)).await;

        assert_eq!(asked, [OF_DEFAULT, OF_MANUAL]);
        assert_eq!(update.source, Source::Edge);
        assert_eq!(update.offer.url_of("deb"), Some("https://d.example/e.deb"));
    }
}

#[tokio::test]
async fn the_answer_of_another_updater_is_one_where_there_is_no_other() {
    for (default, critical) in [(SQUIRREL_ANSWER, true), (TAURI_ANSWER, false)] {
        let (update, _) = edge_of(default, None).await;

        assert_eq!((update.source, update.update_available), (Source::Edge, true));
        assert_eq!(update.offer.version.as_deref(), Some("1.5.0"));
        assert_eq!(update.offer.url_of(""), Some("https://d.example/a.zip"));
        assert_eq!(update.offer.critical, critical);
    }
    for default in ["{}", "[]", r#"{"update_available":"yes"}"#] {
        let (update, _) = edge_of(default, None).await;

        assert_eq!((update.source, update.update_available), (Source::Edge, false), "{default}");
    }
}

#[tokio::test]
async fn an_updater_that_is_named_is_asked_for() {
    let service = service();
    let edge = Server::start(|_, _| answer(404, &[], ""));
    let (client, _) = client(Config::new(&service.url).with_edge(&edge.url));
    let mut options = options();
    options.updater = "tauri".into();

    client.check(&options).await.unwrap();

    assert_eq!(targets(&edge), ["GET /responses/acme/notes/stable/linux/amd64/tauri/1.2.0.json"]);
    assert!(targets(&service)[0].ends_with("&owner=acme&updater=tauri"), "{:?}", targets(&service));
}

#[tokio::test]
async fn without_a_device_nothing_is_counted() {
    let service = service();
    let edge = Server::start(|_, _| answer(200, &[], EDGE_ANSWER));
    let (client, _) = client(Config::new(&service.url).with_edge(&edge.url));

    let update = client.check_result(&options()).await.unwrap();

    assert_eq!(update.source, Source::Edge);
    assert!(service.requests().is_empty());
}

#[tokio::test]
async fn a_beacon_that_fails_is_ignored() {
    let edge = Server::start(|_, _| answer(200, &[], EDGE_ANSWER));
    let broken = Server::start(|_, _| answer(500, &[], ""));
    let silent = Server::start(|_, _| Reply::Silence);
    for base in [Server::nowhere(), broken.url, silent.url] {
        let settings = Settings { beacon_time_out: SHORT, ..Settings::default() };
        let (client, _) = client(Config::new(base).with_edge(&edge.url).with_settings(settings));

        let update = client.check_result(&options().with_device_id("device-1")).await.unwrap();

        assert_eq!(update.source, Source::Edge);
    }
}

#[tokio::test]
async fn after_any_failure_of_the_edge_the_service_is_asked() {
    let service = service();
    let far = Server::start(|_, _| answer(200, &[], EDGE_ANSWER));
    let location = format!("{}/responses/x.json", far.url);
    let edges: Vec<Server> = vec![
        Server::start(|_, _| answer(404, &[], r#"{"error":"not found"}"#)),
        Server::start(|_, _| answer(500, &[], EDGE_ANSWER)),
        Server::start(|_, _| answer(204, &[], "")),
        Server::start(|_, _| answer(203, &[], EDGE_ANSWER)),
        Server::start(move |_, _| answer(302, &[("Location", &location)], "")),
        Server::start(|_, _| answer(200, &[], "<html>welcome to this hotel</html>")),
        Server::start(|_, _| answer(200, &[], "")),
        Server::start(|_, _| answer(200, &[], &EDGE_ANSWER[..40])),
        Server::start(|_, _| Reply::Bytes(raw(200, &[("Content-Length", "1000")], EDGE_ANSWER))),
        Server::start(|_, _| Reply::Bytes(Vec::new())),
        Server::start(|_, _| Reply::Silence),
    ];
    let urls = edges.iter().map(|edge| edge.url.clone()).chain([Server::nowhere()]);
    for (number, edge) in urls.enumerate() {
        let settings = Settings { edge_time_out: SHORT, ..Settings::default() };
        let (client, _) = client(Config::new(&service.url).with_edge(edge).with_settings(settings));

        let update = client.check_result(&options()).await.unwrap();

        assert_eq!(
            (update.source, update.offer.version.as_deref()),
            (Source::Api, Some("1.4.0")),
            "{number}"
        );
    }
    assert!(far.requests().is_empty(), "redirects are not followed");
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_none() {
    let (gate, wait) = std::sync::mpsc::channel();
    let wait = std::sync::Mutex::new(Some(wait));
    let head = raw(200, &[("Content-Length", "100")], "{");
    let server = Server::start(move |_, _| {
        Reply::Gated(head.clone(), wait.lock().unwrap().take().unwrap(), Vec::new())
    });
    let settings = Settings { service_time_out: SHORT, ..Settings::default() };
    let (client, _) = client(Config::new(&server.url).with_settings(settings));

    let error = client.check(&options()).await.unwrap_err();

    let Error::RequestFailed(error) = error else { panic!("{error}") };
    assert!(matches!(error.cause, Cause::Transport(TransportError::TimedOut)), "{error}");
    drop(gate);
}

#[tokio::test]
async fn both_failing_is_an_error_that_tells_about_both() {
    let edge = Server::start(|_, _| answer(404, &[], ""));
    let refusal = r#"{"error":"database unavailable","code":"database_unavailable"}"#;
    let service = Server::start(move |_, _| answer(503, &[("Retry-After", "30")], refusal));
    let (client, _) = client(Config::new(&service.url).with_edge(&edge.url));

    let error = client.check(&options().with_device_id("secret-device")).await.unwrap_err();

    assert_eq!(error.retry_after(), Some(Duration::from_secs(30)));
    let text = error.to_string();
    assert!(text.contains("database unavailable") && !text.contains("secret-device"), "{text}");
    let Error::RequestFailed(error) = error else { panic!("{error}") };
    assert!(error.url.starts_with(&format!("{}/checkVersion?app_name=notes", service.url)), "{}", error.url);
    assert_eq!((error.status, &error.code), (Some(503), &Some(ErrorCode::DatabaseUnavailable)));
    let at_edge = error.edge.unwrap();
    assert_eq!(at_edge.url, format!("{}/responses/acme/notes/stable/linux/amd64/1.2.0.json", edge.url));
    assert_eq!(at_edge.status, Some(404));
}

#[tokio::test]
async fn nobody_there_is_an_error_without_a_status() {
    let (client, _) = client(Config::new(Server::nowhere()));

    let error = client.check(&options()).await.unwrap_err();

    let Error::RequestFailed(error) = error else { panic!("{error}") };
    assert_eq!((error.status, error.edge.is_none()), (None, true));
    assert!(matches!(error.cause, Cause::Transport(TransportError::Failed(_))), "{error}");
}

#[tokio::test]
async fn a_long_answer_is_not_read() {
    let long = format!(r#"{{"update_available":false,"changelog":"{}"}}"#, "x".repeat(2000));
    let service = Server::start(move |_, _| answer(200, &[], &long));
    let settings = Settings { max_answer_bytes: 1000, ..Settings::default() };
    let (client, _) = client(Config::new(&service.url).with_settings(settings));

    let error = client.check(&options()).await.unwrap_err();

    assert!(matches!(error, Error::RequestFailed(error) if matches!(error.cause, Cause::TooLarge(1000))));
}

#[tokio::test]
async fn missing_options_are_errors_before_anything_is_sent() {
    assert!(matches!(Client::new(Config::new("")), Err(Error::MissingBaseUrl)));
    for bad in [
        "updates.example",
        "ftp://updates.example",
        "http://",
        "http://a.example?x=1",
        "http://u:p@a.example",
    ] {
        assert!(matches!(Client::new(Config::new(bad)), Err(Error::InvalidUrl("base url"))), "{bad}");
        let config = Config::new("http://a.example").with_edge(bad);
        assert!(matches!(Client::new(config), Err(Error::InvalidUrl("edge url"))), "{bad}");
    }
    let service = service();
    // An empty edge URL means no edge.
    let (client, _) = client(Config::new(&service.url).with_edge(""));
    for (change, expected) in [
        (|o| o.owner.clear(), "missing owner"),
        (|o| o.app_name.clear(), "missing app name"),
        (|o| o.version.clear(), "missing version"),
        (|o| o.device_id = Some("a\nb".into()), "invalid device id"),
    ] as [(fn(&mut spindrift_client::CheckOptions), &str); 4]
    {
        let mut options = options();
        change(&mut options);
        assert_eq!(client.check(&options).await.unwrap_err().to_string(), expected);
    }
    assert!(matches!(client.beacon(&options()).await, Err(Error::MissingDeviceId)));
    assert!(service.requests().is_empty());
}
