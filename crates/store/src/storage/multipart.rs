//! Joins the parts of a multipart upload.

use std::fs::File;
use std::path::{Path, PathBuf};

use md5::{Digest as _, Md5};
use s3s::dto::CompletedPart;
use s3s::{S3Error, S3Result, s3_error};

use super::blobs::{Blobs, PartialFile};
use super::index::PartRow;
use base16ct::lower::encode_string as hex;

/// Minimum size of every part except the last, in bytes, as in S3.
const MIN_PART: u64 = 5 * 1024 * 1024;

/// Largest part number, as in S3.
pub(super) const MAX_PARTS: i32 = 10_000;

/// The parts that the client lists. Their order must be ascending.
pub(super) fn choose(listed: &[CompletedPart], present: &[PartRow]) -> S3Result<Vec<PartRow>> {
    if listed.is_empty() {
        return Err(s3_error!(MalformedXML));
    }
    let mut chosen: Vec<PartRow> = Vec::with_capacity(listed.len());
    for wanted in listed {
        let number = wanted.part_number.ok_or_else(|| s3_error!(MalformedXML))?;
        let part = present.iter().find(|part| part.number == number).ok_or_else(|| s3_error!(InvalidPart))?;
        if wanted.e_tag.as_ref().is_some_and(|etag| etag.value() != part.md5) {
            return Err(s3_error!(InvalidPart));
        }
        if let Some(before) = chosen.last() {
            if before.number >= number {
                return Err(s3_error!(InvalidPartOrder));
            }
            if before.size < MIN_PART {
                return Err(s3_error!(EntityTooSmall));
            }
        }
        chosen.push(part.clone());
    }
    Ok(chosen)
}

/// A synced file with the bytes of all parts, and its size in bytes.
pub(super) async fn join(blobs: &Blobs, parts: &[PartRow]) -> S3Result<(PartialFile, u64)> {
    let incoming = blobs.create()?;
    let target = incoming.path().to_owned();
    let sources: Vec<PathBuf> = parts.iter().map(|part| blobs.path(&part.blob)).collect();
    // All on one thread: the system copies from file to file, in some cases without reading the bytes.
    let joined = tokio::task::spawn_blocking(move || join_files(&target, &sources)).await;
    let size = joined.map_err(S3Error::internal_error)?.map_err(S3Error::internal_error)?;
    Ok((incoming, size))
}

fn join_files(target: &Path, sources: &[PathBuf]) -> std::io::Result<u64> {
    let mut target = File::create(target)?;
    let mut size = 0;
    for source in sources {
        size += std::io::copy(&mut File::open(source)?, &mut target)?;
    }
    target.sync_data()?;
    Ok(size)
}

/// The `ETag` of a joined object: the MD5 of the MD5s of its parts, and the number of parts.
pub(super) fn etag(parts: &[PartRow]) -> String {
    let mut all = Md5::new();
    for part in parts {
        let digits = part.md5.as_bytes().chunks_exact(2);
        let byte =
            |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
        all.update(digits.map(|pair| byte(pair).unwrap_or(0)).collect::<Vec<u8>>());
    }
    format!("{}-{}", hex(&all.finalize()), parts.len())
}
