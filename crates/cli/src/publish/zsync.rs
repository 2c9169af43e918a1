//! `--zsync`: files with which AppImageUpdate and zsync download only the blocks that a copy lacks.
//!
//! See [zsync](http://zsync.moria.org.uk/paper) for the format and
//! [AppImage](https://github.com/AppImage/AppImageSpec/blob/master/draft.md#update-information) for the
//! update information.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::str::FromStr;

use base16ct::lower::encode_string as hex;
use md4::{Digest as _, Md4};
use object::read::{Object as _, ObjectSection as _, ReadCache};
use sha1::Sha1;
use spindrift_core::{FileName, Scope, Updater, Version, artifact_path, encode_segments, naming_updater};
use tempfile::TempDir;
use url::Url;

use super::files::LocalFile;
use super::plan::UploadPlan;
use crate::error::CliError;

const PACKAGE: &str = "appimage";
/// The ELF section of an AppImage with its update information.
const SECTION: &str = ".upd_info";
/// The scheme of update information that points to a zsync file.
const SCHEME: &str = "zsync|";

/// Placeholder for an unknown owner.
const ANY_OWNER: &str = "OWNER";

/// Block sizes in bytes, as zsyncmake chooses them: the larger for files from [`LARGE`] bytes on.
const BLOCKS: [usize; 2] = [2048, 4096];
const LARGE: u64 = 100_000_000;
/// Stored bytes of a block's rolling sum and of its MD4: enough for 5 GiB, the largest file of a
/// release.
const SUM_BYTES: u8 = 4;
const MD4_BYTES: u8 = 6;

/// Writes a `.zsync` file for each AppImage to a new folder. It replaces one that the user gave.
/// Prints a message if the AppImage does not point to it. `owner`: the owner from the login; a CI
/// token has none.
pub(super) fn make(plan: &mut UploadPlan, owner: Option<&str>) -> Result<TempDir, CliError> {
    let is_image = |file: &&LocalFile| file_name(file).is_ok_and(|name| name.package().as_str() == PACKAGE);
    let images: Vec<LocalFile> = plan.files.large.iter().filter(is_image).cloned().collect();
    if images.is_empty() {
        return Err(CliError::usage("--zsync: there is no .AppImage among the files"));
    }
    let folder = tempfile::tempdir().map_err(CliError::file(&std::env::temp_dir()))?;
    for image in images {
        if let Some(problem) = problem(plan, owner, &image.path) {
            plan.progress.print(&format!("{}: {problem}", image.name));
        }
        let name = format!("{}.zsync", image.name);
        let path = folder.path().join(&name);
        let url = stored_name(plan, &image)?;
        let written = File::create(&path).and_then(|file| write(&image, &url, file));
        written.map_err(CliError::file(&image.path))?;
        let length = path.metadata().map_err(CliError::file(&path))?.len();
        plan.files.large.retain(|file| file.name != name);
        plan.files.large.push(LocalFile { path, name, length });
    }
    plan.files.large.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(folder)
}

fn parse_name<T: FromStr>(text: &str) -> Result<T, CliError> {
    text.parse().map_err(|_| CliError::usage(format!("--zsync: {text} is not a name")))
}

fn file_name(file: &LocalFile) -> Result<FileName, CliError> {
    file.name.parse().map_err(|_| CliError::usage(format!("{}: no name for a published file", file.name)))
}

/// The last segment of the AppImage's URL. Clients resolve it relative to the `.zsync` file, which
/// is stored beside the AppImage.
fn stored_name(plan: &UploadPlan, image: &LocalFile) -> Result<String, CliError> {
    let data = &plan.data;
    let scope = Scope {
        // The last segment contains neither the owner nor the other names.
        owner: parse_name(ANY_OWNER)?,
        app: parse_name(&data.app_name)?,
        channel: None,
        platform: None,
        arch: None,
    };
    let version: Version = parse_name(&data.version)?;
    let updater = data.updater.as_deref().and_then(|updater| updater.parse().ok()).unwrap_or(Updater::Manual);
    let feeds = plan.files.feeds.iter().map(file_name).collect::<Result<Vec<_>, _>>()?;
    let naming = naming_updater(updater, &feeds);
    let (name, given) = (file_name(image)?, data.packages.get(&image.name));
    let package = given.map_or_else(|| Ok(name.package()), |package| parse_name(package))?;
    let path = artifact_path(naming, &scope, &version, &name, &package);
    Ok(encode_segments([path.rsplit('/').next().unwrap_or_default()]))
}

