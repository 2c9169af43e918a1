//! Receives a body into a file, chunk by chunk, and checks it against what the client declared.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures::StreamExt as _;
use http::HeaderMap;
use md5::{Digest as _, Md5};
use s3s::checksum::ChecksumHasher;
use s3s::dto::{Checksum, StreamingBlob};
use s3s::{S3Error, S3Result, TrailingHeaders, s3_error};
use tokio::io::{AsyncWriteExt as _, BufWriter};

use super::blobs::{Blobs, PartialFile};
use super::write_back::WriteBack;
use base16ct::lower::encode_string as hex;

/// Bytes collected before they are written to the file.
const BUFFER: usize = 256 * 1024;

/// The properties of the body that the client declared.
#[derive(Debug, Default)]
pub(super) struct DeclaredBody {
    /// `Content-MD5`, base64.
    pub(super) md5: Option<String>,
    /// Length in bytes.
    pub(super) length: Option<i64>,
    /// `x-amz-checksum-*`, base64.
    pub(super) checksum: Checksum,
    /// The checksums that follow the body.
    pub(super) trailers: Option<TrailingHeaders>,
    /// `x-amz-trailer`: the headers that will follow the body.
    pub(super) announced: Option<String>,
}

/// A body that is complete, matches its declaration, and is synced.
pub(super) struct StoredBody {
    pub(super) file: PartialFile,
    /// Size in bytes.
    pub(super) size: u64,
    /// In hexadecimal.
    pub(super) md5: String,
    pub(super) checksum: Checksum,
}

/// Takes the claims from any request type that has them.
macro_rules! claims_of {
    ($input:expr, $headers:expr, $trailers:expr) => {
        $crate::storage::receive::DeclaredBody {
            md5: $input.content_md5.take(),
            length: $input.content_length.take(),
            checksum: s3s::dto::Checksum {
                checksum_crc32: $input.checksum_crc32.take(),
                checksum_crc32c: $input.checksum_crc32c.take(),
                checksum_crc64nvme: $input.checksum_crc64nvme.take(),
                checksum_sha1: $input.checksum_sha1.take(),
                checksum_sha256: $input.checksum_sha256.take(),
                ..Default::default()
            },
            trailers: $trailers.take(),
            announced: $crate::storage::receive::announced(&$headers),
        }
    };
}
pub(super) use claims_of;

/// The value of `x-amz-trailer`.
pub(super) fn announced(headers: &HeaderMap) -> Option<String> {
    headers.get("x-amz-trailer").and_then(|value| value.to_str().ok()).map(str::to_ascii_lowercase)
}

/// Writes `body` to a new file and syncs it.
///
/// # Errors
/// `BadDigest` or `IncompleteBody` if the body differs from its declaration. The file is then removed.
pub(super) async fn receive(
    blobs: &Blobs,
    mut body: StreamingBlob,
    claims: DeclaredBody,
) -> S3Result<StoredBody> {
    let claimed_md5 = claims.md5.as_deref().map(decode_md5).transpose()?;
    let incoming = blobs.create()?;
    let file = tokio::fs::File::create(incoming.path()).await.map_err(S3Error::internal_error)?;
    let mut file = BufWriter::with_capacity(BUFFER, file);
    let mut hasher = claims.hasher();
    let mut md5 = Md5::new();
    let mut size: u64 = 0;
    let mut write_back = WriteBack::default();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|error| s3_error!(IncompleteBody, "the body ended early: {error}"))?;
        md5.update(&chunk);
        hasher.update(&chunk);
        size += chunk.len() as u64;
        file.write_all(&chunk).await.map_err(S3Error::internal_error)?;
        write_back.advance(file.get_ref(), size).await.map_err(S3Error::internal_error)?;
    }
    file.flush().await.map_err(S3Error::internal_error)?;
    let file = file.into_inner();

    let md5: [u8; 16] = md5.finalize().into();
    if claimed_md5.is_some_and(|claimed| claimed != md5) {
        return Err(s3_error!(BadDigest, "The Content-MD5 you specified did not match what we received."));
    }
    if claims.length.is_some_and(|length| u64::try_from(length) != Ok(size)) {
        return Err(s3_error!(IncompleteBody));
    }
    let checksum = hasher.finalize();
    claims.check(&checksum)?;
    write_back.finish(&file).await.map_err(S3Error::internal_error)?;
    Ok(StoredBody { file: incoming, size, md5: hex(&md5), checksum })
}

fn decode_md5(text: &str) -> S3Result<[u8; 16]> {
    let bytes = BASE64_STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| s3_error!(InvalidDigest, "The Content-MD5 you specified is not valid."))
}

impl DeclaredBody {
    /// Computes only the checksums that the client declared.
    fn hasher(&self) -> ChecksumHasher {
        let announced = self.announced.as_deref().unwrap_or_default();
        let wanted = |given: &Option<String>, header: &str| {
            given.is_some() || announced.split(',').any(|h| h.trim() == header)
        };
        ChecksumHasher {
            crc32: wanted(&self.checksum.checksum_crc32, "x-amz-checksum-crc32").then(Default::default),
            crc32c: wanted(&self.checksum.checksum_crc32c, "x-amz-checksum-crc32c").then(Default::default),
            crc64nvme: wanted(&self.checksum.checksum_crc64nvme, "x-amz-checksum-crc64nvme")
                .then(Default::default),
            sha1: wanted(&self.checksum.checksum_sha1, "x-amz-checksum-sha1").then(Default::default),
            sha256: wanted(&self.checksum.checksum_sha256, "x-amz-checksum-sha256").then(Default::default),
        }
    }

    fn check(&self, computed: &Checksum) -> S3Result<()> {
        let trailers = self.trailers.as_ref().and_then(TrailingHeaders::take).unwrap_or_default();
        let given = &self.checksum;
        for (header, given, computed) in [
            ("x-amz-checksum-crc32", &given.checksum_crc32, &computed.checksum_crc32),
            ("x-amz-checksum-crc32c", &given.checksum_crc32c, &computed.checksum_crc32c),
            ("x-amz-checksum-crc64nvme", &given.checksum_crc64nvme, &computed.checksum_crc64nvme),
            ("x-amz-checksum-sha1", &given.checksum_sha1, &computed.checksum_sha1),
            ("x-amz-checksum-sha256", &given.checksum_sha256, &computed.checksum_sha256),
        ] {
            let trailing = trailers.get(header).and_then(|value| value.to_str().ok());
            let claimed = given.as_deref().or(trailing);
            if claimed.is_some() && claimed != computed.as_deref() {
                return Err(s3_error!(BadDigest, "{header} did not match what we received."));
            }
        }
        Ok(())
    }
}
