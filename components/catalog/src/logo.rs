//! Logos of applications: small images in the public bucket.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use spindrift_core::Id;
use spindrift_service::objects::storage;
use spindrift_service::{Failure, Ports};
use spindrift_storage::{BucketKind, InvalidObjectKey, Location, ObjectKey, PutOptions};
use spindrift_web::ApiError;

/// Largest logo, in bytes.
pub(crate) const MAX_LOGO_BYTES: usize = 1024 * 1024;
/// Bytes of the digest in a key: enough to tell an application's logos apart.
const DIGEST_BYTES: usize = 8;
/// The key changes with the content.
const CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

/// An image in a supported format. SVG is not supported, because it can contain scripts, which would run on
/// the bucket's origin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Logo {
    bytes: Bytes,
    format: LogoFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LogoFormat {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl LogoFormat {
    /// Detects the format by the first bytes, because file names and declared types are unreliable.
    fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }

    const fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

impl Logo {
    /// Checks size (413) and format (400).
    pub(crate) fn parse(bytes: Bytes) -> Result<Self, ApiError> {
        if bytes.len() > MAX_LOGO_BYTES {
            return Err(ApiError::TooLarge(format!("the logo is larger than {MAX_LOGO_BYTES} bytes").into()));
        }
        match LogoFormat::detect(&bytes) {
            Some(format) => Ok(Self { bytes, format }),
            None => Err(ApiError::bad_request("the logo must be a PNG, JPEG, GIF or WebP image")),
        }
    }

    /// `logos/{app}/{digest}.{ext}`, with the application's id, so that renaming it does not move the logo.
    pub(crate) fn key(&self, app: &Id) -> String {
        use std::fmt::Write as _;
        let digest = Sha256::digest(&self.bytes);
        let digest = digest.iter().take(DIGEST_BYTES).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        format!("logos/{app}/{digest}.{}", self.format.extension())
    }

    /// Stores the image under its key.
    pub(crate) async fn store<P: Ports>(self, ports: &P, key: &str) -> Result<(), Failure> {
        let options = PutOptions {
            content_type: Some(self.format.content_type().to_owned()),
            cache_control: Some(CACHE_CONTROL.to_owned()),
            md5: None,
        };
        let at = location(key).map_err(|error| ApiError::Internal { internal: error.to_string() })?;
        Ok(storage(ports)?.put(&at, self.bytes, options).await?)
    }
}

fn location(key: &str) -> Result<Location, InvalidObjectKey> {
    Ok(Location::new(BucketKind::Public, ObjectKey::new(key)?))
}

/// Deletes a logo that no application uses any more. A failure does not affect the answer: it leaves a small
/// unused file.
pub(crate) async fn discard<P: Ports>(ports: &P, key: &str) {
    if let (false, Ok(storage), Ok(at)) = (key.is_empty(), storage(ports), location(key)) {
        let _ = storage.delete(&at).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logo(bytes: &'static [u8]) -> Option<Logo> {
        Logo::parse(Bytes::from_static(bytes)).ok()
    }

    #[test]
    fn formats() {
        for (bytes, extension) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], Some("png")),
            (b"\xff\xd8\xff\xe0", Some("jpg")),
            (b"GIF89a", Some("gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", None),
            (b"\x89PN", None),
            (b"", None),
        ] {
            assert_eq!(logo(bytes).map(|logo| logo.format.extension()), extension, "{bytes:?}");
        }
    }

    #[test]
    fn sizes() {
        let mut bytes = b"GIF89a".to_vec();
        bytes.resize(MAX_LOGO_BYTES, 0);
        assert!(Logo::parse(bytes.clone().into()).is_ok());
        bytes.push(0);
        assert!(matches!(Logo::parse(bytes.into()), Err(ApiError::TooLarge(_))));
    }

    #[test]
    fn keys_change_with_the_content() {
        let app = Id::from_text("1");
        let (a, b) = (logo(b"GIF89a1").unwrap().key(&app), logo(b"GIF89a2").unwrap().key(&app));
        assert_ne!(a, b);
        let digest = a.strip_prefix("logos/1/").and_then(|rest| rest.strip_suffix(".gif"));
        assert_eq!(digest.map(str::len), Some(16), "{a}");
    }
}
