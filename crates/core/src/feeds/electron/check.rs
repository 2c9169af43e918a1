//! Compares `*.yml` with the upload that it belongs to.

use super::{ElectronFile, ElectronInfo, ElectronPackage, ElectronYml, FEED, parse::hex_to_base64};
use crate::Sha512Hex;
use crate::feeds::error::printable;
use crate::feeds::facts::KnownFiles;
use crate::feeds::{FeedError, UploadFacts};

/// Requires the release's version, and every listed file with its declared size and digest. If the feed gives
/// no size, the upload's is used. The upload may contain files that the feed does not list, such as block
/// maps.
///
/// A feed may also list files of the release for another architecture. They are omitted here, and
/// belong to the upload for that architecture: the feed of an architecture has only files that its
/// copies can run.
pub(in crate::feeds) fn check(
    ElectronYml(info): &ElectronYml,
    facts: &UploadFacts<'_>,
) -> Result<ElectronInfo, FeedError> {
    if !facts.is_version(&info.version) {
        let says = printable(&info.version);
        return Err(FeedError::about(FEED, format!("says {says}, the release is {}", facts.version)));
    }
    let known = facts.known_files();
    let here = |file: &ElectronFile| known.find(&file.file_name).map(|file| file.name);
    let of_files: Vec<&str> = info.files.iter().filter_map(here).collect();
    let of_packages: Vec<&str> = info.packages.iter().filter_map(|package| here(&package.file)).collect();
    let mut files: Vec<ElectronFile> = Vec::with_capacity(info.files.len());
    for listed in &info.files {
        if here(listed).is_none() && facts.is_elsewhere(&listed.file_name, &of_files) {
            continue;
        }
        let file = check_file(listed, &known)?;
        match files.iter().find(|f| f.file_name == file.file_name) {
            None => files.push(file),
            Some(same) if same.sha512 == file.sha512 => {}
            Some(_) => return Err(FeedError::in_part(FEED, &file.file_name, "listed twice")),
        }
    }
    let is_here = |package: &&ElectronPackage| {
        here(&package.file).is_some() || !facts.is_elsewhere(&package.file.file_name, &of_packages)
    };
    let package = |package: &ElectronPackage| {
        let file = check_file(&package.file, &known)?;
        Ok(ElectronPackage { arch: package.arch.clone(), file })
    };
    let packages = info.packages.iter().filter(is_here).map(package).collect::<Result<_, FeedError>>()?;
    Ok(ElectronInfo { files, packages, ..info.clone() })
}

fn check_file(listed: &ElectronFile, known: &KnownFiles<'_>) -> Result<ElectronFile, FeedError> {
    let Some(file) = known.find(&listed.file_name) else {
        return Err(FeedError::in_part(FEED, &listed.file_name, "listed and not uploaded"));
    };
    if let Some(size) = listed.size {
        file.check_size(FEED, size)?;
    }
    let declared = file.entry.and_then(|entry| entry.sha512.as_ref()?.parse::<Sha512Hex>().ok());
    if declared.is_some_and(|d| hex_to_base64(d.as_str()).as_ref() != Some(&listed.sha512)) {
        return Err(FeedError::in_part(FEED, file.name, "sha512 differs from the uploaded file"));
    }
    let size = listed.size.or_else(|| file.entry.and_then(|entry| entry.length));
    Ok(ElectronFile { file_name: file.name.to_owned(), size, ..listed.clone() })
}
