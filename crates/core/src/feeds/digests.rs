//! Digests that a feed gives of its files: clients refuse what does not match, so they are compared with the bytes
//! before a release is recorded.

use base16ct::lower::encode_string as hex;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{FeedError, ReleaseFeed, SquirrelPackage, VelopackAsset};

/// The digests of one file, in lower-case hex; `None`: the feed gives none of the kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedDigests {
    /// The file.
    pub file_name: String,
    /// SHA-1.
    pub sha1: Option<String>,
    /// SHA-256.
    pub sha256: Option<String>,
    /// SHA-512.
    pub sha512: Option<String>,
}

impl ReleaseFeed {
    /// The digests of every file that the feed gives some for. Sparkle signs instead, with keys of the publisher's.
    pub fn digests(&self) -> Vec<FeedDigests> {
        match self {
            Self::SquirrelWindows(feed) => feed.packages.iter().map(of_package).collect(),
            Self::Velopack(feed) => feed.assets.iter().map(of_asset).collect(),
            Self::Electron(info) => {
                let packages = info.packages.iter().map(|package| &package.file);
                let digests = |file: &super::ElectronFile| FeedDigests {
                    file_name: file.file_name.clone(),
                    sha512: STANDARD.decode(&file.sha512).ok().map(|bytes| hex(&bytes)),
                    ..FeedDigests::default()
                };
                info.files.iter().chain(packages).map(digests).collect()
            }
            Self::Sparkle(_) => Vec::new(),
        }
    }

    /// The error for a file whose bytes are not what the feed says.
    pub fn digest_error(&self, file_name: &str) -> FeedError {
        let feed = match self {
            Self::SquirrelWindows(_) => "RELEASES",
            Self::Velopack(_) => "releases.{channel}.json",
            Self::Electron(_) => "*.yml",
            Self::Sparkle(_) => "appcast*.xml",
        };
        FeedError::named(feed, file_name, "digest differs from the uploaded file")
    }
}

fn of_package(package: &SquirrelPackage) -> FeedDigests {
    FeedDigests {
        file_name: package.file_name.clone(),
        sha1: Some(package.sha1.to_ascii_lowercase()),
        ..FeedDigests::default()
    }
}

fn of_asset(asset: &VelopackAsset) -> FeedDigests {
    FeedDigests {
        file_name: asset.file_name.clone(),
        sha1: Some(asset.sha1.to_ascii_lowercase()),
        sha256: asset.sha256.as_ref().map(|digest| digest.to_ascii_lowercase()),
        sha512: None,
    }
}
