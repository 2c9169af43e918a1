//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    ErrorCode, ExchangeBody, ExchangedBody, MessageBody, PublisherCreateBody, PublisherEntry, PublishersBody,
};
use spindrift_web::describe::schema::word;
use spindrift_web::describe::{Call, Who};

const PUBLISHERS: &str = "Trusted publishing";

pub(crate) fn create_publisher() -> Call {
    Call::new(PUBLISHERS, Who::User, "Registers a publisher of an application")
        .details(
            "A CI job with these properties gets a token of the application for its identity token. Needs the permission to \
             edit the application, and each right that the publisher gets.",
        )
        .json::<PublisherCreateBody>(json!({
            "app": "notes", "provider": "github", "repository": "acme/notes", "workflow": "release.yml",
        }))
        .answers::<PublisherEntry>(201, "The publisher.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::AlreadyExists, ErrorCode::Conflict])
}

pub(crate) fn list_publishers() -> Call {
    Call::new(PUBLISHERS, Who::User, "Lists publishers")
        .query("app", "The name of an application. Without it: of all that the caller may edit.", word())
        .answers::<PublishersBody>(200, "The publishers, oldest first.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn delete_publisher() -> Call {
    Call::new(PUBLISHERS, Who::User, "Removes a publisher, and ends the tokens of its jobs")
        .query("id", "Its id.", word())
        .answers::<MessageBody>(200, "The publisher is removed.")
        .refuses(404, &[ErrorCode::NotFound])
}

pub(crate) fn exchange() -> Call {
    Call::new(PUBLISHERS, Who::Anyone, "Exchanges the identity token of a CI job for a CI token")
        .details("The identity token names this service as its only audience. Each is good once.")
        .json::<ExchangeBody>(json!({ "token": "eyJhbGciOi...", "owner": "acme", "app": "notes" }))
        .answers::<ExchangedBody>(200, "The token, which is shown only here.")
        .refuses(401, &[ErrorCode::InvalidIdentity])
        .refuses(403, &[ErrorCode::PublisherMismatch, ErrorCode::PublisherChanged])
        .refuses(429, &[ErrorCode::RateLimited])
        .refuses(503, &[ErrorCode::IdentityProviderUnavailable])
}
