//! Tests which answer counts for a client that reports more than its version.

use super::*;
use crate::{Config, GroupKey, MemoryTransport, PollSettings, Sleep};

const STATIC: &str = "/responses/acme/notes/default/default/default/1.0.json";
const KEY: &str = "grp_00112233445566778899aabbccddeeff";

fn options() -> CheckOptions {
    CheckOptions::new("acme", "notes", "1.0")
}

fn tester() -> CheckOptions {
    options().with_groups([KEY.parse::<GroupKey>().unwrap()])
}

/// A service that offers 2.0, and an edge whose answer for everybody varies with these.
fn world(varies_with: &str) -> (Client, MemoryTransport) {
    let everybody = format!(r#"{{"update_available":false,"version":"1.0","varies_with":{varies_with}}}"#);
    client_with_answers(&everybody, 200, r#"{"update_available":true,"version":"2.0"}"#)
}

fn client_with_answers(edge: &str, status: u16, service: &str) -> (Client, MemoryTransport) {
    let transport = MemoryTransport::new()
        .with_answer(STATIC, 200, edge.to_owned())
        .with_answer("/telemetry/beacon", 204, "")
        .with_answer("/checkVersion", status, service.to_owned());
    let config = Config::new("https://updates.example").with_edge("https://edge.example");
    (Client::with_transport(config, transport.clone()).unwrap(), transport)
}

/// The paths that were asked for.
fn requested_paths(transport: &MemoryTransport) -> Vec<String> {
    transport.requests().iter().map(|request| request.uri().path().to_owned()).collect()
}

#[tokio::test]
async fn the_service_decides_for_those_who_say_what_the_edge_does_not_hear() {
    for (varies_with, options, source) in [
        (r#"["group","os_version"]"#, options(), Source::Edge),
        (r#"["group"]"#, tester(), Source::Api),
        (r#"["os_version"]"#, tester(), Source::Edge),
        (r#"["os_version"]"#, options().with_os_version("13.6"), Source::Api),
        (r#"["group"]"#, options().with_os_version("13.6"), Source::Edge),
        ("[]", tester().with_os_version("13.6"), Source::Edge),
    ] {
        let (client, transport) = world(varies_with);

        let result = client.check_result(&options.with_device_id("device-1")).await.unwrap();

        assert_eq!(
            (result.source, result.update_available),
            (source, source == Source::Api),
            "{varies_with}"
        );
        let last = if source == Source::Edge { "/telemetry/beacon" } else { "/checkVersion" };
        assert_eq!(requested_paths(&transport), [STATIC, last], "{varies_with}");
    }
}

#[tokio::test]
async fn a_user_who_asks_is_answered_by_the_service() {
    let (client, transport) = world("[]");

    let update = client.check(&options().with_interactive(true)).await.unwrap();

    assert_eq!(update.unwrap().version, "2.0");
    assert_eq!(requested_paths(&transport), ["/checkVersion"]);
    assert!(transport.requests()[0].uri().query().unwrap().ends_with("&interactive=1"));
}

/// A timer that returns at once.
struct NoWait;

impl Sleep for NoWait {
    fn sleep(&self, _: std::time::Duration) -> futures::future::BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

#[tokio::test]
async fn a_poller_is_no_user() {
    let (client, transport) = world("[]");
    let client = client.with_sleep(NoWait);
    let mut poller = client.poller(options().with_interactive(true), PollSettings::default());

    assert_eq!(poller.next().await.unwrap(), None);

    assert_eq!(requested_paths(&transport), [STATIC]);
}

#[tokio::test]
async fn a_release_for_other_systems_is_told() {
    let body = r#"{"update_available":false,"version":"1.0","unmet":{"version":"2.0","requires":{"os_version":{"min":"12"}}}}"#;
    let (client, _) =
        client_with_answers(r#"{"update_available":false,"varies_with":["os_version"]}"#, 200, body);

    let result = client.check_result(&options().with_os_version("11.7")).await.unwrap();

    let unmet = result.unmet.unwrap();
    assert_eq!((unmet.version.as_str(), result.update_available), ("2.0", false));
    assert!(unmet.requires.unwrap().to_string().starts_with("os_version 12 or later"));
}

#[tokio::test]
async fn no_error_shows_a_key() {
    for (status, body) in [
        (400, r#"{"error":"invalid group parameter"}"#),
        (200, "no json"),
        // An update without a version.
        (200, r#"{"update_available":true}"#),
    ] {
        let (client, transport) =
            client_with_answers(r#"{"update_available":false,"varies_with":["group"]}"#, status, body);

        let error = client.check(&tester()).await.unwrap_err();

        assert!(transport.requests()[1].uri().query().unwrap().contains(KEY));
        let text = format!("{error} {error:?} {:?}", tester());
        assert!(text.contains("/checkVersion?app_name=notes") && !text.contains("grp_"), "{text}");
    }
}

#[tokio::test]
async fn what_the_service_cannot_read_is_not_sent() {
    let (client, transport) = world("[]");
    let key: GroupKey = KEY.parse().unwrap();
    for (options, text) in [
        (options().with_groups(vec![key; 5]), "more than 4 groups"),
        (options().with_os_version("13.6 beta"), "invalid os version"),
        (options().with_os_version("1.2.3.4.5"), "invalid os version"),
    ] {
        assert_eq!(client.check(&options).await.unwrap_err().to_string(), text);
    }
    assert!(transport.requests().is_empty());
}
