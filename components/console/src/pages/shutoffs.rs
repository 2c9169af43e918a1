//! Shut-offs: while there is one, the clients that it names are offered nothing newer than what they have.

mod banner;
mod lift;
mod stop;

use spindrift_api::{ShutoffEntry, ShutoffsBody};
use spindrift_web::{Request, Response};

pub(crate) use self::banner::{banner, warnings};
use crate::{Address, Context, Result};

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

/// Those of an application; of all that the visitor may see, if `app` is empty.
pub(crate) async fn load(context: &Context<'_>, app: &str) -> Result<Vec<ShutoffEntry>> {
    let body: ShutoffsBody = context.service.get(&Address::call("/shutoffs").with("app", app)).await?;
    Ok(body.shutoffs)
}

/// The clients of a shut-off, in words.
fn clients(shutoff: &ShutoffEntry) -> String {
    match (shutoff.channel.as_str(), shutoff.platform.as_str()) {
        ("", "") => "all clients".to_owned(),
        (channel, "") => format!("clients in the channel {channel}"),
        ("", platform) => format!("clients on {platform}"),
        (channel, platform) => format!("clients in the channel {channel} on {platform}"),
    }
}
