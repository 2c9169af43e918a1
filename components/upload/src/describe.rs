//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    CompleteBody, ErrorCode, ManifestEntry, PartsAnswer, PartsBody, ReleaseData, UploadInitBody, UploadedBody,
};
use spindrift_web::describe::{Call, Files, Who};

const NOUN: &str = "Uploads";

fn example() -> serde_json::Value {
    json!({ "app_name": "notes", "version": "1.0.0", "publish": true })
}

pub(crate) fn init() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Begins an upload of files to the storage")
        .details(
            "Makes all checks before any bytes are sent, and answers a presigned `PUT` for each file. `file` takes the feed \
             files of native updaters, at most 20.",
        )
        .form::<ReleaseData>(Files::Some, example())
        .field::<Vec<ManifestEntry>>(
            "files",
            json!([{ "name": "notes.deb", "md5": "d41d8cd98f00b204e9800998ecf8427e", "length": 0 }]),
        )
        .answers::<UploadInitBody>(200, "How to send each file: with `PUT`, and the headers unchanged.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(
            409,
            &[
                ErrorCode::ArtifactExists,
                ErrorCode::VersionExists,
                ErrorCode::Conflict,
                ErrorCode::WrongState,
            ],
        )
        .refuses(501, &[ErrorCode::NotSupported])
        .storing()
}

pub(crate) fn renew() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Answers new URLs for an upload")
        .details(
            "For files that are not sent yet when the URLs end. Files already sent stay. The caller is the one who began the upload, \
             or the admin.",
        )
        .json_or_form::<CompleteBody>(json!({ "upload_id": "018f0000-0000-7000-8000-000000000005" }))
        .answers::<UploadInitBody>(200, "As of the call that began it, with later ends.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(410, &[ErrorCode::UploadExpired])
        .refuses(501, &[ErrorCode::NotSupported])
        .storing()
}

pub(crate) fn parts() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Returns URLs for the parts of a large file")
        .details(
            "Use it instead of the file's own URL. Repeat the call with the `multipart_id` of the answer: it lists the \
             parts that are still missing, with new URLs. When none is missing, it joins them. The caller must have begun \
             the upload, or be the admin.",
        )
        .json::<PartsBody>(json!({
            "upload_id": "018f0000-0000-7000-8000-000000000005",
            "name": "notes.deb",
            "part_length": 8_388_608,
            "md5": ["d41d8cd98f00b204e9800998ecf8427e"],
        }))
        .answers::<PartsAnswer>(200, "The missing parts. Send each with `PUT` and unchanged headers.")
        .refuses(400, &[ErrorCode::MissingField])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(410, &[ErrorCode::UploadExpired])
        .refuses(501, &[ErrorCode::NotSupported])
        .storing()
}

pub(crate) fn complete() -> Call {
    recording(
        Call::new(NOUN, Who::UserOrToken, "Records the release of an upload")
            .details(
                "Repeated, it answers the same. The caller is the one who began the upload, or the admin.",
            )
            .json_or_form::<CompleteBody>(json!({ "upload_id": "018f0000-0000-7000-8000-000000000005" }))
            .refuses(410, &[ErrorCode::UploadExpired])
            .refuses(422, &[ErrorCode::FilesMissing, ErrorCode::SizeMismatch, ErrorCode::DigestMismatch]),
    )
}

pub(crate) fn regular() -> Call {
    recording(
        Call::new(NOUN, Who::UserOrToken, "Publishes files that are sent with the call")
            .details("`data` should come before the files: whatever it has wrong is then told before they are read.")
            .form::<ReleaseData>(Files::Required, example()),
    )
}

fn recording(call: Call) -> Call {
    call.answers::<UploadedBody>(200, "The release is recorded.")
        .refuses(400, &[ErrorCode::DigestsRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(
            409,
            &[
                ErrorCode::ArtifactExists,
                ErrorCode::VersionExists,
                ErrorCode::Busy,
                ErrorCode::Conflict,
                ErrorCode::WrongState,
            ],
        )
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}
