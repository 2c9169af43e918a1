//! The list of feed formats.

/// Calls a macro with all feed formats. Each line has the updater, its text in requests, answers and storage,
/// and the folder of its format. A type of the same name in that folder implements `FeedFormat`
/// (`format.rs`). Updaters sort in this order.
macro_rules! feed_formats {
    ($apply:ident) => {
        $apply! {
            /// The client reads the service's own answer.
            Manual "manual" in manual,
            /// Squirrel.Mac, as in Electron.
            SquirrelDarwin "squirrel_darwin" in squirrel_mac,
            /// Squirrel.Windows.
            SquirrelWindows "squirrel_windows" in squirrel,
            /// electron-updater.
            ElectronBuilder "electron-builder" in electron,
            /// The updater plugin of Tauri.
            Tauri "tauri" in tauri,
            /// Velopack.
            Velopack "velopack" in velopack,
            /// Sparkle and its relatives.
            Sparkle "sparkle" in sparkle,
        }
    };
}

pub(crate) use feed_formats;