/// Writes the `.zsync` file of an AppImage that is stored as `url`.
fn write(image: &LocalFile, url: &str, file: impl Write) -> io::Result<()> {
    let block = BLOCKS[usize::from(image.length >= LARGE)];
    let (mut records, mut whole) = (Vec::new(), Sha1::new());
    let mut bytes = BufReader::new(File::open(&image.path)?);
    loop {
        let mut content = Vec::with_capacity(block);
        bytes.by_ref().take(block as u64).read_to_end(&mut content)?;
        if content.is_empty() {
            break;
        }
        whole.update(&content);
        content.resize(block, 0);
        records.extend_from_slice(&sum(&content));
        records.extend_from_slice(&Md4::digest(&content)[..usize::from(MD4_BYTES)]);
    }
    // Two consecutive blocks have to match, if there are two.
    let in_a_row = if image.length > block as u64 { 2 } else { 1 };
    let mut file = io::BufWriter::new(file);
    write!(
        file,
        "zsync: 0.6.2\nFilename: {}\nBlocksize: {block}\nLength: {}\n\
         Hash-Lengths: {in_a_row},{SUM_BYTES},{MD4_BYTES}\n\
         URL: {url}\nSHA-1: {}\n\n",
        image.name,
        image.length,
        hex(&whole.finalize())
    )?;
    file.write_all(&records)?;
    file.flush()
}

/// The rolling sum of rsync over a block: the sum of its bytes, and the sum of these sums.
fn sum(block: &[u8]) -> [u8; 4] {
    let (mut bytes, mut sums) = (0_u16, 0_u16);
    for byte in block {
        bytes = bytes.wrapping_add(u16::from(*byte));
        sums = sums.wrapping_add(bytes);
    }
    let ([one, two], [three, four]) = (bytes.to_be_bytes(), sums.to_be_bytes());
    [one, two, three, four]
}

/// Why copies of the AppImage will not find newer versions. `None`: they will.
fn problem(plan: &UploadPlan, owner: Option<&str>, image: &Path) -> Option<String> {
    let expected = update_information(plan, owner);
    match information(image) {
        Ok(Some(found)) if leads_to(&found, &expected) => None,
        Ok(Some(found)) => {
            Some(format!("its update information is {found}; this release is found by {expected}"))
        }
        Ok(None) => Some(format!("it has no update information; pack it with {expected}")),
        Err(error) => {
            Some(format!("its update information cannot be read ({error}); it should be {expected}"))
        }
    }
}

/// The update information of an AppImage. `None`: it has none.
fn information(image: &Path) -> io::Result<Option<String>> {
    let cache = ReadCache::new(File::open(image)?);
    let elf = object::File::parse(&cache).map_err(io::Error::other)?;
    let Some(section) = elf.section_by_name(SECTION) else { return Ok(None) };
    let content = section.data().map_err(io::Error::other)?;
    let text = String::from_utf8_lossy(content).trim_end_matches('\0').trim().to_owned();
    Ok((!text.is_empty()).then_some(text))
}

/// The update information that points to the newest release in the scope.
fn update_information(plan: &UploadPlan, owner: Option<&str>) -> String {
    let data = &plan.data;
    let mut url = format!("{}/apps/latest?", plan.service.url());
    for (name, value) in [
        ("owner", Some(owner.unwrap_or(ANY_OWNER))),
        ("app_name", Some(data.app_name.as_str())),
        ("channel", data.channel.as_deref()),
        ("platform", data.platform.as_deref()),
        ("arch", data.arch.as_deref()),
    ] {
        url.extend(value.map(|value| format!("{name}={}&", encode_segments([value]))));
    }
    format!("{SCHEME}{url}package=zsync")
}

/// Whether update information points to the expected call, with the same parameters in any order.
fn leads_to(found: &str, expected: &str) -> bool {
    let is_any_owner = expected.contains(ANY_OWNER);
    let parts = |text: &str| {
        let url = Url::parse(text.strip_prefix(SCHEME)?).ok()?;
        let mut query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        query.retain(|(name, _)| !is_any_owner || name != "owner");
        query.sort();
        Some((url.path().to_owned(), query))
    };
    parts(found).is_some_and(|found| Some(found) == parts(expected))
}
