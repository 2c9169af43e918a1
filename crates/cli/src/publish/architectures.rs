//! Builds for several processors: sorts the files into architectures, which are uploaded one after
//! another into one draft.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use clap::Args;
use glob::Pattern;
use spindrift_api::ReleaseData;
use spindrift_core::{ArchName, FileName, Packages, Processor};

use super::files::{LocalFile, ReleaseFiles};
use crate::error::CliError;

mod names;
mod part;

pub(super) use names::resolve;
pub(super) use part::{ArchPart, FileArch};

#[derive(Debug, Args)]
#[command(next_help_heading = "Builds for several processors")]
pub(super) struct ArchOptions {
    /// Architecture of the files whose names match, like `*-arm64*=arm64`. May be repeated; the first that
    /// matches counts. Without it, the names decide: two files of a kind that say different processors
    /// (`arm64`, `x64`, or none for x64) are published for the architectures of those names.
    #[arg(long = "arch-of", value_name = "PATTERN=ARCH", conflicts_with = "arch")]
    arch_of: Vec<ArchPattern>,
}

/// A pattern for file names, and their architecture.
#[derive(Debug, Clone)]
struct ArchPattern {
    pattern: Pattern,
    arch: ArchName,
}

impl FromStr for ArchPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (pattern, arch) = text.rsplit_once('=').ok_or("write PATTERN=ARCH, like `*-arm64*=arm64`")?;
        Ok(Self {
            pattern: Pattern::new(pattern).map_err(|error| error.to_string())?,
            arch: arch.parse().map_err(|_| format!("{arch:?} is not a name of an architecture"))?,
        })
    }
}

impl ArchOptions {
    /// The files by architecture. `None`: they are a single upload.
    pub(super) fn split(
        &self,
        files: &ReleaseFiles,
        data: &ReleaseData,
    ) -> Result<Option<Vec<ArchPart>>, CliError> {
        let sorter = FileSorter::new(&self.arch_of, files, &data.packages)?;
        if data.arch.is_some() || (self.arch_of.is_empty() && !sorter.has_several_of_a_kind()) {
            return Ok(None);
        }
        sorter.parts().map(Some)
    }
}

/// A file, with the facts in its name.
struct SortedFile<'a> {
    file: &'a LocalFile,
    /// The package, or the updater of a feed. An architecture has one file of each kind, except for
    /// block maps and similar files.
    kind: String,
    arch: Option<FileArch>,
}

struct FileSorter<'a> {
    large: Vec<SortedFile<'a>>,
    feeds: Vec<SortedFile<'a>>,
}

impl<'a> FileSorter<'a> {
    fn new(
        given: &[ArchPattern],
        files: &'a ReleaseFiles,
        packages: &BTreeMap<String, String>,
    ) -> Result<Self, CliError> {
        let packages = Packages::from_json(&serde_json::json!(packages))
            .map_err(|error| CliError::usage(error.to_string()))?;
        let sorted = |file: &'a LocalFile| {
            let name: FileName =
                file.name.parse().map_err(|_| CliError::usage(format!("{}: no file name", file.name)))?;
            let processor = Processor::from_file_name(&file.name).map(FileArch::Of);
            // A feed without a processor in its name lists the files of all architectures.
            let is_for_all = name.is_feed() && processor.is_none();
            let named = given.iter().find(|given| !is_for_all && given.pattern.matches(&file.name));
            let arch = named.map(|given| FileArch::Named(given.arch.clone())).or(processor);
            let kind = match name.feed_updater() {
                Some(updater) => updater.to_string(),
                None => packages.of(&name).to_string(),
            };
            Ok::<_, CliError>(SortedFile { file, kind, arch })
        };
        let all = |files: &'a [LocalFile]| files.iter().map(sorted).collect::<Result<Vec<_>, CliError>>();
        Ok(Self { large: all(&files.large)?, feeds: all(&files.feeds)? })
    }

    /// Whether two files of the same kind are for different processors, and so cannot be one
    /// upload.
    fn has_several_of_a_kind(&self) -> bool {
        self.large.iter().enumerate().any(|(at, one)| {
            let others = &self.large[at + 1..];
            let may_repeat =
                FileName::from_str(&one.file.name).is_ok_and(|name| name.is_told_apart_by_name());
            !may_repeat && others.iter().any(|other| other.kind == one.kind && other.arch != one.arch)
        })
    }

    fn parts(self) -> Result<Vec<ArchPart>, CliError> {
        let archs = self.archs();
        let mut parts: Vec<ArchPart> = archs
            .iter()
            .map(|arch| ArchPart { arch: arch.clone(), files: ReleaseFiles::default() })
            .collect();
        for sorted in &self.large {
            for arch in places(sorted, &self.large, &archs)? {
                push(&mut parts, &arch, |files| files.large.push(sorted.file.clone()));
            }
        }
        for sorted in &self.feeds {
            for arch in places(sorted, &self.feeds, &archs)? {
                push(&mut parts, &arch, |files| files.feeds.push(sorted.file.clone()));
            }
        }
        Ok(parts)
    }

    /// The architectures of the build. A file whose name has no processor is for 64-bit x86 if a
    /// file of the same kind names another processor.
    fn archs(&self) -> BTreeSet<FileArch> {
        let mut archs: BTreeSet<FileArch> =
            self.large.iter().filter_map(|sorted| sorted.arch.clone()).collect();
        let has_sibling = |one: &SortedFile<'_>| {
            self.large.iter().any(|other| other.kind == one.kind && other.arch.is_some())
        };
        if self.large.iter().any(|sorted| sorted.arch.is_none() && has_sibling(sorted)) {
            archs.insert(FileArch::Of(Processor::X64));
        }
        archs
    }
}

