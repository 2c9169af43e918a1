//! The requests and answers of this component.

mod artifacts;
mod managing;
mod metadata;
mod repository;

use spindrift_describe::Call;

use crate::{Manage, TufCall};

/// Describes a call.
pub fn describe(call: TufCall) -> Call {
    match call {
        TufCall::File => repository::file(),
        TufCall::Target => repository::target(),
        TufCall::Manage(call) => manage(call),
    }
}

fn manage(call: Manage) -> Call {
    match call {
        Manage::State => repository::state(),
        Manage::Start => repository::start(),
        Manage::End => repository::end(),
        Manage::Recovery => repository::recovery(),
        Manage::Config => repository::config(),
        Manage::Configure => repository::configure(),
        Manage::Online => metadata::online(),
        Manage::Root => metadata::root(),
        Manage::Targets => metadata::targets(),
        Manage::Delegated => metadata::delegated(),
        Manage::Update => metadata::update(),
        Manage::RotateDelegated => metadata::rotate_delegated(),
        Manage::Pending => metadata::pending(),
        Manage::Sign => metadata::sign(),
        Manage::DeleteStaged => metadata::delete_staged(),
        Manage::Artifacts => artifacts::list(),
        Manage::PublishArtifacts => artifacts::publish(),
        Manage::DeleteArtifacts => artifacts::delete(),
        Manage::Task => artifacts::task(),
    }
}
