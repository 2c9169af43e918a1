//! Block maps of electron-builder: which blocks a file has, so that clients download only those that they
//! lack.
//!
//! Signing an installer after electron-builder has written its block map and its entry in `*.yml`
//! invalidates both. Clients would then download the whole file, or reject it.

mod chunks;

use std::fs::File;
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blake2::digest::consts::U18;
use blake2::{Blake2b, Digest as _};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha512};
use tempfile::TempDir;

use super::files::{LocalFile, ReleaseFiles};
use crate::error::CliError;

/// Suffix that a block map adds to the name of its file.
const SUFFIX: &str = ".blockmap";
/// Maximum size of an unpacked block map, in bytes: that of a 5 GiB file has less than 20 MB.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A block map in the format of electron-builder, before compression.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BlockMap {
    version: String,
    files: [Blocks; 1],
}

/// The blocks of the only file in a block map.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Blocks {
    name: String,
    offset: u64,
    /// 18-byte `BLAKE2b` of each block, in base64.
    checksums: Vec<String>,
    /// Length of each block, in bytes.
    sizes: Vec<u64>,
}

/// Compares block maps with their files. With `rebuild`, writes correct block maps to a new folder,
/// and corrects the digests in `*.yml`. Without it, a wrong block map is an error.
pub(super) fn check(files: &mut ReleaseFiles, rebuild: bool) -> Result<Option<TempDir>, CliError> {
    let mut folder = None;
    for at in 0..files.large.len() {
        let map = &files.large[at];
        let Some(name) = map.name.strip_suffix(SUFFIX) else { continue };
        let Some(file) = files.large.iter().find(|file| file.name == name).cloned() else { continue };
        if describes(&map.path, &file.path).map_err(CliError::file(&map.path))? {
            continue;
        }
        if !rebuild {
            return Err(CliError::usage(format!(
                "{} does not describe {}: was it signed after it was packed? --rebuild-block-maps makes it again",
                map.name, file.name
            )));
        }
        let folder = match &mut folder {
            Some(folder) => folder,
            none => none.insert(tempfile::tempdir().map_err(CliError::file(&std::env::temp_dir()))?),
        };
        files.large[at] =
            write_file(folder.path(), &files.large[at].name, &BlockMap::of(&file.path)?.pack()?)?;
        let is_yml =
            |feed: &&mut LocalFile| Path::new(&feed.name).extension().is_some_and(|end| end == "yml");
        for feed in files.feeds.iter_mut().filter(is_yml) {
            let text = std::fs::read_to_string(&feed.path).map_err(CliError::file(&feed.path))?;
            let text = with_digest(&text, &file.name, &sha512(&file.path)?, file.length);
            *feed = write_file(folder.path(), &feed.name, text.as_bytes())?;
        }
    }
    Ok(folder)
}

/// Whether the block map in a file has the blocks of `file`. An unreadable block map does not.
fn describes(map: &Path, file: &Path) -> io::Result<bool> {
    let Some(map) = BlockMap::read(map)? else { return Ok(false) };
    let [blocks] = map.files;
    let mut file = BufReader::new(File::open(file)?);
    if blocks.checksums.len() != blocks.sizes.len() {
        return Ok(false);
    }
    for (checksum, size) in blocks.checksums.iter().zip(&blocks.sizes) {
        let mut block = Vec::new();
        file.by_ref().take(*size).read_to_end(&mut block)?;
        if digest(&block) != *checksum {
            return Ok(false);
        }
    }
    Ok(file.bytes().next().is_none())
}

impl BlockMap {
    fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut text = Vec::new();
        let unpacked = GzDecoder::new(File::open(path)?).take(MAX_BYTES).read_to_end(&mut text);
        Ok(unpacked.ok().and_then(|_| serde_json::from_slice(&text).ok()))
    }

    /// The block map of a file.
    fn of(path: &Path) -> Result<Self, CliError> {
        let (mut checksums, mut sizes) = (Vec::new(), Vec::new());
        let cut = File::open(path).and_then(|file| {
            chunks::each(file, |block| {
                checksums.push(digest(block));
                sizes.push(block.len() as u64);
            })
        });
        cut.map_err(CliError::file(path))?;
        let blocks = Blocks { name: "file".to_owned(), offset: 0, checksums, sizes };
        Ok(Self { version: "2".to_owned(), files: [blocks] })
    }

    fn pack(&self) -> Result<Vec<u8>, CliError> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        let text = serde_json::to_vec(self).map_err(|error| CliError::Other(error.to_string()))?;
        let packed = packed.write_all(&text).and_then(|()| packed.finish());
        packed.map_err(|error| CliError::Other(error.to_string()))
    }
}

