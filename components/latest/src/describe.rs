//! Description of this component's call.

use spindrift_api::{ErrorCode, LatestBody};
use spindrift_web::describe::schema::{text, word};
use spindrift_web::describe::{Call, Who};

pub(crate) fn latest() -> Call {
    Call::new("Updates", Who::Anyone, "The newest builds, or a redirect to one")
        .details("An unused channel, platform or architecture is `default`.")
        .needs_query("app_name", "Name of the application.", word())
        .needs_query("owner", "User name of the application's owner.", word())
        .query("channel", "Only this channel.", text())
        .query("platform", "Only this platform.", text())
        .query("arch", "Only this architecture.", text())
        .query("package", "Only this package, such as `deb`.", text())
        .query("download_token", "For links to files of a private application.", text())
        .header("X-Download-Token", "For links to files of a private application.", text())
        .answers::<LatestBody>(200, "Several files, by channel, platform, architecture and package.")
        .answers_empty(302, "To the only file.")
        .refuses(404, &[ErrorCode::NotFound])
        .shared()
}
