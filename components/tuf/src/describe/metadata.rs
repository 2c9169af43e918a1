//! Metadata that is signed offline, and metadata that the service signs again.

use serde_json::json;
use spindrift_api::{
    DelegatedBody, DelegatedRotateRequest, MetadataRequest, OnlineRequest, RootBody, SignRequest, StagedBody,
    StagedDeleteRequest, TargetsBody,
};
use spindrift_web::describe::schema::word;
use spindrift_web::describe::{Call, Who};

use super::managing::{changing, named, signed, task};

pub(crate) fn root() -> Call {
    named(Who::UserOrToken, "The current root")
        .answers::<RootBody>(200, "The root; `null` if it lacks signatures.")
}

pub(crate) fn targets() -> Call {
    named(Who::UserOrToken, "The current list of targets")
        .answers::<TargetsBody>(200, "The list; `null` if there is none yet.")
}

pub(crate) fn delegated() -> Call {
    named(Who::UserOrToken, "The current list of a channel with signers of its own")
        .needs_query("roleName", "The channel's role: `channel-{name}`.", word())
        .answers::<DelegatedBody>(200, "The list; `null` if the channel has none.")
}

pub(crate) fn update() -> Call {
    let call = named(Who::UserOrToken, "Delivers signed metadata")
        .details(
            "With enough signatures it is current when the call answers; with some it waits for more. Files sent together \
             become current together. Only admins deliver a root.",
        )
        .json::<MetadataRequest>(json!({ "metadata": { "targets": signed() }, "base": 7 }));
    task(changing(call), 200)
}

pub(crate) fn rotate_delegated() -> Call {
    let call = named(Who::UserOrToken, "Delivers the signed list of a channel").json::<DelegatedRotateRequest>(
        json!({ "role": "channel-beta", "delegator": "targets", "metadata": { "channel-beta": signed() } }),
    );
    task(changing(call), 200)
}

pub(crate) fn pending() -> Call {
    named(Who::UserOrToken, "Returns the metadata that needs more signatures").answers::<StagedBody>(
        200,
        "Staged and current metadata by role. `data` is `null` if nothing is staged.",
    )
}

pub(crate) fn sign() -> Call {
    let call = named(Who::UserOrToken, "Adds a signature to staged metadata")
        .details("Repeating the call changes nothing. Only admins can sign a root.")
        .json::<SignRequest>(json!({ "role": "root", "signature": { "keyid": "0a", "sig": "0b" } }));
    task(changing(call), 200)
}

pub(crate) fn delete_staged() -> Call {
    let call = named(Who::Admin, "Drops what lacks signatures")
        .json::<StagedDeleteRequest>(json!({ "role": "root" }));
    task(changing(call), 202)
}

pub(crate) fn online() -> Call {
    let call = named(Who::Admin, "Signs the metadata of the service again")
        .json::<OnlineRequest>(json!({ "roles": ["timestamp"] }));
    task(changing(call), 202)
}
