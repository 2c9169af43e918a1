//! Spindrift's kit for Tauri: a device id for staged rollouts, and reports of crashes and failed updates.
//!
//! ```
//! use spindrift_tauri::Options;
//!
//! fn with_updates<R: tauri::Runtime>(builder: tauri::Builder<R>) -> tauri::Builder<R> {
//!     let options = Options::new("https://updates.example.com", "ada", "notes").channel("stable");
//!     builder.plugin(tauri_plugin_updater::Builder::new().build()).plugin(spindrift_tauri::init(options))
//! }
//! ```
//!
//! - [`init`]: the plugin. It begins a run when the application starts, and ends it on [`RunEvent::Exit`].
//! - [`SpindriftExt::spindrift`]: the [`Spindrift`] of an application, which checks for updates and installs them.
//!
//! Nothing here fails into the application, except calls that return the updater's own
//! [`Result`](tauri_plugin_updater::Result).

#![warn(missing_docs)]

mod failure;
mod kit;
mod options;

pub use kit::Spindrift;
pub use options::Options;
pub use spindrift_client::EventType;
use tauri::plugin::{Builder, TauriPlugin};
use tauri::{Manager, RunEvent, Runtime};

/// The plugin. Register it before everything that may crash: a crash before it is not noticed.
pub fn init<R: Runtime>(options: Options) -> TauriPlugin<R> {
    Builder::new("spindrift")
        .setup(|app, _| {
            app.manage(Spindrift::new(app.clone(), options));
            app.spindrift().begin();
            Ok(())
        })
        .on_event(|app, event| {
            if matches!(event, RunEvent::Exit) {
                app.spindrift().exiting();
            }
        })
        .build()
}

/// Adds [`spindrift`](SpindriftExt::spindrift) to `App`, `AppHandle`, and everything else that manages an
/// application.
pub trait SpindriftExt<R: Runtime> {
    /// The kit of the application.
    ///
    /// # Panics
    /// The application has not registered the plugin of [`init`].
    fn spindrift(&self) -> &Spindrift<R>;
}

impl<R: Runtime, T: Manager<R>> SpindriftExt<R> for T {
    fn spindrift(&self) -> &Spindrift<R> {
        self.state::<Spindrift<R>>().inner()
    }
}

/// The example of the page that package registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
