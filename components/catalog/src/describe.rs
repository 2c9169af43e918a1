//! Descriptions of this component's calls.

use serde::Serialize;
use serde_json::{Value, json};
use spindrift_api::{
    AppData, AppsBody, ArchBody, ArchsBody, CatalogKind, ChannelBody, ChannelsBody, ErrorCode, PlatformBody,
    PlatformsBody, ResultBody, SearchBody,
};
use spindrift_core::Id;
use spindrift_db::dimensions::Kind;
use spindrift_web::describe::schema::{flag, one_of, word};
use spindrift_web::describe::{Call, Files, Who};

const APPS: &str = "Applications";
const FORCE: &str = "Whether to make the change even if it cuts off installed copies.";
const ID: &str = "018f0000-0000-7000-8000-000000000003";

pub(crate) fn create_app() -> Call {
    Call::new(APPS, Who::User, "Creates an application")
        .details("`file` is the logo: one PNG, JPEG, GIF or WebP of at most 1 MiB.")
        .form::<AppData>(Files::Some, json!({ "app": "notes", "description": "Takes notes" }))
        .answers_json(200, "The id of the application.", result(&created(CatalogKind::App), "string"))
        .refuses(409, &[ErrorCode::AlreadyExists])
        .storing()
}

pub(crate) fn update_app() -> Call {
    Call::new(APPS, Who::User, "Changes an application")
        .details("Omitted fields keep their values. `file` is a new logo. `force` may also be a form field.")
        .query("force", FORCE, flag())
        .form::<AppData>(Files::Some, json!({ "id": ID, "description": "Takes notes" }))
        .answers_json(200, "It was changed.", result(&ResultBody::updated(CatalogKind::App), "boolean"))
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(
            409,
            &[ErrorCode::AlreadyExists, ErrorCode::InUse, ErrorCode::WouldCutOff, ErrorCode::Conflict],
        )
        .storing()
}

pub(crate) fn list_apps() -> Call {
    Call::new(APPS, Who::User, "Lists the applications")
        .query("id", "Id of the only one to list.", word())
        .query("app_name", "Name of the only one to list.", word())
        .query("description", "Whether they have descriptions, which may be long. `true` if omitted.", flag())
        .answers::<AppsBody>(200, "The applications that the caller may see, by name.")
        .storing()
}

pub(crate) fn delete_app() -> Call {
    deletion(APPS, CatalogKind::App, "Deletes an application without releases")
        .refuses(403, &[ErrorCode::FreshLoginRequired])
        .refuses(409, &[ErrorCode::InUse, ErrorCode::WouldCutOff])
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}

pub(crate) fn delete(kind: Kind) -> Call {
    let (noun, of_api) = names(kind);
    deletion(noun, of_api, "Deletes one that nothing uses")
        .refuses(409, &[ErrorCode::InUse, ErrorCode::WouldCutOff])
}

fn names(kind: Kind) -> (&'static str, CatalogKind) {
    match kind {
        Kind::Channel => ("Channels", CatalogKind::Channel),
        Kind::Platform => ("Platforms", CatalogKind::Platform),
        Kind::Arch => ("Architectures", CatalogKind::Arch),
    }
}

fn created(kind: CatalogKind) -> ResultBody<Id> {
    ResultBody::created(kind, Id::from_text(ID))
}

/// The schema of a result: its one key, and the type of its value.
fn result(body: &impl Serialize, value: &str) -> Value {
    let body = serde_json::to_value(body).unwrap_or_default();
    let key = body.as_object().and_then(|body| body.keys().next()).cloned().unwrap_or_default();
    json!({
        "type": "object",
        "properties": { key.as_str(): { "description": "The result.", "type": value } },
        "required": [key],
    })
}

pub(crate) fn create(kind: Kind) -> Call {
    let (noun, of_api) = names(kind);
    let call = Call::new(noun, Who::User, "Creates one");
    let call = match kind {
        Kind::Channel => call.json::<ChannelBody>(json!({ "channel": "beta", "includes": ["stable"] })),
        Kind::Platform => call.json::<PlatformBody>(
            json!({ "platform": "linux", "updaters": [{ "type": "manual", "default": true }] }),
        ),
        Kind::Arch => call.json::<ArchBody>(json!({ "arch": "amd64" })),
    };
    call.answers_json(200, "Its id.", result(&created(of_api), "string"))
        .refuses(409, &[ErrorCode::AlreadyExists])
}

pub(crate) fn update(kind: Kind) -> Call {
    let (noun, of_api) = names(kind);
    let call = Call::new(noun, Who::User, "Changes one").details("Omitted fields keep their values.").query(
        "force",
        FORCE,
        flag(),
    );
    let call = match kind {
        Kind::Channel => call.json::<ChannelBody>(json!({ "id": ID, "channel": "beta" })),
        Kind::Platform => call.json::<PlatformBody>(json!({ "id": ID, "platform": "linux" })),
        Kind::Arch => call.json::<ArchBody>(json!({ "id": ID, "arch": "amd64" })),
    };
    call.answers_json(200, "It was changed.", result(&ResultBody::updated(of_api), "boolean"))
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::InUse, ErrorCode::WouldCutOff])
}

pub(crate) fn list(kind: Kind) -> Call {
    let call = Call::new(names(kind).0, Who::User, "Lists all");
    let text = "Those that the caller may see, by name.";
    match kind {
        Kind::Channel => call.answers::<ChannelsBody>(200, text),
        Kind::Platform => call.answers::<PlatformsBody>(200, text),
        Kind::Arch => call.answers::<ArchsBody>(200, text),
    }
}

fn deletion(noun: &'static str, kind: CatalogKind, summary: &'static str) -> Call {
    Call::new(noun, Who::User, summary)
        .needs_query("id", "Its id.", word())
        .query("force", FORCE, flag())
        .answers_json(200, "It is gone.", result(&ResultBody::deleted(kind), "integer"))
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn search() -> Call {
    Call::new("Releases", Who::UserOrToken, "Finds releases")
        .details("A CI token needs the right `upload`.")
        .query("id", "Id of the release.", word())
        .query("app_name", "Name of the application.", word())
        .query("channel", "Name of the channel.", word())
        .query("platform", "Name of the platform. One artifact must match it and `arch`.", word())
        .query("arch", "Name of the architecture.", word())
        .query("published", "Whether clients see it.", flag())
        .query("state", "The same, in words.", one_of(&["published", "draft"]))
        .query("critical", "Whether clients should not postpone it.", flag())
        .query("changelog", "Whether the answer has release notes. `true` if omitted.", flag())
        .pages(9, 100)
        .answers::<SearchBody>(200, "The releases of this page, newest version first.")
        .storing()
}
