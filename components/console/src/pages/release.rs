//! A release: its offers, files, addresses, notes and failures.

mod addresses;
mod admission;
mod artifacts;
mod conditions;
mod confirmation;
mod crash_free;
mod delete;
mod devices;
mod entered_values;
mod failing_round;
mod failures;
mod forms;
mod guard;
mod health;
mod loaded_release;
mod notes;
mod numbers;
mod offer;
mod order;
mod page;
mod previous;
mod promote;
mod promotion;
mod publication;
mod receipt;
mod requested_release;
mod requirements;
mod rollout;
mod skip;
mod tab;
mod tab_content;
mod withdraw;

use spindrift_web::{Request, Response};

pub(crate) use self::artifacts::private_key;
pub(crate) use self::guard::ACTIONS as GUARD_ACTIONS;
pub(crate) use self::receipt::section as receipt_section;
pub(crate) use self::requested_release::address;
use crate::{Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseCall {
    /// The whole release.
    Show,
    Edit,
    /// Acts on the rollout.
    Order,
    /// Sets when clients see the release.
    Publish,
    /// Offers the release in another channel.
    Promote,
    /// Ends a promotion.
    Demote,
    /// Sets the groups of devices that are admitted.
    LetIn,
    /// Sets the OS requirements.
    Require,
    /// Asks for the reason of a withdrawal.
    AskWithdraw,
    Withdraw,
    /// Turns a withdrawn release into a draft.
    Restore,
    /// Asks before the release is deleted.
    AskDelete,
    Delete,
    /// Asks before one of the files is deleted.
    AskDeleteArtifact,
    /// Deletes one of the files.
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
        ReleaseCall::LetIn => admission::set_groups(context, request).await,
        ReleaseCall::Require => admission::set_requirements(context, request).await,
        ReleaseCall::AskWithdraw => withdraw::ask(context, &request).await,
        ReleaseCall::Withdraw => withdraw::withdraw(context, request).await,
        ReleaseCall::Restore => publication::restore(context, request).await,
        ReleaseCall::AskDelete => delete::show_delete_release(context, &request).await,
        ReleaseCall::Delete => delete::delete_release(context, request).await,
        ReleaseCall::AskDeleteArtifact => delete::show_delete_artifact(context, &request).await,
        ReleaseCall::DeleteArtifact => delete::delete_artifact(context, request).await,
    }
}
