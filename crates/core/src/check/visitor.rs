//! The system of somebody who opens a download page, and the file that fits it.

use crate::{Package, Processor};

/// An operating system that people download files for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Windows.
    Windows,
    /// macOS.
    MacOs,
    /// Any Linux distribution.
    Linux,
    /// Android.
    Android,
}

/// A browser's statements about its computer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Visitor {
    /// `None`: another system, or an unknown one.
    pub system: Option<System>,
    /// `None`: unknown.
    pub processor: Option<Processor>,
}

impl System {
    /// The name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Windows => "Windows",
            Self::MacOs => "macOS",
            Self::Linux => "Linux",
            Self::Android => "Android",
        }
    }

    /// The system of a file. `platform`: the publisher's name for it. Without a name that says so, the package
    /// decides.
    pub fn of_file(platform: Option<&str>, package: &Package) -> Option<Self> {
        platform.and_then(Self::from_platform).or_else(|| Self::from_package(package))
    }

    /// Publishers choose the names of platforms themselves.
    fn from_platform(name: &str) -> Option<Self> {
        const STARTS: [(System, &[&str]); 4] = [
            (System::Windows, &["win"]),
            (System::MacOs, &["mac", "darwin", "osx"]),
            (System::Linux, &["linux", "ubuntu", "debian", "fedora"]),
            (System::Android, &["android"]),
        ];
        let lower = name.to_ascii_lowercase();
        let system =
            STARTS.into_iter().find(|(_, starts)| starts.iter().any(|start| lower.starts_with(start)));
        system.map(|(system, _)| system)
    }

    fn from_package(package: &Package) -> Option<Self> {
        let systems = [Self::Windows, Self::MacOs, Self::Linux, Self::Android];
        systems.into_iter().find(|system| system.own_packages().contains(&package.as_str()))
    }

    /// The packages that only this system installs, the most usual first.
    const fn own_packages(self) -> &'static [&'static str] {
        match self {
            Self::Windows => &["exe", "msi", "msix", "msixbundle", "appx"],
            Self::MacOs => &["dmg", "pkg", "app.tar.gz"],
            Self::Linux => &["appimage", "deb", "rpm", "flatpak", "snap"],
            Self::Android => &["apk"],
        }
    }

    /// The processors whose files run here, the best first. Where the browser does not say which processor
    /// there is, a file that runs on most is better than one that may not run at all: 64-bit ARM computers
    /// with macOS and Windows also run files for 64-bit x86.
    const fn processors(self, processor: Option<Processor>) -> &'static [Processor] {
        use Processor::{Arm, Arm64, Universal, X64, X86};
        match (self, processor) {
            (Self::Android, None | Some(Arm64)) => &[Universal, Arm64],
            (Self::Linux, Some(Arm64)) => &[Arm64, Universal],
            (Self::Windows, Some(Arm64)) => &[Arm64, Universal, X64, X86],
            (_, Some(Arm64)) => &[Arm64, Universal, X64],
            (Self::MacOs, _) => &[Universal, X64],
            (_, Some(X86)) => &[X86, Universal],
            (_, Some(Arm)) => &[Arm, Universal],
            (Self::Windows, _) => &[X64, Universal, X86],
            (_, _) => &[X64, Universal],
        }
    }
}

impl Visitor {
    /// Reads the header `User-Agent`, and the hints `Sec-CH-UA-Platform` and `Sec-CH-UA-Arch`, which some
    /// browsers send and which are more exact. A header that was not sent is empty.
    pub fn of(user_agent: &str, platform_hint: &str, arch_hint: &str) -> Self {
        let agent = user_agent.to_ascii_lowercase();
        let hint = platform_hint.trim_matches('"').to_ascii_lowercase();
        let system = if hint.is_empty() { system_of_agent(&agent) } else { System::from_platform(&hint) };
        let processor = match arch_hint.trim_matches('"').to_ascii_lowercase().as_str() {
            "arm" => Some(Processor::Arm64),
            "x86" => Some(Processor::X64),
            _ => processor_of_agent(&agent),
        };
        // Browsers on macOS say `Intel` on every Mac.
        let is_unsure = system == Some(System::MacOs) && arch_hint.is_empty();
        Self { system, processor: processor.filter(|_| !is_unsure) }
    }

    /// How well a file fits, the best first; `None` if it does not. `arch`: the publisher's name for the
    /// processor. A file without one, or with a name that says nothing, fits every processor.
    pub fn fit(
        self,
        platform: Option<&str>,
        arch: Option<&str>,
        package: &Package,
    ) -> Option<(usize, usize)> {
        let system = self.system.filter(|system| System::of_file(platform, package) == Some(*system))?;
        if package.is_feed_only() {
            return None;
        }
        let processors = system.processors(self.processor);
        let processor = arch.and_then(|arch| Processor::from_name(&arch.to_ascii_lowercase()));
        let place = match processor {
            Some(processor) => processors.iter().position(|known| *known == processor)?,
            None => processors.len(),
        };
        let packages = system.own_packages();
        let of_package = packages.iter().position(|known| *known == package.as_str());
        Some((place, of_package.unwrap_or(packages.len())))
    }
}

