//! Facts about a release in the names of its files, to fill in a form.

use super::FileName;
use crate::{OperatingSystem, Processor, Version};

/// Words that begin a pre-release in the name of a file.
const PRE_RELEASES: [&str; 9] = ["alpha", "beta", "rc", "pre", "preview", "dev", "nightly", "canary", "next"];

/// The facts on which the names of the files agree. A name without a fact does not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameFacts {
    /// The version, as written.
    pub version: Option<String>,
    /// The operating system.
    pub system: Option<OperatingSystem>,
    /// The processor. [`Processor::X64`] only if a name says so.
    pub processor: Option<Processor>,
}

impl NameFacts {
    /// Reads the names of the files of one upload. Feed files are ignored: they are named after
    /// channels.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n FileName>) -> Self {
        let names: Vec<&FileName> = names.into_iter().filter(|name| name.feed_updater().is_none()).collect();
        Self {
            version: agreed(names.iter().filter_map(|name| version_in(name))),
            system: agreed(names.iter().filter_map(|name| system_of(name))),
            processor: agreed(names.iter().filter_map(|name| Processor::from_file_name(name.as_str()))),
        }
    }
}

/// The system of a file, by its package or else by a word in its name.
fn system_of(name: &FileName) -> Option<OperatingSystem> {
    OperatingSystem::of_package(&name.package()).or_else(|| OperatingSystem::of_words(name.as_str()))
}

/// The value that all are equal to.
fn agreed<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// The first version of at least two numbers in a name: `1.2.0-beta.1` in
/// `Notes-1.2.0-beta.1-arm64.dmg`.
fn version_in(name: &FileName) -> Option<String> {
    let stem = without_extension(name);
    let mut words = stem.split(['-', '_', ' ']).peekable();
    while let Some(word) = words.next() {
        let Some(numbers) = version_of_word(word) else { continue };
        let is_pre_release = |next: &&str| {
            let letters = next.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            PRE_RELEASES.contains(&letters.to_ascii_lowercase().as_str())
        };
        let whole = words.next_if(is_pre_release).map(|pre_release| format!("{numbers}-{pre_release}"));
        return whole.filter(|text| text.parse::<Version>().is_ok()).or(Some(numbers));
    }
    None
}

/// The name without its package and a processor before it, as in `notes-1.2.0.x86_64.rpm`.
fn without_extension(name: &FileName) -> String {
    let package = name.package();
    let text = name.as_str();
    let is_extension = |at: &usize| text.is_char_boundary(*at) && !package.is_no_extension();
    let end = text.len().checked_sub(package.as_str().len() + 1).filter(is_extension);
    let stem = text.get(..end.unwrap_or(text.len())).unwrap_or(text).replace("x86_64", "x64");
    match stem.rsplit_once('.') {
        Some((before, word)) if Processor::from_name(&word.to_ascii_lowercase()).is_some() => {
            before.to_owned()
        }
        _ => stem,
    }
}

/// `1.2.0`, `v1.2.0` and `1.2b3`, but not `2` and `x64`.
fn version_of_word(word: &str) -> Option<String> {
    let text = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (first, _) = text.split_once('.')?;
    (is_number(first) && text.parse::<Version>().is_ok()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(names: &[&str]) -> (String, &'static str, Option<Processor>) {
        let names: Vec<FileName> = names.iter().map(|name| name.parse().unwrap()).collect();
        let found = NameFacts::of(&names);
        (found.version.unwrap_or_default(), found.system.map_or("", OperatingSystem::name), found.processor)
    }

    #[test]
    fn names_of_common_tools_are_read() {
        let (x64, arm64) = (Some(Processor::X64), Some(Processor::Arm64));
        for (name, version, system, processor) in [
            ("Notes Setup 1.2.0.exe", "1.2.0", "Windows", None),
            ("Notes-1.2.0-beta.1-arm64.dmg", "1.2.0-beta.1", "macOS", arm64),
            ("Notes-1.2.0-arm64-mac.zip", "1.2.0", "macOS", arm64),
            ("notes_1.2.0_amd64.deb", "1.2.0", "Linux", x64),
            ("notes-1.2.0-1.x86_64.rpm", "1.2.0", "Linux", x64),
            ("notes-1.2.0.x86_64.rpm", "1.2.0", "Linux", x64),
            ("Notes_1.2.0_x64-setup.exe", "1.2.0", "Windows", x64),
            ("notes-v2.0-linux-amd64.tar.gz", "2.0", "Linux", x64),
            ("Notes 2.0b3.dmg", "2.0b3", "macOS", None),
            ("Notes-1.2.0-full.nupkg", "1.2.0", "", None),
            ("notes-1.2.0-rc1.AppImage", "1.2.0-rc1", "Linux", None),
            ("notes-1.2.3", "1.2.3", "", None),
            ("notes", "", "", None),
            ("notes-2.zip", "", "", None),
            ("notes-1.2.0-for-windows.deb", "1.2.0", "Linux", None),
            ("Überblick 1.5.dmg", "1.5", "macOS", None),
        ] {
            assert_eq!(facts(&[name]), (version.to_owned(), system, processor), "{name}");
        }
    }

    #[test]
    fn files_must_agree() {
        let agreed =
            ["notes_1.2.0_amd64.deb", "notes-1.2.0.x86_64.rpm", "notes.AppImage", "latest-linux-arm64.yml"];
        assert_eq!(facts(&agreed), ("1.2.0".to_owned(), "Linux", Some(Processor::X64)));
        let different = ["notes-1.2.0-arm64.dmg", "notes-1.2.1-x64.exe"];
        assert_eq!(facts(&different), (String::new(), "", None));
        assert_eq!(facts(&[]), (String::new(), "", None));
    }
}
