//! Kits: a device id, and failures that the application need not look for.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr;

use spindrift_client::{Kit, KitConfig};

use crate::client::ClientHandle;
use crate::config::{Config, known, secret};
use crate::error::{ErrorHandle, answer, given, place, quietly};
use crate::raw::{CallerText, LentTexts};
use crate::report::Noticed;
use crate::status::Status;

/// Keeps a random device id, and notices crashes, failed starts and rollbacks. A run of the application begins
/// with `spindrift_kit_begin` and ends with `spindrift_kit_end`. If the process ends in any other way, the next
/// run knows that it failed.
pub struct KitHandle {
    pub(crate) kit: Kit,
    ids: LentTexts,
}

/// Begins a run. Call it as early as possible, once in a process.
///
/// `folder` is the path of a folder of the application's own data, for this user; it is created if it is
/// missing. If it cannot be used, there is a device id for this run only, and nothing is noticed.
///
/// `says_when_started` is a flag: whether the application calls `spindrift_kit_started`. Then a run that ends
/// before is a failed start, and otherwise a crash.
///
/// Of `config`, the URLs are not used. Without a report key, the kit only keeps a device id.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_kit_begin(
    config: Option<&Config<'_>>,
    folder: CallerText<'_>,
    says_when_started: c_int,
    kit: Option<&mut MaybeUninit<Option<Box<KitHandle>>>>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let (place, config) = (place(kit, "kit")?, known(config)?);
        let mut kit = KitConfig::new(folder.required("folder")?, config.options()?);
        kit.report_key = secret(config.report_key, "report_key")?;
        kit.says_when_started = says_when_started != 0;
        *place = Some(Box::new(KitHandle { kit: Kit::begin(kit), ids: LentTexts::default() }));
        Ok(())
    })
}

/// The device id: 32 random hexadecimal digits. The text belongs to the kit. NULL if `kit` is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_kit_device_id(kit: Option<&KitHandle>) -> *const c_char {
    let id = kit.and_then(|kit| quietly(|| kit.ids.lend(&kit.kit.device_id())));
    id.unwrap_or(ptr::null())
}

/// The application has started, and works.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_kit_started(kit: Option<&KitHandle>) -> Status {
    answer(None, || {
        given(kit, "kit")?.kit.started();
        Ok(())
    })
}

/// Keeps a failure that the application has noticed, until it is sent. The arguments are those of
/// `spindrift_report`; details of more than 8 KiB are left out.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_kit_report(
    kit: Option<&KitHandle>,
    event: CallerText<'_>,
    reason: CallerText<'_>,
    details: CallerText<'_>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let kit = given(kit, "kit")?;
        let noticed = Noticed::read(event, reason, details)?;
        kit.kit.report(noticed.event, &noticed.reason, noticed.details);
        Ok(())
    })
}

/// Sends the failures that wait. They stay for the next call if the service cannot be reached, or asks to
/// wait. A failure that the service refuses is dropped.
///
/// `counted` is NULL, or a variable for the number of failures that the service has counted.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_kit_send(
    kit: Option<&KitHandle>,
    client: Option<&ClientHandle>,
    counted: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let counted = counted.map(|counted| counted.write(0));
        let (kit, client) = (given(kit, "kit")?, given(client, "client")?);
        let number = client.wait(kit.kit.send(&client.client))?;
        if let Some(counted) = counted {
            *counted = number;
        }
        Ok(())
    })
}

/// Makes another device id. Texts with the old one stay valid until the kit is freed.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_kit_reset_device(kit: Option<&KitHandle>) -> Status {
    answer(None, || {
        given(kit, "kit")?.kit.reset_device();
        Ok(())
    })
}

/// Deletes everything that the kit has kept, as when a user withdraws consent, and frees the kit.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_kit_forget(kit: Option<Box<KitHandle>>) {
    quietly(|| {
        if let Some(kit) = kit {
            kit.kit.forget();
        }
    });
}

/// Ends the run as it should end, and frees the kit. Call it last, and before `exit`.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_kit_end(kit: Option<Box<KitHandle>>) {
    quietly(|| drop(kit));
}
