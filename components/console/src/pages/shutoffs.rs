//! Shut-offs: while there is one, the clients that it names are offered nothing newer than what they have.

mod banner;
mod found;
mod lift;
mod stop;

use spindrift_web::{Request, Response};

pub(crate) use self::banner::banner;
pub(crate) use self::found::load;
use crate::{Context, Result};

/// The calls of the pages of shut-offs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutoffCall {
    /// Asks for which clients updates are to be shut off, and why.
    AskStop,
    /// Shuts them off.
    Stop,
    /// Asks whether a shut-off is to be lifted.
    AskLift,
    /// Lifts it.
    Lift,
}

pub(crate) async fn answer(context: &Context<'_>, call: ShutoffCall, request: Request) -> Result<Response> {
    match call {
        ShutoffCall::AskStop => stop::ask(context, &request).await,
        ShutoffCall::Stop => stop::stop(context, request).await,
        ShutoffCall::AskLift => lift::ask(context, &request).await,
        ShutoffCall::Lift => lift::lift(context, request).await,
    }
}
