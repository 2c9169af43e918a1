//! Shut-offs, as the service has them.

use spindrift_api::{ShutoffEntry, ShutoffsBody};

use crate::{Address, Context, Result};

/// Those of an application; of all that the visitor may see, if `app` is empty.
pub(crate) async fn load(context: &Context<'_>, app: &str) -> Result<Vec<ShutoffEntry>> {
    let body: ShutoffsBody = context.service.get(&Address::call("/shutoffs").with("app", app)).await?;
    Ok(body.shutoffs)
}
