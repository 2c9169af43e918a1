//! Checks.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use crate::client::ClientHandle;
use crate::error::{ErrorHandle, answer, given, place};
use crate::kit::KitHandle;
use crate::status::Status;
use crate::update::UpdateHandle;

/// Checks for an update: asks the edge, if there is one, and then the service. It takes at most 16 seconds.
///
/// `kit` is the kit whose device id is sent, or NULL: then it is that of the configuration. Without a device
/// id, the copy gets no release whose rollout is below 100 %.
///
/// `user_asked` is a flag: whether the user has just asked for the update. Do not set it in regular checks.
///
/// `update` is a variable for the update, which you free. It is NULL if there is nothing that this installed
/// copy should install.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_check(
    client: Option<&ClientHandle>,
    kit: Option<&KitHandle>,
    user_asked: c_int,
    update: Option<&mut MaybeUninit<Option<Box<UpdateHandle>>>>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let (place, client) = (place(update, "update")?, given(client, "client")?);
        let mut options = client.options.clone().with_interactive(user_asked != 0);
        if let Some(kit) = kit {
            options.device_id = Some(kit.kit.device_id());
        }
        let update = client.wait(client.client.check(&options))?;
        *place = update.map(|update| Box::new(UpdateHandle::new(update)));
        Ok(())
    })
}