/// Phones name a desktop system too, so they are recognized first.
fn system_of_agent(agent: &str) -> Option<System> {
    const WORDS: [(&str, Option<System>); 8] = [
        ("iphone", None),
        ("ipad", None),
        ("cros", None),
        ("android", Some(System::Android)),
        ("windows", Some(System::Windows)),
        ("mac os x", Some(System::MacOs)),
        ("macintosh", Some(System::MacOs)),
        ("linux", Some(System::Linux)),
    ];
    WORDS.into_iter().find(|(word, _)| agent.contains(word)).and_then(|(_, system)| system)
}

fn processor_of_agent(agent: &str) -> Option<Processor> {
    const WORDS: [(&str, Processor); 8] = [
        ("aarch64", Processor::Arm64),
        ("arm64", Processor::Arm64),
        ("armv7", Processor::Arm),
        ("x86_64", Processor::X64),
        ("win64", Processor::X64),
        ("wow64", Processor::X64),
        ("amd64", Processor::X64),
        ("i686", Processor::X86),
    ];
    WORDS.into_iter().find(|(word, _)| agent.contains(word)).map(|(_, processor)| processor)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOWS: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
    const MAC: &str =
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15";
    const LINUX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15";
    const ANDROID: &str = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile";

    #[test]
    fn browsers_say_what_they_run_on() {
        use Processor::{Arm64, X64};
        for (agent, platform, arch, system, processor) in [
            (WINDOWS, "", "", Some(System::Windows), Some(X64)),
            (WINDOWS, "\"Windows\"", "\"arm\"", Some(System::Windows), Some(Arm64)),
            (MAC, "", "", Some(System::MacOs), None),
            (MAC, "\"macOS\"", "\"arm\"", Some(System::MacOs), Some(Arm64)),
            (MAC, "\"macOS\"", "\"x86\"", Some(System::MacOs), Some(X64)),
            (LINUX, "", "", Some(System::Linux), Some(X64)),
            ("Mozilla/5.0 (X11; Linux aarch64)", "", "", Some(System::Linux), Some(Arm64)),
            (LINUX, "\"Chrome OS\"", "", None, Some(X64)),
            (PHONE, "", "", None, None),
            (ANDROID, "", "", Some(System::Android), None),
            ("curl/8.5.0", "", "", None, None),
            ("", "", "", None, None),
        ] {
            assert_eq!(
                Visitor::of(agent, platform, arch),
                Visitor { system, processor },
                "{agent} {platform}"
            );
        }
    }

    /// The best of files like `platform/arch/package`, `-` for a name that is not used.
    fn best<'f>(visitor: Visitor, files: &[&'f str]) -> Option<&'f str> {
        let fit = |file: &str| {
            let mut parts = file.split('/').map(|part| (part != "-").then_some(part));
            let (platform, arch) = (parts.next().flatten(), parts.next().flatten());
            visitor.fit(platform, arch, &parts.next().flatten().unwrap().parse().unwrap())
        };
        let fitting = files.iter().filter_map(|file| Some((fit(file)?, *file)));
        fitting.min_by_key(|(fit, _)| *fit).map(|(_, file)| file)
    }

    #[test]
    fn the_best_file_runs_on_the_visitors_system() {
        let visitor = |agent, arch| Visitor::of(agent, "", arch);
        let (intel, arm) = (visitor(MAC, "\"x86\""), visitor(MAC, "\"arm\""));
        for (visitor, files, expected) in [
            (visitor(WINDOWS, ""), vec!["win/x64/zip", "win/x64/msi", "win/x64/exe"], Some("win/x64/exe")),
            (visitor(WINDOWS, ""), vec!["windows/arm64/exe", "windows/ia32/exe"], Some("windows/ia32/exe")),
            (visitor(WINDOWS, ""), vec!["darwin/amd64/zip", "linux/amd64/zip"], None),
            (visitor(WINDOWS, ""), vec!["win/x64/nupkg"], None),
            (arm, vec!["darwin/amd64/dmg", "darwin/arm64/dmg"], Some("darwin/arm64/dmg")),
            (arm, vec!["darwin/amd64/dmg"], Some("darwin/amd64/dmg")),
            (intel, vec!["darwin/arm64/dmg"], None),
            (visitor(MAC, ""), vec!["mac/arm64/dmg", "mac/amd64/dmg"], Some("mac/amd64/dmg")),
            (visitor(MAC, ""), vec!["mac/amd64/dmg", "mac/universal/zip"], Some("mac/universal/zip")),
            (visitor(LINUX, ""), vec!["linux/amd64/rpm", "linux/amd64/deb"], Some("linux/amd64/deb")),
            (visitor(LINUX, ""), vec!["-/-/exe", "-/-/deb"], Some("-/-/deb")),
            (visitor(LINUX, ""), vec!["desktop/-/deb"], Some("desktop/-/deb")),
            (visitor(ANDROID, ""), vec!["android/arm64/apk"], Some("android/arm64/apk")),
            (visitor(PHONE, ""), vec!["darwin/arm64/dmg"], None),
            (Visitor::default(), vec!["linux/amd64/deb"], None),
        ] {
            assert_eq!(best(visitor, &files), expected, "{visitor:?} {files:?}");
        }
    }
}
