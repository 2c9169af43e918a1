use std::time::{Duration, Instant};

use super::*;
use crate::{Config, MemoryTransport};

const KEY: &str = "rpk_0000000000000000000000000000000000000000000000000000000000000000";
const ACCEPTED: &str = r#"{"status":"accepted","group_hash":"9f86","stored_details":false}"#;

fn config(folder: &Path, version: &str) -> KitConfig {
    let options = CheckOptions::new("acme", "notes", version).with_target("stable", "linux", "amd64");
    KitConfig::new(folder, options).with_report_key(KEY.parse().unwrap())
}

/// The process ends without ending the run: its lock goes, and nothing else happens.
fn crash(mut kit: Kit) {
    kit.lock = None;
}

fn service(status: u16) -> (Client, MemoryTransport) {
    let service = MemoryTransport::new().with_answer("/reports/ingest", status, ACCEPTED);
    (Client::with_transport(Config::new("https://updates.example"), service.clone()).unwrap(), service)
}

fn waiting(kit: &Kit) -> Vec<(String, String)> {
    kit.kept().reports.iter().map(|report| (report.version().to_owned(), report.cause())).collect()
}

#[test]
fn the_device_stays_until_it_is_reset() {
    let folder = tempfile::tempdir().unwrap();
    let first = Kit::begin(config(folder.path(), "1.0.0"));
    let id = first.device_id();
    assert!(id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
    assert_eq!(first.options().device_id.as_deref(), Some(id.as_str()));
    first.exit();
    let second = Kit::begin(config(folder.path(), "1.0.0"));
    assert_eq!(second.device_id(), id);
    second.reset_device();
    let reset = second.device_id();
    assert_ne!(reset, id);
    second.exit();
    assert_eq!(Kit::begin(config(folder.path(), "1.0.0")).device_id(), reset);
}

#[test]
fn an_end_without_an_exit_is_a_crash_of_its_version() {
    let folder = tempfile::tempdir().unwrap();
    crash(Kit::begin(config(folder.path(), "2.0.0")));
    let kit = Kit::begin(config(folder.path(), "2.0.1"));
    assert_eq!(waiting(&kit), [("2.0.0".to_owned(), "crash exit.unclean".to_owned())]);
    kit.exit();
    let kit = Kit::begin(config(folder.path(), "2.0.1"));
    assert_eq!(waiting(&kit).len(), 1, "it is noticed once");
}

#[test]
fn a_panic_is_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let panicked = std::thread::spawn(move || {
        let _kit = Kit::begin(config(&path, "2.0.0"));
        panic!("a test of panics");
    });
    assert!(panicked.join().is_err());
    let kit = Kit::begin(config(folder.path(), "2.0.0"));
    assert_eq!(waiting(&kit), [("2.0.0".to_owned(), "crash exit.unclean".to_owned())]);
}

#[test]
fn an_end_before_the_start_is_a_failed_start() {
    let folder = tempfile::tempdir().unwrap();
    crash(Kit::begin(config(folder.path(), "2.0.0").with_start(true)));
    let kit = Kit::begin(config(folder.path(), "2.0.0").with_start(true));
    kit.started();
    crash(kit);
    let kit = Kit::begin(config(folder.path(), "2.0.0"));
    let causes: Vec<String> = waiting(&kit).into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, ["startup_failure exit.before_started", "crash exit.unclean"]);
}

#[test]
fn an_older_version_reports_a_rollback() {
    let folder = tempfile::tempdir().unwrap();
    Kit::begin(config(folder.path(), "2.0.0")).exit();
    let kit = Kit::begin(config(folder.path(), "1.0.0"));
    assert_eq!(waiting(&kit), [("1.0.0".to_owned(), "rollback_failure from.2.0.0".to_owned())]);
}

#[test]
fn a_second_process_notices_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let first = Kit::begin(config(folder.path(), "1.0.0"));
    let second = Kit::begin(config(folder.path(), "1.0.0"));
    assert_eq!(second.device_id(), first.device_id());
    assert_eq!(waiting(&second), []);
    second.exit();
    crash(first);
    assert_eq!(waiting(&Kit::begin(config(folder.path(), "1.0.0"))).len(), 1);
}

#[test]
fn without_a_report_key_nothing_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let without = || KitConfig { report_key: None, ..config(folder.path(), "1.0.0") };
    crash(Kit::begin(without()));
    let kit = Kit::begin(without());
    kit.report(EventType::Crash, &"segv".parse().unwrap(), None);
    assert_eq!(waiting(&kit), []);
}

