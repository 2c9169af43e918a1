//! The parts of an upload request, and the rules that it must follow before any bytes are
//! transferred.

mod content_headers;
mod digest;
mod feed;
mod fields;
mod file_name;
mod inferred;
mod manifest;
mod metadata;
mod name_facts;
mod object_path;
mod packages;
mod parts;
mod rules;
mod session;

pub use content_headers::ContentHeaders;
pub use digest::{InvalidDigest, Md5Digest, Sha256Hex, Sha512Hex};
pub use feed::{FeedName, MAX_FEED_BYTES, MAX_FEEDS_PER_UPLOAD, NotAFeed};
pub use file_name::{FileName, InvalidFileName, MAX_FILE_NAME_BYTES};
pub use inferred::{AmbiguousFeeds, updater_of_feeds};
pub use manifest::{
    FileEntry, InvalidManifest, MAX_FILE_BYTES, MAX_FILES_PER_UPLOAD, MAX_MANIFEST_BYTES, parse_manifest,
};
pub use metadata::{InvalidMetadata, MAX_METADATA_BYTES, ReleaseMetadata};
pub use name_facts::NameFacts;
pub use object_path::{
    BUCKET_MARKER, STAGED_ROOT, artifact_path, distinct_path, metadata_prefix, naming_updater, staged_path,
    staged_prefix,
};
pub use packages::{InvalidPackages, Packages};
pub use parts::{InvalidParts, MAX_PARTS_PER_FILE, MIN_PART_BYTES, part_lengths};
pub use rules::{Upload, UploadRuleError, check_upload};
pub use session::{
    DeclaredDigests, SessionFile, SessionFileKind, SessionRelease, SessionState, StagedUpload, Starter,
    UploadSession, is_leftover, unknown_uploads_end,
};
