//! The kit in an application of Tauri, with the updater's plugin and a service on this machine.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod patches;
mod service;

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use spindrift_tauri::{EventType, Options, SpindriftExt as _};
use tauri::async_runtime::block_on;
use tauri::test::{MockRuntime, mock_builder, mock_context, noop_assets};
use tauri::utils::config::AppDirectoriesOverride;
use tauri::{App, Manager as _, RunEvent, WebviewWindowBuilder};
use tauri_plugin_updater::Error;
use tempfile::TempDir;

use crate::service::Service;

const REPORT_KEY: &str = "rpk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const GROUP_KEY: &str = "grp_00112233445566778899aabbccddeeff";
/// A public key, and its signature of `test`: the example of minisign-verify.
const PUBLIC_KEY: &str = "untrusted comment: minisign public key E7620F1842B4E81F
RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
const SIGNATURE_OF_TEST: &str = "untrusted comment: signature from minisign secret key
RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=
trusted comment: timestamp:1633700835\tfile:test\tprehashed
wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==";
/// The variables of a process that is to crash: its folder, and the URL of the service.
const CRASHES_IN: &str = "SPINDRIFT_TEST_CRASHES_IN";
const CRASHES_AT: &str = "SPINDRIFT_TEST_CRASHES_AT";

fn options(service: &Service) -> Options {
    Options::new(&service.url, "ada", "notes").channel("stable").report_key(REPORT_KEY)
}

/// Starts an application whose data is in the folder.
fn start(folder: &Path, options: Options) -> App<MockRuntime> {
    start_with(PUBLIC_KEY, folder, options)
}

/// `key`: the public key of its updates, as minisign writes it.
fn start_with(key: &str, folder: &Path, options: Options) -> App<MockRuntime> {
    let mut context = mock_context(noop_assets());
    let config = context.config_mut();
    config.app.app_directories_override = Some(AppDirectoriesOverride::Root(folder.to_owned()));
    config.plugins.0.insert("updater".into(), json!({"pubkey": STANDARD.encode(key)}));
    mock_builder()
        .plugin(spindrift_tauri::init(options))
        .plugin(tauri_plugin_updater::Builder::new().build())
        .build(context)
        .unwrap()
}

/// Closes the last window of an application, which ends it.
fn end(app: App<MockRuntime>) {
    WebviewWindowBuilder::new(&app, "main", tauri::WebviewUrl::default()).build().unwrap();
    app.run(|app, event| {
        if matches!(event, RunEvent::Ready) {
            app.get_webview_window("main").unwrap().close().unwrap();
        }
    });
}

/// Runs a test of this file in a process of its own, which crashes.
fn crash(folder: &Path, service: &Service) {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_that_crashes"])
        .env(CRASHES_IN, folder)
        .env(CRASHES_AT, &service.url)
        .status()
        .unwrap();
    assert!(!status.success());
}

#[test]
fn a_process_that_crashes() {
    let (Some(folder), Ok(url)) = (std::env::var_os(CRASHES_IN), std::env::var(CRASHES_AT)) else { return };
    let _app = start(folder.as_ref(), Options::new(url, "ada", "notes").report_key(REPORT_KEY));
    std::process::abort();
}

/// A service with an update, whose file has this content or this status.
fn with_update(status: u16, file: &'static str) -> Service {
    Service::new(move |url, path| {
        if path == "/file" {
            return (status, file.to_owned());
        }
        let signature = STANDARD.encode(SIGNATURE_OF_TEST);
        let update = json!({"version": "0.2.0", "url": format!("{url}/file"), "signature": signature});
        (200, update.to_string())
    })
}

/// Checks and installs, and returns the error.
fn update(app: &App<MockRuntime>, service: &Service) -> Error {
    let kit = app.spindrift();
    let update = block_on(kit.check()).unwrap().unwrap();
    assert!(service.next().header("x-device-id").is_some());
    let error = block_on(kit.download_and_install(&update, |_, _| {}, || {})).unwrap_err();
    let download = service.next();
    assert_eq!((download.line.as_str(), download.header("x-device-id")), ("GET /file", None));
    error
}

#[test]
fn checks_have_the_device_id_which_outlives_a_run() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    let check = || {
        let app = start(folder.path(), options(&service));
        let id = app.spindrift().device_id().unwrap();
        assert!(block_on(app.spindrift().check()).unwrap().is_none());
        end(app);
        let request = service.next();
        let target = tauri_plugin_updater::target().unwrap().replace('-', "/");
        let path = format!("GET /update/ada/notes/stable/{target}/0.1.0/tauri.json?bundle_type=");
        assert!(request.line.starts_with(&path), "{}", request.line);
        assert_eq!(request.header("x-device-id"), Some(id.as_str()));
        id
    };
    assert_eq!(check(), check());
}

#[test]
fn checks_have_the_facts_about_the_copy() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    let options =
        options(&service).group("nonsense").group(GROUP_KEY).os_version("13.6").download_token("sdd_");
    let app = start(folder.path(), options);
    app.spindrift().user_asked();
    let facts = || {
        block_on(app.spindrift().check()).unwrap();
        service.next().line.split_once('&').unwrap().1.to_owned()
    };
    assert_eq!(facts(), format!("download_token=sdd_&group={GROUP_KEY}&os_version=13.6&interactive=1"));
    assert_eq!(
        facts(),
        format!("download_token=sdd_&group={GROUP_KEY}&os_version=13.6"),
        "the user has asked once"
    );
}

