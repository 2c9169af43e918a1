//! Passkeys: those of the visitor, with recovery codes, and the demand that everybody in the team has one.

mod codes;
mod demand;
mod list;
mod new;
mod remove;

use spindrift_web::{Request, Response};

pub(super) use self::demand::change_demand;
pub(super) use self::list::section;
pub(crate) use self::new::new_page;
use crate::{Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasskeyCall {
    /// The form for the name of a new passkey.
    New,
    /// Asks the browser for a new passkey.
    Ask,
    Create,
    /// Asks before recovery codes are replaced.
    AskCodes,
    ReplaceCodes,
    /// Asks before a passkey is removed.
    AskRemove,
    Remove,
    /// Asks before passkeys are demanded of the team, or no longer.
    AskDemand,
    Demand,
}

pub(super) async fn answer(context: &Context<'_>, call: PasskeyCall, request: Request) -> Result<Response> {
    match call {
        PasskeyCall::New => new::show(context).await,
        PasskeyCall::Ask => new::ask(context, request).await,
        PasskeyCall::Create => new::create(context, request).await,
        PasskeyCall::AskCodes => codes::ask(context).await,
        PasskeyCall::ReplaceCodes => codes::replace(context, request).await,
        PasskeyCall::AskRemove => remove::ask(context, &request).await,
        PasskeyCall::Remove => remove::remove(context, request).await,
        PasskeyCall::AskDemand => demand::ask(context, &request).await,
        PasskeyCall::Demand => demand::set(context, request).await,
    }
}
