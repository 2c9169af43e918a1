//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    DownloadBody, DownloadTokenBody, DownloadTokensBody, ErrorCode, RegenerateDownloadTokenBody,
};
use spindrift_web::describe::schema::{text, word};
use spindrift_web::describe::{Call, Who};

const NOUN: &str = "Downloads";

pub(crate) fn download() -> Call {
    Call::new(NOUN, Who::Reader, "Downloads a file of a private application")
            .details(
                "The application's `download_mode` says who may: users with the permission, whoever sends a download token, \
                 or whoever knows the URL. With `format=json`, or where a login or token is needed and `Accept` lists JSON \
                 first, the answer is the URL instead of a redirect.",
            )
            .needs_query("key", "The file, from a link of another answer.", word())
            .query("format", "`json`: answers the URL.", text())
            .query("download_token", "A download token.", text())
            .header("X-Download-Token", "A download token.", text())
            .answers::<DownloadBody>(200, "The URL; or the file, with the storage driver `s3_internal`.")
            .answers_bytes(200, "", "*/*")
            .answers::<DownloadBody>(302, "To a URL that is valid for 15 minutes. The body has the same URL.")
            .refuses(404, &[ErrorCode::NotFound])
            .refuses(410, &[ErrorCode::Withdrawn])
            .storing()
}

pub(crate) fn list_tokens() -> Call {
    Call::new(NOUN, Who::User, "Lists the download tokens").answers::<DownloadTokensBody>(
        200,
        "The tokens, without what opens files, by application and channel.",
    )
}

pub(crate) fn regenerate_token() -> Call {
    Call::new(NOUN, Who::User, "Replaces a download token, or creates it")
        .json::<RegenerateDownloadTokenBody>(json!({ "app_id": "018f0000-0000-7000-8000-000000000003" }))
        .answers::<DownloadTokenBody>(
            200,
            "The new token, which is shown only here. The old one is not valid any more.",
        )
        .refuses(404, &[ErrorCode::NotFound])
}
