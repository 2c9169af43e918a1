//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    AcceptedBody, BlobsBody, CausesBody, CausesPatchBody, CausesUpdatedBody, ErrorCode,
    FailuresByVersionBody, GroupDeletedBody, GroupPatchBody, GroupUpdatedBody, GroupsBody, KeyBody,
    RegenerateBody, ReportBody, ReportKeysBody,
};
use spindrift_web::describe::schema::{device, one_of, text, word};
use spindrift_web::describe::{Call, Who};

const NOUN: &str = "Failure reports";

pub(crate) fn list_blobs() -> Call {
    of_group("Lists the stored details of a group")
        .answers::<BlobsBody>(200, "The details, newest first.")
        .storing()
}

pub(crate) fn read_blob() -> Call {
    of_group("Returns the details of a report")
        .path("id", "The `id` in the list of details.")
        .answers_bytes(200, "The compressed details, as they are stored.", "application/gzip")
        .storing()
}

pub(crate) fn update_group() -> Call {
    of_group("Changes status, tags or note of a group")
        .details("Fields that are left out keep their values. At least one field is required.")
        .json::<GroupPatchBody>(json!({ "status": "resolved", "tags": ["startup"] }))
        .answers::<GroupUpdatedBody>(200, "It was changed.")
}

pub(crate) fn delete_group() -> Call {
    of_group("Deletes a group with its details").answers::<GroupDeletedBody>(200, "It is gone.").storing()
}

pub(crate) fn list_causes() -> Call {
    filtered(Call::new(NOUN, Who::User, "Lists the causes of failures"))
            .details(
                "A cause is an application, a type and a reason. It contains all groups that have them in common, of any \
                 version, channel, platform and architecture. Filters select the groups that are counted.",
            )
            .query(
                "sort",
                "The field to sort by; by default `last_seen`.",
                one_of(&["last_seen", "first_seen", "reports", "groups", "reason"]),
            )
            .query("order", "The direction; by default `asc` for `reason`, else `desc`.", one_of(&["asc", "desc"]))
            .pages(20, 100)
            .answers::<CausesBody>(200, "The causes of this page.")
}

pub(crate) fn update_causes() -> Call {
    filtered(Call::new(NOUN, Who::User, "Changes the status of all groups of some causes"))
            .details("Filters select the groups to change.")
            .json::<CausesPatchBody>(json!({
                "causes": [{ "app_id": "018f0000-0000-7000-8000-000000000003", "type": "crash", "reason": "segv" }],
                "status": "resolved",
            }))
            .answers::<CausesUpdatedBody>(200, "They were changed.")
            .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn list_versions() -> Call {
    Call::new(NOUN, Who::User, "Counts failures by version")
        .needs_query("app", "Name of the application.", word())
        .answers::<FailuresByVersionBody>(200, "The versions that failed, highest first; at most 100.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn list_keys() -> Call {
    Call::new(NOUN, Who::User, "Lists the report keys")
        .answers::<ReportKeysBody>(200, "The keys of the applications that the caller may see, by name.")
}

pub(crate) fn regenerate_key() -> Call {
    Call::new(NOUN, Who::User, "Replaces the report key of an application")
            .details("With `key_value`, which only admins may send, the application gets that key instead of a new one.")
            .json::<RegenerateBody>(json!({ "app_id": "018f0000-0000-7000-8000-000000000003" }))
            .answers::<KeyBody>(200, "The new key. The old one is not valid any more.")
            .refuses(404, &[ErrorCode::NotFound])
            .refuses(409, &[ErrorCode::Conflict, ErrorCode::AlreadyExists, ErrorCode::InUse])
}

pub(crate) fn ingest() -> Call {
    let refused = [400, 401, 403, 404, 413, 415, 429, 500, 502, 503];
    let call = Call::new(NOUN, Who::Reporter, "Reports a failure")
        .details(
            "Equal failures are counted in one group. Errors have only a text. If the details are refused, the report is \
             counted all the same.",
        )
        .needs_header("X-Device-ID", "Identifies the device. It is used for limits only and never stored.", device())
        .json::<ReportBody>(json!({
            "application": { "name": "notes", "version": "1.2.3", "channel": "stable" },
            "system": { "platform": "linux", "arch": "amd64" },
            "event": { "type": "crash", "reason": "segv" },
        }))
        .answers::<AcceptedBody>(202, "It is counted.");
    refused.into_iter().fold(call, |call, status| call.refuses(status, &[]))
}

pub(crate) fn list_groups() -> Call {
    filtered(Call::new(NOUN, Who::User, "Lists groups of failures"))
        .pages(20, 100)
        .answers::<GroupsBody>(200, "The groups of this page, latest report first.")
}

/// Adds the filters that select groups.
fn filtered(call: Call) -> Call {
    call.query("app", "Name of the application.", word())
        .query("hash", "The group's `group_hash`.", word())
        .query("tag", "One of its tags, as it was written.", text())
        .query("search", "A part of reason, tags or note, in capitals or not.", text())
        .query("version", "A version. An invalid one finds nothing.", text())
        .query("channel", "Name of the channel.", word())
        .query("platform", "Name of the platform.", word())
        .query("arch", "Name of the architecture.", word())
        .query(
            "type",
            "The kind of failure.",
            one_of(&["crash", "startup_failure", "update_failure", "install_failure", "rollback_failure"]),
        )
        .query("reason", "The short identifier of the cause.", word())
        .query("status", "The status; `all` does not filter.", one_of(&["open", "resolved", "muted", "all"]))
        .query("from", "Reported then or later: RFC 3339, or `YYYY-MM-DD`.", word())
        .query("to", "Reported then or earlier; a day is included as a whole.", word())
}

/// A call about one group.
fn of_group(summary: &'static str) -> Call {
    Call::new(NOUN, Who::User, summary)
        .path("hash", "The group's `group_hash`.")
        .query("app_id", "The application, should the groups of two have the hash.", word())
        .refuses(404, &[ErrorCode::NotFound])
}
