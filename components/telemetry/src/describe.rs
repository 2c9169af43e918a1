//! Descriptions of this component's calls.

use spindrift_api::{AdoptionBody, ErrorCode, OverviewBody, TelemetryBody};
use spindrift_core::DownloadWay;
use spindrift_web::describe::schema::{device, flag, one_of, text, word};
use spindrift_web::describe::{Call, Who};

const NOUN: &str = "Telemetry";
const RANGES: &[&str] = &["week", "month", "quarter"];

pub(crate) fn beacon() -> Call {
    Call::new(NOUN, Who::Anyone, "Counts a device")
        .details("For clients whose check was not answered by the service.")
        .needs_header("X-Device-ID", "Identifies the device.", device())
        .needs_query("app_name", "Name of the application.", word())
        .needs_query("version", "The version that the client runs. It need not be a release.", word())
        .needs_query("channel", "Name of the channel, or `default` for none.", word())
        .needs_query("platform", "Name of the platform, or `default` for none.", word())
        .needs_query("arch", "Name of the architecture, or `default` for none.", word())
        .needs_query("owner", "User name of the application's owner.", word())
        .query("is_latest", "Whether the client is current. Without it the service decides.", flag())
        .query("downloaded", "The version of an update that the client has downloaded.", text())
        .query("way", "How. Required with `downloaded`.", one_of(&DownloadWay::ALL.map(DownloadWay::as_str)))
        .answers_empty(204, "It is counted.")
        .refuses(403, &[ErrorCode::TelemetryDisabled])
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn figures() -> Call {
    Call::new(NOUN, Who::User, "Devices by version, channel and platform")
        .details("A team user gets the figures of the allowed applications.")
        .query("date", "The last day, `YYYY-MM-DD`; today (UTC) by default.", text())
        .query("range", "The days up to then: 7, 30 or 90. Without: one.", one_of(RANGES))
        .query("apps", "Only these applications: at most 100 names, separated by commas.", word())
        .query("channels", "Only these channels.", word())
        .query("platforms", "Only these platforms.", word())
        .query("architectures", "Only these architectures.", word())
        .answers::<TelemetryBody>(200, "The figures.")
}

pub(crate) fn adoption() -> Call {
    Call::new(NOUN, Who::User, "How versions of an application spread")
        .needs_query("app", "Name of the application.", word())
        .query("date", "The last day, `YYYY-MM-DD`; today (UTC) by default.", text())
        .query("range", "The days up to then: 7, 30 or 90. Without: 30.", one_of(RANGES))
        .answers::<AdoptionBody>(200, "Devices by day and version.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn overview() -> Call {
    Call::new(NOUN, Who::User, "Applications with their figures")
        .details("A team user gets the allowed applications.")
        .query("app", "Only the application with this name.", word())
        .query("search", "A part of the name, in capitals or not.", text())
        .pages(24, 100)
        .answers::<OverviewBody>(200, "The applications of this page, by name.")
}
