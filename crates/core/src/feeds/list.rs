//! The one list of feed formats.

/// Calls a macro with all of them. A line has the updater, its word in requests, answers and storage, the type that says
/// everything else of the format (see [`FeedFormat`](super::format::FeedFormat)), and the type of what is kept of a feed.
/// Their order is the one in which updaters are sorted.
macro_rules! feed_formats {
    ($apply:ident) => {
        $apply! {
            /// The client reads the service's own answer.
            Manual "manual" super::manual::Manual => NoFeed,
            /// Squirrel.Mac, as in Electron.
            SquirrelDarwin "squirrel_darwin" super::squirrel_mac::SquirrelDarwin => NoFeed,
            /// Squirrel.Windows.
            SquirrelWindows "squirrel_windows" super::squirrel::SquirrelWindows => super::squirrel::SquirrelFeed,
            /// electron-updater.
            ElectronBuilder "electron-builder" super::electron::ElectronBuilder => super::electron::ElectronInfo,
            /// The updater plugin of Tauri.
            Tauri "tauri" super::tauri::Tauri => NoFeed,
            /// Velopack.
            Velopack "velopack" super::velopack::Velopack => super::velopack::VelopackFeed,
            /// Sparkle and its relatives.
            Sparkle "sparkle" super::sparkle::Sparkle => super::sparkle::SparkleFeed,
        }
    };
}

pub(crate) use feed_formats;