fn digest(block: &[u8]) -> String {
    STANDARD.encode(Blake2b::<U18>::digest(block))
}

fn sha512(path: &Path) -> Result<String, CliError> {
    let mut digest = Sha512::new();
    let mut file = File::open(path).map_err(CliError::file(path))?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer).map_err(CliError::file(path))?;
        if read == 0 {
            return Ok(STANDARD.encode(digest.finalize()));
        }
        digest.update(&buffer[..read]);
    }
}

fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> Result<LocalFile, CliError> {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, bytes).map_err(CliError::file(&path))?;
    Ok(LocalFile { path, name: name.to_owned(), length: bytes.len() as u64 })
}

/// A `*.yml` with the digest and length of one file replaced. Both follow the file's name, in the
/// order in which electron-builder writes them.
fn with_digest(text: &str, name: &str, sha512: &str, length: u64) -> String {
    let mut is_about_it = false;
    let mut changed = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let key_at = line.len() - line.trim_start_matches([' ', '-']).len();
        let (indent, rest) = line.split_at(key_at);
        let ending = &rest[rest.trim_end().len()..];
        let (key, value) = rest.trim_end().split_once(':').unwrap_or_default();
        let value = match key {
            "url" | "path" => {
                is_about_it = is_name(value, name);
                None
            }
            "sha512" if is_about_it => Some(sha512.to_owned()),
            "size" if is_about_it => Some(length.to_string()),
            _ => None,
        };
        match value {
            Some(value) => changed.extend([indent, key, ": ", &value, ending]),
            None => changed.push_str(line),
        }
    }
    changed
}

/// Whether a value in a `*.yml` is this name: plain, quoted, or percent-encoded.
fn is_name(value: &str, name: &str) -> bool {
    let value = value.trim().trim_matches(['"', '\'']);
    value == name || percent_decode_str(value).decode_utf8().is_ok_and(|value| value == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_of_one_file_are_changed() {
        let text = "version: 1.1.0\nfiles:\n  - url: Notes%20Setup.exe\n    sha512: old\n    size: 1\n  - url: Other.exe\n    \
                    sha512: other\n    size: 2\npath: 'Notes Setup.exe'\nsha512: old\nreleaseDate: 'now'\n";
        let expected = text.replace(": old\n", ": new\n").replace("size: 1\n", "size: 30\n");
        assert_eq!(with_digest(text, "Notes Setup.exe", "new", 30), expected);
        let windows = text.replace('\n', "\r\n");
        assert_eq!(with_digest(&windows, "Notes Setup.exe", "new", 30), expected.replace('\n', "\r\n"));
        assert_eq!(with_digest(text, "Setup.exe", "new", 30), text);
    }

    #[test]
    fn a_block_map_describes_its_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| write_file(folder.path(), name, bytes).unwrap();
        let file = write("a.exe", &vec![7; 100_000]);
        let map = write("a.exe.blockmap", &BlockMap::of(&file.path).unwrap().pack().unwrap());
        assert!(describes(&map.path, &file.path).unwrap());
        for (byte, length) in [(7, 99_999), (7, 100_001), (8, 100_000), (7, 0)] {
            let other = write("b.exe", &vec![byte; length]);
            assert!(!describes(&map.path, &other.path).unwrap(), "{}", other.length);
        }
        let nonsense = write("b.exe.blockmap", b"nonsense");
        assert!(!describes(&nonsense.path, &file.path).unwrap());
        let mut files = ReleaseFiles { large: vec![file, nonsense], feeds: Vec::new() };
        files.large[1].name = "a.exe.blockmap".to_owned();
        let error = check(&mut files, false).unwrap_err().to_string();
        assert!(error.contains("a.exe.blockmap does not describe a.exe"), "{error}");
        let made = check(&mut files, true).unwrap();
        assert!(made.is_some() && describes(&files.large[1].path, &files.large[0].path).unwrap());
        assert!(check(&mut files, false).unwrap().is_none());
    }
}
