//! An application for tests: it checks for an update, prints the version that it is offered, and ends as it is told.
//! Its arguments are the URL of the service, the owner of `notes`, the report key, the folder of its data, its
//! version, and `exit` or `crash`.

use spindrift_tauri::{Options, SpindriftExt};
use tauri::test::{mock_builder, mock_context, noop_assets};
use tauri::utils::config::AppDirectoriesOverride;
use tauri::{Manager as _, RunEvent, WebviewWindowBuilder};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, owner, key, folder, version, end] = &arguments[..] else { return Err("six arguments".into()) };
    let mut context = mock_context(noop_assets());
    context.package_info_mut().version = version.parse()?;
    let config = context.config_mut();
    config.app.app_directories_override = Some(AppDirectoriesOverride::Root(folder.into()));
    // No file is downloaded here, so no key verifies one.
    config.plugins.0.insert("updater".into(), serde_json::json!({"pubkey": ""}));
    let options = Options::new(url, owner, "notes").channel("stable").arch("amd64").report_key(key);
    let app = mock_builder()
        .plugin(spindrift_tauri::init(options))
        .plugin(tauri_plugin_updater::Builder::new().build())
        .build(context)?;
    if let Some(update) = tauri::async_runtime::block_on(app.spindrift().check())? {
        println!("{}", update.version);
    }
    if end == "crash" {
        std::process::abort();
    }
    WebviewWindowBuilder::new(&app, "main", tauri::WebviewUrl::default()).build()?;
    app.run(|app, event| {
        if let (RunEvent::Ready, Some(window)) = (event, app.get_webview_window("main")) {
            // Closing the last window ends the application.
            let _ = window.close();
        }
    });
    Ok(())
}
