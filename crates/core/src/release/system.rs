//! Operating systems, as people name platforms and tools name files.

use super::Package;
use crate::PlatformName;

/// An operating system that applications are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperatingSystem {
    /// Windows.
    Windows,
    /// macOS.
    MacOs,
    /// Linux.
    Linux,
}

/// The signs of a system.
struct Signs {
    system: OperatingSystem,
    name: &'static str,
    /// Words in the names of its platforms and files.
    words: &'static [&'static str],
    /// Packages that only it installs. Packages of several systems, such as `zip` and `nupkg`, are
    /// omitted.
    packages: &'static [&'static str],
}

const SIGNS: [Signs; 3] = [
    Signs {
        system: OperatingSystem::Windows,
        name: "Windows",
        words: &["windows", "win", "win32", "win64"],
        packages: &["exe", "msi", "msix", "appx", "msixbundle", "appxbundle"],
    },
    Signs {
        system: OperatingSystem::MacOs,
        name: "macOS",
        words: &["macos", "mac", "darwin", "osx"],
        packages: &["dmg", "pkg", "app.tar.gz"],
    },
    Signs {
        system: OperatingSystem::Linux,
        name: "Linux",
        words: &["linux", "debian", "ubuntu", "fedora"],
        packages: &["deb", "rpm", "appimage", "snap", "flatpak"],
    },
];

impl OperatingSystem {
    /// The name, for people.
    pub fn name(self) -> &'static str {
        SIGNS.iter().find(|signs| signs.system == self).map_or("", |signs| signs.name)
    }

    /// The system that a platform is named after. Owners choose the names, so `None` is common.
    pub fn of_platform(platform: &PlatformName) -> Option<Self> {
        Self::of_words(platform.as_str())
    }

    /// The only system that installs the package.
    pub fn of_package(package: &Package) -> Option<Self> {
        let signs = SIGNS.iter().find(|signs| signs.packages.contains(&package.as_str()));
        signs.map(|signs| signs.system)
    }

    /// The system that a word in the text names.
    pub fn of_words(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let signs = SIGNS.iter().find(|signs| words.iter().any(|word| signs.words.contains(word)));
        signs.map(|signs| signs.system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_of_platforms_and_files() {
        use OperatingSystem::{Linux, MacOs, Windows};
        for (platform, system) in [
            ("Linux", Some(Linux)),
            ("win-x64", Some(Windows)),
            ("darwin", Some(MacOs)),
            ("twins", None),
            ("embedded", None),
        ] {
            assert_eq!(OperatingSystem::of_platform(&platform.parse().unwrap()), system, "{platform}");
        }
        for (package, system) in [("exe", Some(Windows)), ("app.tar.gz", Some(MacOs)), ("nupkg", None)] {
            assert_eq!(OperatingSystem::of_package(&package.parse().unwrap()), system, "{package}");
        }
        assert_eq!(MacOs.name(), "macOS");
    }
}
