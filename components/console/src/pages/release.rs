//! A release: how it is offered, its files and addresses, its notes, and its failures.

mod addresses;
mod admission;
mod artifacts;
mod before;
mod conditions;
mod delete;
mod devices;
mod entered;
mod failures;
mod forms;
mod found;
mod guard;
mod health;
mod offer;
mod order;
mod page;
mod promote;
mod promotion;
mod publication;
mod receipt;
mod requirements;
mod rollout;
mod skipped;
mod withdraw;

use spindrift_web::{Request, Response};

pub(crate) use self::artifacts::private_key;
pub(crate) use self::found::address;
pub(crate) use self::guard::ACTIONS as GUARD_ACTIONS;
use crate::{Context, Result};

/// The calls of the pages of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseCall {
    /// Everything about it.
    Show,
    /// Changes it.
    Edit,
    /// Gives an order to its rollout.
    Order,
    /// Says from when on clients see it.
    Publish,
    /// Offers it in a further channel.
    Promote,
    /// Ends that.
    Demote,
    /// Lets groups of devices in.
    LetIn,
    /// Sets its requirements on systems.
    Require,
    /// Asks why it is to be withdrawn.
    AskWithdraw,
    /// Withdraws it.
    Withdraw,
    /// Makes a withdrawn release a draft.
    Restore,
    /// Asks whether it is to be deleted.
    AskDelete,
    /// Deletes it.
    Delete,
    /// Asks whether one of its files is to be deleted.
    AskDeleteArtifact,
    /// Deletes the file.
    DeleteArtifact,
}

pub(crate) async fn answer(context: &Context<'_>, call: ReleaseCall, request: Request) -> Result<Response> {
    match call {
        ReleaseCall::Show => page::show(context, &request).await,
        ReleaseCall::Edit => offer::edit(context, request).await,
        ReleaseCall::Order => order::order(context, request).await,
        ReleaseCall::Publish => publication::publish(context, request).await,
        ReleaseCall::Promote => promote::promote(context, request).await,
        ReleaseCall::Demote => promote::demote(context, request).await,
        ReleaseCall::LetIn => admission::let_in(context, request).await,
        ReleaseCall::Require => admission::require(context, request).await,
        ReleaseCall::AskWithdraw => withdraw::ask(context, &request).await,
        ReleaseCall::Withdraw => withdraw::withdraw(context, request).await,
        ReleaseCall::Restore => publication::restore(context, request).await,
        ReleaseCall::AskDelete => delete::show_delete_release(context, &request).await,
        ReleaseCall::Delete => delete::delete_release(context, request).await,
        ReleaseCall::AskDeleteArtifact => delete::show_delete_artifact(context, &request).await,
        ReleaseCall::DeleteArtifact => delete::delete_artifact(context, request).await,
    }
}
