//! Loads shut-offs.

use spindrift_api::{ShutoffEntry, ShutoffsBody};

use crate::{Address, Context, Result};

/// The shut-offs of an application. With an empty `app`: all that the visitor may see.
pub(crate) async fn load(context: &Context<'_>, app: &str) -> Result<Vec<ShutoffEntry>> {
    let body: ShutoffsBody = context.service.get(&Address::call("/shutoffs").with("app", app)).await?;
    Ok(body.shutoffs)
}
