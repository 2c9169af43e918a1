//! Detects files for another operating system than the one that a platform is named after.

use crate::{OperatingSystem, Package, PlatformName};

/// The system that installs the package, if the platform is named after another one. An unknown
/// platform fits every package.
pub fn foreign_system(platform: &PlatformName, package: &Package) -> Option<OperatingSystem> {
    let own = OperatingSystem::of_platform(platform)?;
    OperatingSystem::of_package(package).filter(|system| *system != own)
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
            assert_eq!(found.map(OperatingSystem::name), expected, "{platform} {package}");
        }
    }
}
