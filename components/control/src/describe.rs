//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    AuditBody, AuditHeadBody, DeviceGroupCreateBody, DeviceGroupDevicesBody, DeviceGroupEntry,
    DeviceGroupSizeBody, DeviceGroupsBody, ErrorCode, ExplainBody, ExplainedBody, FreezeCreateBody,
    FreezeEntry, FreezesBody, MessageBody, ShutoffCreateBody, ShutoffEntry, ShutoffsBody, WebhookCreateBody,
    WebhookEntry, WebhookUpdateBody, WebhooksBody,
};
use spindrift_web::describe::schema::{number, text};
use spindrift_web::describe::{Call, Who};

use crate::filter::{DEFAULT_LIMIT, MAX_LIMIT};

const NOUN: &str = "Audit log";

pub(crate) fn audit() -> Call {
    Call::new(NOUN, Who::User, "Lists who changed what")
        .details(
            "Newest first. Team users see the entries about their applications. With `format=jsonl`, which is for admins, \
             each line has an entry's text and its hash, oldest first: `spindrift audit verify` checks them.",
        )
        .query("app", "The name of an application, also of a deleted one, and also a former name.", text())
        .query("release", "The id of a release.", text())
        .query("version", "The version of releases, also of deleted ones.", text())
        .query("kind", "Kinds, separated by commas, such as `release.update` or `token.*`.", text())
        .query("actor", "The name or the id of a user or token, also of a deleted one.", text())
        .query("from", "RFC 3339: entries at or after this time.", text())
        .query("to", "RFC 3339: entries before this time.", text())
        .query("order", "`asc`: oldest first.", text())
        .query("after", "The `next` of the page before.", text())
        .query("limit", "Most entries in the answer.", number(1..=MAX_LIMIT, DEFAULT_LIMIT))
        .query("format", "`jsonl`: lines to keep and to verify.", text())
        .answers::<AuditBody>(200, "The entries.")
        .answers_bytes(200, "", "application/jsonl")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn audit_head() -> Call {
    Call::new(NOUN, Who::Admin, "Returns the end of the audit log")
        .details("Keep it where nobody can change it: a log that was cut off or rewritten does not reach it.")
        .answers::<AuditHeadBody>(200, "The last entry's place and hash.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
}

const RELEASES: &str = "Releases";

const SHUTOFFS: &str = "Shut-offs";

pub(crate) fn shut_off() -> Call {
    Call::new(SHUTOFFS, Who::UserOrToken, "Shuts updates off")
        .details(
            "Until the shut-off is lifted, no client that asks with this channel and platform is offered anything newer than \
             what it has. Downloads, links and uploads go on. A CI token needs the right `stop`. If the storage keeps old \
             static answers, the answer is a 502, and the shut-off holds nevertheless: call again. The guide is \
             `docs/bad-release.md`.",
        )
        .json::<ShutoffCreateBody>(json!({ "app": "notes", "platform": "linux", "reason": "Updates do not start" }))
        .answers::<ShutoffEntry>(201, "They are shut off.")
        .answers::<ShutoffEntry>(200, "They were shut off already.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::Conflict])
        .storing()
}

pub(crate) fn shutoffs() -> Call {
    Call::new(SHUTOFFS, Who::UserOrToken, "Lists shut-offs")
        .query("app", "The name of an application.", text())
        .answers::<ShutoffsBody>(200, "Those of the caller's applications.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn lift_shutoff() -> Call {
    Call::new(SHUTOFFS, Who::User, "Lifts a shut-off")
        .needs_query("id", "Its id.", text())
        .answers::<MessageBody>(200, "It is gone.")
        .refuses(404, &[ErrorCode::NotFound])
}

const FREEZES: &str = "Freezes";

pub(crate) fn freeze() -> Call {
    Call::new(FREEZES, Who::UserOrToken, "Freezes rollouts")
        .details(
            "Until the freeze ends, steps of rollouts and scheduled publications of the application wait, or of all the owner's \
             applications. Nothing is taken back, and calls do not wait: neither stops nor orders such as `advance`. For one \
             application a CI token needs the right `roll`; all of them are for admins. The guide is `docs/rollouts.md`.",
        )
        .json::<FreezeCreateBody>(json!({
            "app": "notes", "from": "2026-12-21T00:00:00+01:00", "to": "2027-01-04T00:00:00+01:00", "reason": "Holidays"
        }))
        .answers::<FreezeEntry>(201, "The freeze.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::Conflict])
}

pub(crate) fn freezes() -> Call {
    Call::new(FREEZES, Who::UserOrToken, "Lists freezes that are not over")
        .query("app", "The name of an application.", text())
        .answers::<FreezesBody>(
            200,
            "The freezes of all applications, and those of the caller's applications.",
        )
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn end_freeze() -> Call {
    Call::new(FREEZES, Who::UserOrToken, "Ends a freeze early")
        .details(
            "Steps and publications that the freeze holds go on now. A freeze that has not begun is deleted.",
        )
        .path("id", "Its id.")
        .answers::<MessageBody>(200, "It is over.")
        .refuses(404, &[ErrorCode::NotFound])
}

const GROUPS: &str = "Groups";

pub(crate) fn create_group() -> Call {
    Call::new(GROUPS, Who::UserOrToken, "Creates a group of devices")
        .details(
            "Testers type its `key` into the application, or their devices are added to its list. A release that lets the group              in is offered to them besides its rollout. A CI token needs the right `roll`. The guide is `docs/rollouts.md`.",
        )
        .json::<DeviceGroupCreateBody>(json!({ "app": "notes", "name": "testers" }))
        .answers::<DeviceGroupEntry>(201, "The group, with its key.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::Conflict])
}

pub(crate) fn groups() -> Call {
    Call::new(GROUPS, Who::UserOrToken, "Lists groups of devices")
        .needs_query("app", "The name of the application.", text())
        .answers::<DeviceGroupsBody>(200, "The groups of the application, by name.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn delete_group() -> Call {
    Call::new(GROUPS, Who::User, "Deletes a group of devices")
        .needs_query("id", "Its id.", text())
        .answers::<MessageBody>(200, "It is gone.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::InUse])
}

pub(crate) fn group_devices() -> Call {
    Call::new(GROUPS, Who::UserOrToken, "Changes the devices of a group")
        .details("Only digests of the ids are kept, so the list can be changed, but not read. A CI token needs the right `roll`.")
        .path("id", "The group's id.")
        .json::<DeviceGroupDevicesBody>(json!({ "add": ["device-1"], "remove": ["device-2"] }))
        .answers::<DeviceGroupSizeBody>(200, "The number of devices in the list.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::Conflict])
}

pub(crate) fn group_key() -> Call {
    Call::new(GROUPS, Who::User, "Replaces the key of a group")
        .details("The key before means nothing any more.")
        .path("id", "The group's id.")
        .answers::<DeviceGroupEntry>(201, "The group, with its new key.")
        .refuses(404, &[ErrorCode::NotFound])
}

const WEBHOOKS: &str = "Webhooks";

pub(crate) fn create_webhook() -> Call {
    Call::new(WEBHOOKS, Who::Admin, "Creates a webhook")
        .details(
            "The address gets a POST for each entry of the audit log that has one of these kinds, beginning with the next one. \
             `secret` verifies the signatures. It is in no other answer. The guide is `docs/webhooks.md`.",
        )
        .json::<WebhookCreateBody>(json!({
            "url": "https://hooks.example.com/spindrift", "name": "on call", "kinds": ["rollout.*", "health.*"],
            "app": "notes", "halt_links": true,
        }))
        .answers::<WebhookEntry>(201, "The webhook, with its secret.")
        .refuses(403, &[ErrorCode::WebhooksOff])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::Conflict])
}

pub(crate) fn webhooks() -> Call {
    Call::new(WEBHOOKS, Who::Admin, "Lists webhooks")
        .answers::<WebhooksBody>(
            200,
            "The owner's webhooks, oldest first, and the origins that webhooks may have.",
        )
        .refuses(403, &[ErrorCode::WebhooksOff])
}

pub(crate) fn update_webhook() -> Call {
    Call::new(
        WEBHOOKS,
        Who::Admin,
        "Changes the name of a webhook, and whether its messages carry halt links",
    )
    .details(
        "Without halt links, the links of earlier messages are revoked, also if the webhook gets them again.",
    )
    .path("id", "Its id.")
    .json::<WebhookUpdateBody>(json!({ "halt_links": true }))
    .answers::<WebhookEntry>(200, "The webhook.")
    .refuses(403, &[ErrorCode::WebhooksOff])
    .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn delete_webhook() -> Call {
    Call::new(WEBHOOKS, Who::Admin, "Deletes a webhook")
        .needs_query("id", "Its id.", text())
        .details("Links in its messages that halt a release are revoked.")
        .answers::<MessageBody>(200, "It is gone.")
        .refuses(403, &[ErrorCode::WebhooksOff])
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn test_webhook() -> Call {
    Call::new(WEBHOOKS, Who::Admin, "Sends a test message to a webhook")
        .details("It is not in the audit log, and changes nothing about deliveries.")
        .path("id", "Its id.")
        .answers::<MessageBody>(200, "The receiver answered with a 2xx.")
        .refuses(403, &[ErrorCode::WebhooksOff])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(502, &[ErrorCode::NotDelivered])
}

pub(crate) fn explain() -> Call {
    Call::new(RELEASES, Who::User, "Explains what a client gets")
        .details(
            "Answers what an update check would, now or at a later time, and for each release why the client is offered it or \
             not. Nothing is counted. Names that are left out mean what they mean in a check.",
        )
        .json::<ExplainBody>(json!({
            "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0.0",
            "device": "device-1",
        }))
        .answers::<ExplainedBody>(200, "The decision, and the newest releases with reasons.")
        .refuses(404, &[ErrorCode::NotFound])
}