#[test]
fn a_crash_is_reported_at_the_next_start() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    crash(folder.path(), &service);
    let _app = start(folder.path(), options(&service));
    assert_eq!(service.next_report(), "crash exit.unclean");
}

#[test]
fn a_start_that_fails_is_told_from_a_crash() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    let app = start(folder.path(), options(&service).says_when_started(true));
    // The file as it is while the application starts, in place of the one after the end.
    let file = folder.path().join("spindrift/kit.json");
    let starting = std::fs::read(&file).unwrap();
    app.spindrift().started();
    let started = std::fs::read(&file).unwrap();
    end(app);
    for (kept, expected) in
        [(starting, "startup_failure exit.before_started"), (started, "crash exit.unclean")]
    {
        std::fs::write(&file, kept).unwrap();
        let app = start(folder.path(), options(&service));
        assert_eq!(service.next_report(), expected);
        end(app);
    }
}

#[test]
fn a_clean_exit_is_not_reported() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    end(start(folder.path(), options(&service)));
    let app = start(folder.path(), options(&service));
    app.spindrift().exiting();
    let app = start(folder.path(), options(&service));
    app.spindrift().report(EventType::Crash, "renderer gone", None);
    assert_eq!(service.next_report(), "crash renderer_gone", "the oldest is sent first");
}

#[test]
fn a_run_ends_also_while_a_report_is_on_its_way() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let app = start(folder.path(), Options::new(url, "ada", "notes").report_key(REPORT_KEY));
    app.spindrift().report(EventType::Crash, "own", None);
    let _connection = silent.accept().unwrap();
    end(app);
    let app = start(folder.path(), options(&service));
    assert_eq!(service.next_report(), "crash own");
    app.spindrift().report(EventType::Crash, "next", None);
    assert_eq!(service.next_report(), "crash next");
}

#[test]
fn a_bad_signature_is_an_update_failure() {
    let (folder, service) = (TempDir::new().unwrap(), with_update(200, "something else"));
    let app = start(folder.path(), options(&service));
    assert!(matches!(update(&app, &service), Error::Minisign(_)));
    assert_eq!(service.next_report(), "update_failure download.signature");
}

#[test]
fn a_file_that_cannot_be_installed_is_an_install_failure() {
    let (folder, service) = (TempDir::new().unwrap(), with_update(200, "test"));
    let app = start(folder.path(), options(&service));
    update(&app, &service);
    let report = service.next_report();
    assert!(report.starts_with("install_failure install."), "{report}");
}

#[test]
fn failures_of_the_network_are_not_reported() {
    let (folder, service) = (TempDir::new().unwrap(), with_update(503, ""));
    let app = start(folder.path(), options(&service));
    assert!(matches!(update(&app, &service), Error::Network(_)));
    app.spindrift().report(EventType::Crash, "own", None);
    assert_eq!(service.next_report(), "crash own");
}

#[test]
fn without_a_folder_the_device_id_lasts_for_the_run() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let app = start(&file, options(&service));
    let kit = app.spindrift();
    kit.report(EventType::Crash, "own", None);
    kit.started();
    assert!(block_on(kit.check()).unwrap().is_none());
    assert_eq!(service.next().header("x-device-id"), kit.device_id().as_deref());
    end(app);
}

#[test]
fn invalid_options_turn_off_what_needs_them() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    let app = start(folder.path(), options(&service).report_key("rpk_..."));
    let kit = app.spindrift();
    assert_eq!(kit.problem(), Some("report_key is invalid"));
    kit.report(EventType::Crash, "own", None);
    block_on(kit.check()).unwrap();
    assert!(service.next().header("x-device-id").is_some(), "checks need no report key");

    for (url, owner, problem) in
        [("updates", "ada", "url is invalid"), (&service.url, "", "owner is missing")]
    {
        let app = start(folder.path(), Options::new(url, owner, "notes"));
        let kit = app.spindrift();
        assert_eq!((kit.problem(), kit.device_id()), (Some(problem), None));
        kit.report(EventType::Crash, "own", None);
        assert!(matches!(block_on(kit.check()), Err(Error::EmptyEndpoints)));
    }
}

#[test]
fn while_the_kit_is_off_nothing_is_written_or_sent() {
    let (folder, service) = (TempDir::new().unwrap(), Service::without_updates());
    let app = start(folder.path(), options(&service).group(GROUP_KEY).enabled(false));
    let kit = app.spindrift();
    kit.user_asked();
    kit.report(EventType::Crash, "own", None);
    block_on(kit.check()).unwrap();
    let check = service.next();
    assert_eq!((check.header("x-device-id"), check.line.contains('&')), (None, false));
    assert!(!folder.path().join("spindrift").exists());

    kit.set_enabled(true);
    let id = kit.device_id().unwrap();
    kit.set_enabled(false);
    assert_eq!(kit.device_id(), None);
    kit.set_enabled(true);
    assert_eq!(kit.device_id(), Some(id.clone()));
    kit.reset_device();
    assert_ne!(kit.device_id().unwrap(), id);
    kit.forget();
    assert_eq!(kit.device_id(), None);
    assert!(!folder.path().join("spindrift/kit.json").exists());
}

/// The guide shows the code of the example.
#[test]
fn the_guide_has_the_code_of_the_example() {
    let example = include_str!("../../examples/notes.rs");
    let (_, code) = example.split_once("\n\n").unwrap();
    let (code, _) = code.split_once("\nfn main()").unwrap();
    assert!(include_str!("../../../../docs/updaters/tauri.md").contains(code.trim_end()));
}
