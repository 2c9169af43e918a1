//! Detects files for another operating system than the one that a platform is named after.

use crate::{Package, PlatformName};

/// An operating system, with words in the names of platforms, and the packages that only it
/// installs.
struct System {
    name: &'static str,
    /// A platform whose name has such a part is for this system.
    platforms: &'static [&'static str],
    packages: &'static [&'static str],
}

/// Packages of several systems, such as `zip` and `nupkg`, are omitted.
const SYSTEMS: [System; 3] = [
    System {
        name: "Windows",
        platforms: &["windows", "win", "win32", "win64"],
        packages: &["exe", "msi", "msix", "appx", "msixbundle", "appxbundle"],
    },
    System {
        name: "macOS",
        platforms: &["macos", "mac", "darwin", "osx"],
        packages: &["dmg", "pkg", "app.tar.gz"],
    },
    System {
        name: "Linux",
        platforms: &["linux", "debian", "ubuntu", "fedora"],
        packages: &["deb", "rpm", "appimage", "snap", "flatpak"],
    },
];

/// The system that installs the package, if the platform is named after another one. Owners choose
/// the names of platforms, so an unknown name fits every package.
pub fn foreign_system(platform: &PlatformName, package: &Package) -> Option<&'static str> {
    let name = platform.as_str().to_ascii_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let own = SYSTEMS.iter().find(|system| words.iter().any(|word| system.platforms.contains(word)))?;
    let of = SYSTEMS.iter().find(|system| system.packages.contains(&package.as_str()))?;
    (of.name != own.name).then_some(of.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_another_system_are_foreign() {
        for (platform, package, expected) in [
            ("linux", "exe", Some("Windows")),
            ("Linux", "dmg", Some("macOS")),
            ("win-x64", "deb", Some("Linux")),
            ("darwin", "msi", Some("Windows")),
            ("linux", "appimage", None),
            ("windows", "exe", None),
            ("macos", "zip", None),
            ("linux", "nupkg", None),
            ("twins", "deb", None),
            ("embedded", "exe", None),
        ] {
            let found = foreign_system(&platform.parse().unwrap(), &package.parse().unwrap());
            assert_eq!(found, expected, "{platform} {package}");
        }
    }
}
