//! The requests of installed copies.

use serde_json::Value;

use crate::data::DataSet;
use crate::seed;
use crate::target::{Server, Target};

/// Devices that ask in turn.
const DEVICES: u32 = 5_000;

/// One row for each kind of request, whose requests are about one application after another. The
/// first answer of each is verified. `suffix`: the end of the names.
pub(crate) fn targets(server: &Server, data: &DataSet, suffix: &str) -> anyhow::Result<[Target; 9]> {
    let (apps, newest, tags) = (data.apps, &data.newest, data.tags.clone());
    let row = |name: &str, path: fn(u32) -> String| {
        Target::new(&format!("{name}{suffix}"), server, move |n| path(n % apps))
    };
    let is_newest =
        |answer: &str| body(answer).is_some_and(|body| body == *newest && body["update_available"] == true);
    let is_update = |answer: &str| body(answer).is_some_and(|body| body["update_available"] == true);
    let is_feed = |answer: &str| body(answer).is_some_and(|body| body["signature"] == seed::SIGNATURE);
    let is_link = |answer: &str| location(answer).is_some_and(|link| newest["update_url_deb"] == link);
    Ok([
        row("check", seed::check_path).check_answer(is_newest)?,
        row("check with all conditions", |_| seed::controlled_path()).check_answer(is_update)?,
        row("check with all conditions and a device", |_| seed::controlled_path())
            .with_header("X-Device-ID", device)
            .counting()
            .check_answer(is_update)?,
        row("check, answered 304", seed::check_path)
            .with_header("If-None-Match", move |n| tags[(n % apps) as usize].clone())
            .with_status(304)
            .check_answer(is_empty)?,
        row("check with a device", seed::check_path)
            .with_header("X-Device-ID", device)
            .counting()
            .check_answer(is_newest)?,
        row("beacon", seed::beacon_path)
            .with_header("X-Device-ID", device)
            .with_status(204)
            .counting()
            .check_answer(is_empty)?,
        row("static answer", seed::static_path).check_answer(is_newest)?,
        row("feed", seed::feed_path).check_answer(is_feed)?,
        row("latest", seed::latest_path).with_status(302).check_answer(is_link)?,
    ])
}

/// The device that sends the n-th request.
fn device(n: u32) -> String {
    format!("device-{}", n % DEVICES)
}

fn is_empty(answer: &str) -> bool {
    answer.ends_with("\r\n\r\n")
}

/// The body of an answer, which is JSON.
fn body(answer: &str) -> Option<Value> {
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

/// The address that an answer redirects to.
fn location(answer: &str) -> Option<&str> {
    let mut headers = answer.lines().filter_map(|line| line.split_once(": "));
    headers.find(|(name, _)| name.eq_ignore_ascii_case("location")).map(|(_, link)| link)
}
