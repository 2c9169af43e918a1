//! The bodies of `init` and `complete`.

use bytes::Bytes;
use spindrift_api::CompleteBody;
use spindrift_core::{
    FeedName, FileEntry, FileName, Id, InvalidValue, MAX_FEED_BYTES, MAX_METADATA_BYTES, ReleaseMetadata,
    TextRule as _, parse_manifest,
};
use spindrift_web::{ApiError, Form, FormFile, FormLimits, Request};

/// Largest body of init, in bytes: four feed files of the largest size, and the text fields.
const MAX_INIT_BODY_BYTES: usize = 48 * 1024 * 1024;
/// Largest text field of init, in bytes.
const MAX_FIELD_BYTES: usize = MAX_METADATA_BYTES;
/// Largest body of a completion, in bytes.
const MAX_COMPLETE_BODY_BYTES: usize = 4 * 1024;

/// Largest feed file, in bytes.
#[expect(clippy::cast_possible_truncation, reason = "10 MiB fits every usize")]
const MAX_FEED: usize = MAX_FEED_BYTES as usize;

/// A feed file sent with init.
pub(crate) struct InlineFeed {
    pub(crate) name: FeedName,
    pub(crate) bytes: Bytes,
}

pub(crate) struct InitRequest {
    pub(crate) metadata: ReleaseMetadata,
    pub(crate) manifest: Vec<FileEntry>,
    pub(crate) feeds: Vec<InlineFeed>,
}

impl InitRequest {
    pub(crate) async fn read(request: Request) -> Result<Self, ApiError> {
        let limits = FormLimits { body: MAX_INIT_BODY_BYTES, field: MAX_FIELD_BYTES, file: MAX_FEED };
        let form = Form::read(request, limits).await?;
        let mut metadata = ReleaseMetadata::parse(form.required("data")?)?;
        let (manifest, packages) = parse_manifest(form.required("files")?)?;
        metadata.packages.extend(packages);
        let feeds = form.files.into_iter().map(inline_feed).collect::<Result<_, _>>()?;
        Ok(Self { metadata, manifest, feeds })
    }
}

fn inline_feed(file: FormFile) -> Result<InlineFeed, ApiError> {
    let invalid = |_| InvalidValue::of_text("file name", FileName::RULE, &file.name);
    let name: FileName = file.name.parse().map_err(invalid)?;
    let name = FeedName::try_from(name).map_err(|error| ApiError::bad_request(error.to_string()))?;
    Ok(InlineFeed { name, bytes: file.bytes })
}

/// The upload id of a completion, sent as JSON or as a form.
pub(crate) async fn read_upload_id(mut request: Request) -> Result<Id, ApiError> {
    let text = match request.media_type().as_deref() {
        Some("application/x-www-form-urlencoded" | "multipart/form-data") => {
            let limits =
                FormLimits { body: MAX_COMPLETE_BODY_BYTES, field: MAX_COMPLETE_BODY_BYTES, file: 0 };
            Form::read(request, limits).await?.required("upload_id")?.to_owned()
        }
        _ => request.read_json::<CompleteBody>(MAX_COMPLETE_BODY_BYTES).await?.upload_id,
    };
    if text.is_empty() { Err(ApiError::missing("upload_id")) } else { Ok(Id::from_text(text)) }
}
