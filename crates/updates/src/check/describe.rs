//! Description of the call.

use spindrift_api::{CheckBody, ErrorCode};
use spindrift_web::describe::schema::{device, text, word};
use spindrift_web::describe::{Call, Who};

pub(crate) fn check() -> Call {
    Call::new("Updates", Who::Anyone, "Whether there is an update")
        .details(
            "Offers the newest published release, by version, that the client's rollout, channel and updater allow. With a \
             device the answer is for that device alone. A copy that names no channel, platform or architecture gets the \
             one that the owner marked as the default, or else the releases published without one. `default` always \
             means the latter.",
        )
        .needs_query("app_name", "Name of the application.", word())
        .needs_query("version", "The version that the client runs. A `+` need not be encoded.", word())
        .needs_query("owner", "User name of the application's owner.", word())
        .query("channel", "Name of the channel, or `default` for none.", text())
        .query("platform", "Name of the platform, or `default` for none.", text())
        .query("arch", "Name of the architecture, or `default` for none.", text())
        .query("updater", "The client's updater. Without: the platform's default.", text())
        .query("download_token", "For links to files of a private application.", text())
        .header("X-Device-ID", "Identifies the device. Other values are ignored.", device())
        .header("X-Download-Token", "For links to files of a private application.", text())
        .answers::<CheckBody<'_>>(200, "For the updater `manual`: the release, or that there is none newer.")
        .answers_json(
            200,
            "",
            serde_json::json!({
                "description": "For `squirrel_darwin` and `tauri`: what these updaters read.",
                "type": "object",
                "required": ["url"],
            }),
        )
        .answers_bytes(200, "", "text/plain; charset=utf-8")
        .answers_empty(204, "For `squirrel_darwin`, `tauri` and `electron-builder`: no update for this client.")
        .answers_empty(302, "For `electron-builder`, `velopack` and `sparkle`: to the feed.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(503, &[ErrorCode::OriginUnavailable])
        .shared()
}
