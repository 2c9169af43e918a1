//! Processors, as build tools name them in files.

/// The kind of processor that a build is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Processor {
    /// 64-bit x86.
    X64,
    /// 64-bit ARM.
    Arm64,
    /// 32-bit x86.
    X86,
    /// 32-bit ARM.
    Arm,
    /// One file for all processors.
    Universal,
}

/// The names of each processor in various tools. The first is electron-builder's.
const NAMES: [(Processor, &[&str]); 5] = [
    (Processor::X64, &["x64", "amd64", "x86_64"]),
    (Processor::Arm64, &["arm64", "aarch64"]),
    (Processor::X86, &["ia32", "x86", "i386", "i686", "386"]),
    (Processor::Arm, &["armv7l", "armhf", "armv7", "arm"]),
    (Processor::Universal, &["universal"]),
];

impl Processor {
    /// The processor in the name of a file: the last one that is a word of its own, between
    /// characters other than letters and digits. `None`: the name has none, which is how
    /// electron-builder marks 64-bit x86.
    pub fn from_file_name(file_name: &str) -> Option<Self> {
        let lower = file_name.to_ascii_lowercase().replace("x86-64", "x86_64");
        let words = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
        // An underscore joins the parts of `x86_64`, but separates words in `notes_1.0_arm64.deb`.
        let words = words.flat_map(|word| {
            let word = word.replace("x86_64", "x64");
            word.split('_').map(str::to_owned).collect::<Vec<_>>()
        });
        words.filter_map(|word| Self::from_name(&word)).next_back()
    }

    /// The processor of a file. Without one in its name, it is for 64-bit x86.
    pub fn of_file(file_name: &str) -> Self {
        Self::from_file_name(file_name).unwrap_or(Self::X64)
    }

    /// The processor with this name.
    pub fn from_name(word: &str) -> Option<Self> {
        NAMES.into_iter().find(|(_, names)| names.contains(&word)).map(|(processor, _)| processor)
    }

    /// The usual names of an architecture for this processor, electron-builder's first.
    pub fn names(self) -> &'static [&'static str] {
        NAMES.into_iter().find(|(processor, _)| *processor == self).map_or(&[], |(_, names)| names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        use Processor::{Arm, Arm64, Universal, X64, X86};
        for (name, processor) in [
            ("App-1.1.0-mac.zip", None),
            ("App-1.1.0-arm64-mac.zip", Some(Arm64)),
            ("App-1.1.0-arm64.dmg.blockmap", Some(Arm64)),
            ("App-1.1.0-universal-mac.zip", Some(Universal)),
            ("App Setup 1.1.0.exe", None),
            ("App-Setup-1.1.0-ia32.exe", Some(X86)),
            ("app-1.1.0-x64.nsis.7z", Some(X64)),
            ("app_1.1.0_amd64.deb", Some(X64)),
            ("app-1.1.0.x86_64.rpm", Some(X64)),
            ("app-x86-64.AppImage", Some(X64)),
            ("app_1.1.0_x86_64.deb", Some(X64)),
            ("app-1.1.0.aarch64.rpm", Some(Arm64)),
            ("app_1.1.0_armhf.deb", Some(Arm)),
            ("latest-linux-arm64.yml", Some(Arm64)),
            ("App-win32-arm64.zip", Some(Arm64)),
            ("Farm.zip", None),
            ("App-charm64.zip", None),
        ] {
            assert_eq!(Processor::from_file_name(name), processor, "{name}");
        }
        assert_eq!(Processor::of_file("App-1.1.0-mac.zip"), X64);
        assert_eq!(Arm64.names(), ["arm64", "aarch64"]);
    }
}
