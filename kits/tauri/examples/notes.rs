//! An application that updates itself. `docs/updaters/tauri.md` shows this code.

use spindrift_tauri::{Options, SpindriftExt};
use tauri::{AppHandle, Wry};

fn builder() -> tauri::Builder<Wry> {
    let options = Options::new("https://updates.example.com", "ada", "notes").channel("stable");
    tauri::Builder::default()
        // The key is that of the application.
        .plugin(spindrift_tauri::init(options.report_key("rpk_...")))
        .plugin(tauri_plugin_updater::Builder::new().build())
}

async fn update(app: AppHandle) -> tauri_plugin_updater::Result<()> {
    let kit = app.spindrift();
    if let Some(update) = kit.check().await? {
        kit.download_and_install(&update, |_, _| {}, || {}).await?;
        app.request_restart();
    }
    Ok(())
}

fn main() -> tauri::Result<()> {
    let builder = builder().setup(|app| {
        let app = app.handle().clone();
        tauri::async_runtime::spawn(async move {
            if let Err(error) = update(app).await {
                eprintln!("no update: {error}");
            }
        });
        Ok(())
    });
    // An application has `tauri::generate_context!()`.
    builder.run(tauri::test::mock_context(tauri::test::noop_assets()))
}
