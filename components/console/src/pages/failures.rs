//! Failures that installed copies have reported, by cause and by group.

mod causes;
mod change;
mod details;
mod failure_group;
mod filters;
mod group;
mod groups;
mod list;
mod trend;

use spindrift_web::{Request, Response};

use crate::{Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCall {
    /// All causes, or all groups.
    List,
    /// Changes the status of several causes.
    ChangeMany,
    /// One group with its details.
    Show,
    /// The group's reports by day, as a file.
    Trend,
    /// Changes the group's status, or its tags and note.
    Change,
    /// Asks before the group is deleted.
    AskDelete,
    Delete,
    /// The compressed details of one report, for the page's script.
    Details,
}

pub(crate) async fn answer(context: &Context<'_>, call: FailureCall, request: Request) -> Result<Response> {
    match call {
        FailureCall::List => list::show(context, &request).await,
        FailureCall::ChangeMany => list::change(context, request).await,
        FailureCall::Show => group::show(context, &request).await,
        FailureCall::Trend => trend::csv(context, &request).await,
        FailureCall::Change => change::change(context, request).await,
        FailureCall::AskDelete => change::ask_delete(context, &request).await,
        FailureCall::Delete => change::delete(context, request).await,
        FailureCall::Details => details::read(context, &request).await,
    }
}