#[tokio::test]
async fn waiting_reports_are_sent_once() {
    let folder = tempfile::tempdir().unwrap();
    let kit = Kit::begin(config(folder.path(), "1.0.0"));
    kit.report(EventType::UpdateFailure, &"digest".parse().unwrap(), None);
    kit.report(EventType::Crash, &"segv".parse().unwrap(), None);
    for status in [429, 500] {
        let (client, _) = service(status);
        let error = kit.send(&client).await.unwrap_err();
        assert!(matches!(error, Error::RequestFailed(_)), "{status}: {error}");
        assert_eq!(waiting(&kit).len(), 2, "{status}");
    }
    let (client, requests) = service(202);
    assert_eq!(kit.send(&client).await.unwrap(), 2);
    assert_eq!(kit.send(&client).await.unwrap(), 0);
    assert_eq!(requests.requests().len(), 2);
    let device = requests.requests()[0].headers()["x-device-id"].to_str().unwrap().to_owned();
    assert_eq!(device, kit.device_id());
}

#[test]
fn an_application_without_channels_reports_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path(), "1.0.0");
    config.options.channel = String::new();
    let kit = Kit::begin(config);
    kit.report(EventType::Crash, &"segv".parse().unwrap(), None);
    let report = kit.kept().reports[0].to_report(&kit.config.options, "device").unwrap();
    assert_eq!((report.channel.as_str(), report.platform.as_str()), ("default", "linux"));
}

#[tokio::test]
async fn refused_reports_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let kit = Kit::begin(config(folder.path(), "1.0.0"));
    kit.report(EventType::Crash, &"segv".parse().unwrap(), None);
    let (client, _) = service(403);
    assert_eq!(kit.send(&client).await.unwrap(), 0);
    assert_eq!(waiting(&kit), []);
}

#[test]
fn reports_are_limited_in_number_age_and_size() {
    let folder = tempfile::tempdir().unwrap();
    let kit = Kit::begin(config(folder.path(), "1.0.0"));
    let details: Map<String, Value> = [("trace".to_owned(), "x".repeat(9_000).into())].into_iter().collect();
    for n in 0..30 {
        let reason = format!("segv-{n}").parse().unwrap();
        kit.report(EventType::Crash, &reason, Some(details.clone()));
        kit.report(EventType::Crash, &reason, None);
    }
    assert_eq!(waiting(&kit).len(), 20);
    assert!(
        std::fs::metadata(kept::path(folder.path())).unwrap().len() < 10_000,
        "large details are left out"
    );
    drop(kit);
    let later = SystemTime::now() + Duration::from_hours(15 * 24);
    assert_eq!(waiting(&Kit::begin_at(config(folder.path(), "1.0.0"), later)), []);
}

#[test]
fn a_hostile_folder_breaks_nothing() {
    let file = kept::path(Path::new(""));
    let damages: [&dyn Fn(&Path); 5] = [
        &|folder| std::fs::write(folder.join(&file), b"\xff{not json").unwrap(),
        &|folder| std::fs::write(folder.join(&file), vec![b'['; 2_000_000]).unwrap(),
        &|folder| std::fs::create_dir(folder.join(&file)).unwrap(),
        &|folder| {
            let report = r#"{"version":"","event":"?","reason":"a b","details":null,"noticed_at":18446744073709551615}"#;
            let kept = format!(r#"{{"device":"a\nb","reports":[{report}]}}"#);
            std::fs::write(folder.join(&file), kept).unwrap();
        },
        &|folder| std::fs::write(folder.join("kit.lock"), b"").unwrap(),
    ];
    for (n, damage) in damages.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        damage(folder.path());
        let kit = Kit::begin(config(folder.path(), "1.0.0"));
        assert_eq!(kit.device_id().len(), 32, "{n}");
        kit.report(EventType::Crash, &"segv".parse().unwrap(), None);
        assert_eq!(waiting(&kit).len(), 1, "{n}");
    }
    let nowhere = tempfile::NamedTempFile::new().unwrap();
    let kit = Kit::begin(config(nowhere.path(), "1.0.0"));
    assert_eq!(kit.device_id().len(), 32);
    kit.started();
    kit.exit();
}

#[test]
fn a_kit_that_forgets_leaves_no_id() {
    let folder = tempfile::tempdir().unwrap();
    let kit = Kit::begin(config(folder.path(), "1.0.0"));
    let id = kit.device_id();
    kit.forget();
    assert!(!kept::path(folder.path()).exists());
    assert_ne!(Kit::begin(config(folder.path(), "1.0.0")).device_id(), id);
}

#[test]
fn a_begin_takes_little_time() {
    let folder = tempfile::tempdir().unwrap();
    Kit::begin(config(folder.path(), "1.0.0")).exit();
    let best = (0..20)
        .map(|_| {
            let begun = Instant::now();
            let kit = Kit::begin(config(folder.path(), "1.0.0"));
            let took = begun.elapsed();
            kit.exit();
            took
        })
        .min()
        .unwrap();
    println!("a begin takes {best:?}");
    assert!(best < Duration::from_millis(5), "{best:?}");
}
