//! The ways to build an application, and the updaters of each.

use spindrift_core::Updater;

/// A system that an application runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TargetSystem {
    /// The usual name of its platform.
    pub(super) name: &'static str,
    /// For people.
    pub(super) title: &'static str,
}

const WINDOWS: TargetSystem = TargetSystem { name: "windows", title: "Windows" };
const MACOS: TargetSystem = TargetSystem { name: "darwin", title: "macOS" };
const LINUX: TargetSystem = TargetSystem { name: "linux", title: "Linux" };

pub(super) const SYSTEMS: [TargetSystem; 3] = [WINDOWS, MACOS, LINUX];

/// The tool that builds an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuildKind {
    ElectronBuilder,
    ElectronForge,
    Tauri,
    Velopack,
    Sparkle,
    /// Files that the application downloads by itself.
    Plain,
}

const KINDS: [(BuildKind, &str, &str); 6] = [
    (BuildKind::Plain, "plain", "Plain files, or the client library of this service"),
    (BuildKind::ElectronBuilder, "electron-builder", "Electron with electron-builder"),
    (BuildKind::ElectronForge, "electron-forge", "Electron Forge"),
    (BuildKind::Tauri, "tauri", "Tauri"),
    (BuildKind::Velopack, "velopack", "Velopack"),
    (BuildKind::Sparkle, "sparkle", "Sparkle or WinSparkle"),
];

impl BuildKind {
    /// The value in the form. An unknown value means plain files.
    pub(super) fn of_word(word: &str) -> Self {
        KINDS.into_iter().find(|(_, own, _)| *own == word).map_or(Self::Plain, |(kind, ..)| kind)
    }

    pub(super) fn word(self) -> &'static str {
        KINDS.into_iter().find(|(kind, ..)| *kind == self).map_or("", |(_, word, _)| word)
    }

    /// Values and texts for the form.
    pub(super) fn choices() -> impl Iterator<Item = (&'static str, &'static str)> {
        KINDS.into_iter().map(|(_, word, title)| (word, title))
    }

    /// The updater of copies on a system. Tools without an updater there get plain files.
    pub(super) fn updater(self, system: TargetSystem) -> Updater {
        match self {
            Self::ElectronBuilder => Updater::ElectronBuilder,
            Self::ElectronForge if system == WINDOWS => Updater::SquirrelWindows,
            Self::ElectronForge if system == MACOS => Updater::SquirrelDarwin,
            Self::Tauri => Updater::Tauri,
            Self::Velopack => Updater::Velopack,
            Self::Sparkle if system != LINUX => Updater::Sparkle,
            Self::ElectronForge | Self::Sparkle | Self::Plain => Updater::Manual,
        }
    }

    /// The usual names of the architectures: 64-bit x86, and 64-bit ARM. Copies that Tauri builds ask
    /// with the names of Rust's targets.
    pub(super) const fn archs(self) -> [&'static str; 2] {
        match self {
            Self::Tauri => ["x86_64", "aarch64"],
            _ => ["amd64", "arm64"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_has_updaters() {
        for (word, updaters) in [
            ("electron-builder", ["electron-builder", "electron-builder", "electron-builder"]),
            ("electron-forge", ["squirrel_windows", "squirrel_darwin", "manual"]),
            ("tauri", ["tauri", "tauri", "tauri"]),
            ("velopack", ["velopack", "velopack", "velopack"]),
            ("sparkle", ["sparkle", "sparkle", "manual"]),
            ("plain", ["manual", "manual", "manual"]),
            ("of_tomorrow", ["manual", "manual", "manual"]),
        ] {
            let kind = BuildKind::of_word(word);
            assert_eq!(SYSTEMS.map(|system| kind.updater(system).as_str()), updaters, "{word}");
        }
        assert_eq!(BuildKind::of_word("tauri").archs(), ["x86_64", "aarch64"]);
        assert!(BuildKind::choices().all(|(word, _)| BuildKind::of_word(word).word() == word));
    }
}
