//! Descriptions of the calls.

use serde_json::json;
use spindrift_api::ErrorCode;
use spindrift_web::describe::schema::{device, text};
use spindrift_web::describe::{Call, Who};

pub(crate) fn update() -> Call {
    base("A feed of a native updater, or a file below its base URL")
            .details(
                "Each installed copy has one base URL. The name requested below it decides the format: `RELEASES` or \
                 nothing, `*.yml`, `releases.{channel}.json`, `appcast*.xml`, `squirrel.json`, `tauri.json`. Any other name \
                 leads to the file of that name.",
            )
            .path("version", "The version that the copy runs.")
            .path("file", "The file that the updater requests.")
            .scope()
            .query("bundle_type", "For `tauri.json`: which of several signed files.", text())
            .answers_bytes(200, "", "text/plain; charset=utf-8")
            .answers_bytes(200, "", "text/yaml; charset=utf-8")
            .answers_bytes(200, "", "application/xml; charset=utf-8")
            .answers_empty(204, "For `squirrel.json` and `tauri.json`: no update for this client.")
            .answers_empty(302, "To the file: of the offered release, or of the newest that has it.")
}

pub(crate) fn release_file() -> Call {
    base("A file of one release")
        .details("`*.yml` feeds have such links, relative to their own URL.")
        .path("version", "The version of the release.")
        .path("file", "The file's name.")
        .scope()
        .answers_empty(302, "To the file.")
}

pub(crate) fn velopack() -> Call {
    base("A feed of Velopack, with one URL for all versions, or a package")
        .details(
            "With a channel in the path, the feed is that of the release channel, whatever Velopack's channel in the name of the \
             feed. Without one, the feed's name says the channel. If the owner has no such channel, a name that begins with a \
             system of Velopack stands for what follows system and processor (`stable` for `win-x64-stable`), and one without more \
             (`win`, `osx`, `linux`) for the owner's default channel.",
        )
        .path("owner", "User name of the application's owner.")
        .path("app", "Name of the application.")
        .path("channel", "Name of the release channel; `default` if the owner uses none.")
        .path("platform", "Name of the platform; `default` if the owner uses none.")
        .path("arch", "Name of the architecture; `default` if the owner uses none.")
        .path("file", "`releases.{channel}.json`, or the name of a `.nupkg`.")
        .query("localVersion", "The version that the copy runs.", text())
        .answers_empty(302, "To the package, from the newest release that has it.")
}

fn base(summary: &'static str) -> Call {
    Call::new("Updates", Who::Anyone, summary)
        .query("stagingId", "Identifies the device, as Velopack sends it.", text())
        .query("download_token", "For links to files of a private application.", text())
        .header("X-Device-ID", "Identifies the device. Other values are ignored.", device())
        .header("X-User-Staging-Id", "Identifies the device, as electron-updater sends it.", text())
        .header("X-Download-Token", "For links to files of a private application.", text())
        .answers_json(
            200,
            "The offered release, in the updater's format.",
            json!({ "description": "The feed, in the form that the updater reads.", "type": "object" }),
        )
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(410, &[ErrorCode::Withdrawn])
        .refuses(503, &[ErrorCode::OriginUnavailable])
        .shared()
}
