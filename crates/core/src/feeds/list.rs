//! The one list of feed formats.

/// Calls a macro with all of them. A line has the updater, its word in requests, answers and storage, and the folder of its
/// format, in which a type of the same name says everything else (`FeedFormat` in `format.rs`). Their order is the one in
/// which updaters are sorted.
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
