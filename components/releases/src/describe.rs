//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    ArtifactsDeleteData, ArtifactsDeletedBody, ErrorCode, GuardRunBody, HaltLinkBody, OfferChangeBody,
    ReceiptAskBody, ReceiptBody, ReleaseBody, ReleaseDeletedBody, ReleaseHealthBody, ReleaseUpdateData,
    ReleaseUpdatedBody, RequiresChangeBody, RestoreBody, RolloutActionBody, WithdrawBody,
};
use spindrift_web::describe::schema::{flag, text, word};
use spindrift_web::describe::{Call, Files, Who};

const NOUN: &str = "Releases";
const ID: &str = "018f0000-0000-7000-8000-000000000004";
const FORCE: &str =
    "Whether to make the change even if devices would then skip the release, although it is an intermediate.";
pub(crate) fn delete_release() -> Call {
    Call::new(NOUN, Who::User, "Deletes a release with all its files")
        .needs_query("id", "Its id.", word())
        .query("force", FORCE, flag())
        .answers::<ReleaseDeletedBody>(200, "It is gone.")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::Busy, ErrorCode::Conflict, ErrorCode::InUse, ErrorCode::WouldCutOff])
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}

pub(crate) fn delete_artifacts() -> Call {
    Call::new(NOUN, Who::User, "Deletes artifacts of a release")
        .form::<ArtifactsDeleteData>(
            Files::None,
            json!({ "id": ID, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": [0] }),
        )
        .query("force", FORCE, flag())
        .answers::<ArtifactsDeletedBody>(200, "They are gone.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::Busy, ErrorCode::Conflict, ErrorCode::InUse, ErrorCode::WouldCutOff])
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}

pub(crate) fn update() -> Call {
    Call::new(NOUN, Who::User, "Changes how a release is offered, and its files")
        .details(
            "Fields that are left out keep their values. With `file` parts the call also adds files; `data` then has the \
             fields of an upload too, and the files follow its rules. Either the change and the files are recorded, or nothing is.",
        )
        .form::<ReleaseUpdateData>(Files::Some, json!({ "id": ID, "publish": true, "rollout": 25 }))
        .answers::<ReleaseUpdatedBody>(200, "It was changed.")
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
                ErrorCode::WouldCutOff,
            ],
        )
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}

pub(crate) fn release() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Returns a release and how it is offered")
        .path("id", "The id of the release.")
        .answers::<ReleaseBody>(200, "The release.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn release_of_version() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Returns a release by its version")
        .needs_query("app", "The name of the application.", text())
        .needs_query("version", "The version, in any spelling.", text())
        .answers::<ReleaseBody>(200, "The release.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn halt_link() -> Call {
    Call::new(NOUN, Who::LinkHolder, "Says what a halt link halts")
        .details("Changes nothing. The guide is `docs/webhooks.md`.")
        .answers::<HaltLinkBody>(200, "The release, which can be halted.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::WrongState])
        .refuses(410, &[ErrorCode::HaltLinkEnded])
}

pub(crate) fn halt_by_link() -> Call {
    Call::new(NOUN, Who::LinkHolder, "Halts a release with a link from a message")
        .details("Once, and within 72 hours. The body is ignored. The audit log names the webhook and the client's address.")
        .answers::<HaltLinkBody>(200, "The release, which is halted.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::WrongState])
        .refuses(410, &[ErrorCode::HaltLinkEnded])
}

pub(crate) fn receipt() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Says who gets a release and who does not")
        .details(
            "The receipt has a line for each channel, platform, architecture and updater for which the release, or an earlier \
             one, has something. It describes a release that is published: that of a draft says what publishing it would do.",
        )
        .path("id", "The id of the release.")
        .query("channel", "Only lines of this channel.", word())
        .answers::<ReceiptBody>(200, "The receipt.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn receipt_of_upload() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Says who would get an upload")
        .details(
            "Takes the description of an upload before anything is sent, and changes nothing. The content of feed files is not \
             checked.",
        )
        .json::<ReceiptAskBody>(json!({
            "data": { "app_name": "notes", "version": "1.0.0", "channel": "stable", "platform": "linux", "arch": "amd64" },
            "files": ["notes.deb"],
        }))
        .answers::<ReceiptBody>(200, "The receipt.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn rollout() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Gives an order to a rollout")
        .details(
            "A plan is a list of steps, or an object with `steps` and the hours in which they may `begin`. Only `resume` ends a halt. `halt`, `pause` and a lower percentage are never refused because of `if_revision`. \
             The guide is `docs/rollouts.md`.",
        )
        .path("id", "The id of the release.")
        .json::<RolloutActionBody>(json!({
            "action": "start",
            "plan": [{ "percent": 1, "for": "1d" }, { "percent": 20, "for": "1d" }, { "percent": 100 }]
        }))
        .answers::<ReleaseBody>(200, "The release after the order.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::WrongState, ErrorCode::ReleaseChanged])
}

pub(crate) fn offer() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Publishes a release, now or at a time, or makes it a draft")
        .details(
            "One call for all platforms at once. A plan and a percentage can be given until clients see the release. Making it \
             a draft is never refused because of `if_revision`. A CI token needs the right `publish`, and `stop` or `roll` \
             once clients see the release. A halted release stays halted. If making it a draft lets devices skip an intermediate, \
             people get a 409 `would_cut_off` with their number unless they send `force`, and a CI token needs the right `roll`.",
        )
        .path("id", "The id of the release.")
        .json::<OfferChangeBody>(json!({ "publish_at": "2026-12-01T09:00:00+01:00" }))
        .answers::<ReleaseBody>(200, "The release after the change.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(
            409,
            &[ErrorCode::WrongState, ErrorCode::ReleaseChanged, ErrorCode::Conflict, ErrorCode::WouldCutOff],
        )
}

pub(crate) fn promote() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Offers a release in a further channel")
        .details(
            "The offer there has its own state, rollout, groups and guard. Nothing is uploaded again. With signed metadata the files \
             are copied inside the storage, and clients get them once the list of the channel names them. A release that is halted \
             in any channel cannot be promoted. People need `edit` on the application and `upload` into the channel, a CI token needs \
             the right `roll`. The guide is `docs/rollouts.md`.",
        )
        .path("id", "The id of the release.")
        .json::<OfferChangeBody>(json!({ "channel": "stable", "publish": true, "rollout": 10 }))
        .answers::<ReleaseBody>(201, "The release, with the new offer.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::WrongState, ErrorCode::Busy, ErrorCode::Conflict])
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}

pub(crate) fn end_promotion() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Ends the promotion of a release to a channel")
        .details(
            "Copies of its files for that channel are deleted. A CI token needs the right `stop`, or `roll` if devices would then \
             skip the release, which is an intermediate. People get a 409 `would_cut_off` with their number unless they send `force`.",
        )
        .path("id", "The id of the release.")
        .needs_query("channel", "The channel.", word())
        .query("force", FORCE, flag())
        .answers::<ReleaseBody>(200, "The release without the offer.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::WrongState, ErrorCode::Busy, ErrorCode::WouldCutOff])
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}

pub(crate) fn requires() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Sets the systems that a release runs on")
        .details(
            "A system that is too old for the newest release gets the newest one that runs on it. Requirements belong to a \
             platform and an architecture; those that are left out stand for all that the release has files for. A CI token \
             needs the right `publish`, and `roll` once clients see the release. The guide is `docs/rollouts.md`.",
        )
        .path("id", "The id of the release.")
        .json::<RequiresChangeBody>(json!({ "platform": "macos", "requires": { "os_version": { "min": "12" } } }))
        .answers::<ReleaseBody>(200, "The release after the change.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::ReleaseChanged])
}

pub(crate) fn health() -> Call {
    Call::new(
        NOUN,
        Who::UserOrToken,
        "Returns what the last guard run found of a release, and its present figures",
    )
    .path("id", "The id of the release.")
    .query("channel", "The channel. May be left out while the release has one offer.", word())
    .answers::<ReleaseHealthBody>(200, "The figures of that run, and in `now` those of the moment.")
    .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn run_guard() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Looks at the health of releases, and stops unhealthy ones")
        .details(
            "For an admin, a CI token with the right `guard`, or the maintenance token, which looks at the releases of all owners. \
             It looks at no more than 200 releases, those at which nobody has looked for longest first. A release is stopped only if \
             it has a guard. A release that cannot be looked at does not end the run. Call it every few minutes, after maintenance.",
        )
        .answers::<GuardRunBody>(200, "Its findings, and the releases that it stopped.")
        .refuses(409, &[ErrorCode::Busy])
        .refuses(503, &[ErrorCode::Busy])
}

pub(crate) fn withdraw() -> Call {
    Call::new(NOUN, Who::UserOrToken, "Withdraws a release from all clients")
        .details(
            "The release is no longer offered, and downloads of its private files answer 410. Clients with the updater `manual` that run it are told \
             the reason; the formats of other updaters have no field for it. Calling again changes the reason. A CI token needs the \
             right `stop`, or `roll` if devices would then skip the release, which is an intermediate. People get a 409 \
             `would_cut_off` with their number unless they send `force`.",
        )
        .path("id", "The id of the release.")
        .json::<WithdrawBody>(json!({ "reason": "It deletes settings" }))
        .answers::<ReleaseBody>(200, "The release after its withdrawal.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::WouldCutOff])
}

pub(crate) fn restore() -> Call {
    Call::new(NOUN, Who::User, "Makes a withdrawn release a draft")
        .path("id", "The id of the release.")
        .json::<RestoreBody>(json!({ "reason": "The report was about another version" }))
        .answers::<ReleaseBody>(200, "The release, as a draft.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::WrongState, ErrorCode::ReleaseChanged])
}
