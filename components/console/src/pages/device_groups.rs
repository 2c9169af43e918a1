//! An application's groups of devices, such as its testers.

mod delete;
mod devices;
mod key;
mod list;
mod pages;
mod requested_group;

use spindrift_web::{Request, Response};

pub(crate) use self::pages::{PURPOSE, page};
pub(crate) use self::requested_group::load;
use crate::{Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceGroupCall {
    /// All groups of an application.
    Show,
    /// Creates a group.
    Create,
    /// One group.
    ShowOne,
    /// Adds devices to the group's list, or removes them.
    ChangeDevices,
    /// Asks before the key is replaced.
    AskKey,
    ReplaceKey,
    /// Asks before the group is deleted.
    AskDelete,
    Delete,
}

pub(crate) async fn answer(
    context: &Context<'_>,
    call: DeviceGroupCall,
    request: Request,
) -> Result<Response> {
    match call {
        DeviceGroupCall::Show => list::show(context, &request).await,
        DeviceGroupCall::Create => list::create(context, request).await,
        DeviceGroupCall::ShowOne => devices::show(context, &request).await,
        DeviceGroupCall::ChangeDevices => devices::change(context, request).await,
        DeviceGroupCall::AskKey => key::ask(context, &request).await,
        DeviceGroupCall::ReplaceKey => key::replace(context, request).await,
        DeviceGroupCall::AskDelete => delete::ask(context, &request).await,
        DeviceGroupCall::Delete => delete::delete(context, request).await,
    }
}