/// The architectures that get a file. A file whose name has no processor is for the architectures
/// that have no file of its kind: for 64-bit x86 if another file of the kind names a processor,
/// else for all.
fn places(
    sorted: &SortedFile<'_>,
    all: &[SortedFile<'_>],
    archs: &BTreeSet<FileArch>,
) -> Result<Vec<FileArch>, CliError> {
    let name = &sorted.file.name;
    if let Some(arch) = &sorted.arch {
        if archs.contains(arch) {
            return Ok(vec![arch.clone()]);
        }
        return Err(CliError::usage(format!("{name}: there is no file for this processor: leave it out")));
    }
    let has_own = |arch: &&FileArch| {
        all.iter().any(|other| other.kind == sorted.kind && other.arch.as_ref() == Some(*arch))
    };
    let others: Vec<FileArch> = archs.iter().filter(|arch| !has_own(arch)).cloned().collect();
    let default = FileArch::Of(Processor::X64);
    let is_feed = FileName::from_str(name).is_ok_and(|name| name.is_feed());
    match others.as_slice() {
        [] => Err(CliError::usage(format!(
            "{name}: each architecture has a file of its own of this kind. Leave it out, or say where it \
             belongs with --arch-of \"{name}=ARCH\" and how it is called there with --package \
             \"{name}=NAME\""
        ))),
        others if others.len() < archs.len() && others.contains(&default) && !is_feed => Ok(vec![default]),
        others => Ok(others.to_vec()),
    }
}

fn push(parts: &mut [ArchPart], arch: &FileArch, push: impl FnOnce(&mut ReleaseFiles)) {
    if let Some(part) = parts.iter_mut().find(|part| part.arch == *arch) {
        push(&mut part.files);
    }
}

/// The files by the owner's names for their architectures. Parts with the same name are merged
/// without duplicates.
pub(super) fn by_name(parts: Vec<ArchPart>, names: Vec<String>) -> BTreeMap<String, ReleaseFiles> {
    let mut all: BTreeMap<String, ReleaseFiles> = BTreeMap::new();
    for (part, name) in parts.into_iter().zip(names) {
        let files = all.entry(name).or_default();
        for (to, more) in [(&mut files.large, part.files.large), (&mut files.feeds, part.files.feeds)] {
            to.extend(more);
            to.sort_by(|one, other| one.name.cmp(&other.name));
            to.dedup();
        }
    }
    all
}

/// The release's data for one architecture: a draft, with the packages of its files.
pub(super) fn data_of(data: &ReleaseData, arch: &str, files: &ReleaseFiles) -> ReleaseData {
    let mut data =
        ReleaseData { arch: Some(arch.to_owned()), publish: false, publish_at: None, ..data.clone() };
    data.packages.retain(|name, _| files.large.iter().any(|file| file.name == *name));
    data
}

#[cfg(test)]
mod tests;
