//! Shut-offs: while one is in force, the clients in its scope are offered nothing newer than they
//! have.

mod banner;
mod lift;
mod load;
mod stop;

use spindrift_web::{Request, Response};

pub(crate) use self::banner::banner;
pub(crate) use self::load::load;
use crate::{Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutoffCall {
    /// Asks which clients to shut off, and why.
    AskStop,
    /// Shuts off updates.
    Stop,
    /// Asks before a shut-off is lifted.
    AskLift,
    /// Lifts a shut-off.
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
