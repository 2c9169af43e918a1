use std::io::Read as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use spindrift_client::{Config, Error, EventType, Report, ReportKey, ReportLimits, Settings};

use crate::server::{Server, answer};
use crate::world::client;

const ACCEPTED: &str = r#"{"status":"accepted","group_hash":"abc","stored_details":true}"#;

fn key() -> ReportKey {
    format!("rpk_{}", "0a".repeat(32)).parse().unwrap()
}

fn report() -> Report {
    Report {
        app_name: "notes".into(),
        version: "1.2.0".into(),
        channel: "stable".into(),
        platform: "linux".into(),
        arch: "amd64".into(),
        event: EventType::UpdateFailure,
        reason: "digest.mismatch".parse().unwrap(),
        device_id: "device-1".into(),
        details: None,
    }
}

#[tokio::test]
async fn a_report_is_sent_as_the_service_wants_it() {
    let service = Server::start(|_, _| answer(202, &[], ACCEPTED));
    let (client, _) = client(Config::new(&service.url));
    let details = json!({"expected": "aa", "actual": "bb", "trace": "x".repeat(1000)});
    let report = Report { details: details.as_object().cloned(), ..report() };

    let accepted = client.report_event(&key(), &report).await.unwrap();

    assert_eq!((accepted.group_hash.as_str(), accepted.stored_details), ("abc", true));
    let request = &service.requests()[0];
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/reports/ingest"));
    assert_eq!(request.header("authorization"), Some(format!("Bearer rpk_{}", "0a".repeat(32)).as_str()));
    assert_eq!(request.header("x-device-id"), Some("device-1"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let mut body: Value = serde_json::from_slice(&request.body).unwrap();
    let packed = body["details"]["payload"].take();
    let expected = json!({
        "application": {"name": "notes", "version": "1.2.0", "channel": "stable"},
        "system": {"platform": "linux", "arch": "amd64"},
        "event": {"type": "update_failure", "reason": "digest.mismatch"},
        "details": {"encoding": "gzip+base64", "content_type": "application/json", "payload": null},
    });
    assert_eq!(body, expected);
    let packed = STANDARD.decode(packed.as_str().unwrap()).unwrap();
    assert!(packed.len() < 200, "{}", packed.len());
    let mut json = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut json).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), details);
}

#[tokio::test]
async fn without_details_the_key_is_absent() {
    let service = Server::start(|_, _| answer(202, &[], ACCEPTED));
    let (client, _) = client(Config::new(&service.url));

    client.report_event(&key(), &report()).await.unwrap();

    let body: Value = serde_json::from_slice(&service.requests()[0].body).unwrap();
    assert!(body.get("details").is_none());
}

#[tokio::test]
async fn a_refusal_says_when_to_come_back() {
    let service =
        Server::start(|_, _| answer(429, &[("Retry-After", "7")], r#"{"error":"rate limit exceeded"}"#));
    let (client, pauses) = client(Config::new(&service.url));

    let error = client.report_event(&key(), &report()).await.unwrap_err();

    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let text = error.to_string();
    assert!(text.ends_with("/reports/ingest failed with status 429: rate limit exceeded"), "{text}");
    assert_eq!((service.requests().len(), pauses.all().len()), (1, 0), "sent once");
    assert!(!format!("{error:?} {:?}", report()).contains("device-1"));
    assert!(!format!("{error:?}").contains("rpk_"));
}

#[tokio::test]
async fn invalid_reports_are_not_sent() {
    let service = Server::start(|_, _| answer(202, &[], ACCEPTED));
    let limits = ReportLimits { max_details_bytes: 1000, max_compressed_bytes: 50 };
    let settings = Settings { report: limits, ..Settings::default() };
    let (client, _) = client(Config::new(&service.url).with_settings(settings));
    let with = |details: Value| Report { details: details.as_object().cloned(), ..report() };

    let long = client.report_event(&key(), &with(json!({"a": "x".repeat(1000)}))).await;
    assert!(matches!(long, Err(Error::DetailsTooLarge { size: 1008, limit: 1000 })), "{long:?}");
    let dense = client
        .report_event(&key(), &with(json!({"a": "0q9w8e7r6t5z4u3i2o1pAYSXDCFVGBHNJMKL-.,äöü#+*'_:;"})))
        .await;
    assert!(matches!(dense, Err(Error::DetailsTooLarge { limit: 50, .. })), "{dense:?}");
    for (change, expected) in [
        (|r| r.app_name.clear(), "missing app name"),
        (|r| r.version.clear(), "missing version"),
        (|r| r.device_id.clear(), "missing device id"),
        (|r| r.device_id = "ä".into(), "invalid device id"),
    ] as [(fn(&mut Report), &str); 4]
    {
        let mut report = report();
        change(&mut report);
        assert_eq!(client.report_event(&key(), &report).await.unwrap_err().to_string(), expected);
    }
    assert!(service.requests().is_empty());
}
