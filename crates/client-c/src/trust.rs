//! Signed metadata, beyond what downloads do with it.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::SystemTime;

use spindrift_client::Trust;

use crate::client::ClientHandle;
use crate::error::{ErrorHandle, answer, given};
use crate::raw::CallerText;
use crate::status::{CallFailure, Status};
use crate::update::UpdateHandle;

/// The client and its signed metadata, which it must have.
fn trust(client: Option<&ClientHandle>) -> Result<(&ClientHandle, &Trust), CallFailure> {
    let client = given(client, "client")?;
    let trust = client.trust.as_ref().ok_or_else(|| CallFailure::null("trust_root"))?;
    Ok((client, trust))
}

/// Verifies a file that another updater has downloaded, before you install it: that it was signed for this
/// installed copy, as this version and package. `package` is as in `spindrift_update_url`, and `path` is the
/// path of the file.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_trust_verify_file(
    client: Option<&ClientHandle>,
    version: CallerText<'_>,
    package: CallerText<'_>,
    path: CallerText<'_>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let (client, trust) = trust(client)?;
        let (version, package) = (version.required("version")?, package.or_empty("package")?);
        let path = path.required("path")?;
        client.wait(trust.verify_file(version, package, path))?;
        Ok(())
    })
}

/// Finds a newer version that has been listed for 14 days without being offered. It is a warning: a rollout
/// may be slow, but a service that withholds an update looks the same.
///
/// `update` is the result of the last check, and may be NULL. `version` is a variable for the version, which
/// belongs to the client; NULL: there is none. `since` is NULL, or a variable for the second (Unix time) since
/// which it has not been offered.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_trust_withheld(
    client: Option<&ClientHandle>,
    update: Option<&UpdateHandle>,
    version: Option<&mut MaybeUninit<*const c_char>>,
    since: Option<&mut MaybeUninit<u64>>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let version = version.map(|version| version.write(ptr::null()));
        let since = since.map(|since| since.write(0));
        let version = version.ok_or_else(|| CallFailure::null("version"))?;
        let (client, trust) = trust(client)?;
        let offered = update.map(|update| &update.update);
        if let Some(withheld) = client.wait(trust.withheld(offered))? {
            *version = client.texts.lend(&withheld.version);
            if let Some(since) = since {
                let time = withheld.since.duration_since(SystemTime::UNIX_EPOCH);
                *since = time.map_or(0, |time| time.as_secs());
            }
        }
        Ok(())
    })
}

/// Forgets the time of the last refresh, after `SPINDRIFT_CLOCK_WENT_BACK`. Call it if the clock was wrong then
/// and is right now: with a clock that is behind, metadata that has expired is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_trust_reset_clock(
    client: Option<&ClientHandle>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let (client, trust) = trust(client)?;
        Ok(client.wait(trust.reset_clock())?)
    })
}

/// Finds the kept metadata that was damaged, and has been set aside: it no longer protects from older
/// metadata. The file stays until you delete it.
///
/// `path` is a variable for its path, which belongs to the client. NULL: nothing was damaged.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_trust_damaged_state(
    client: Option<&ClientHandle>,
    path: Option<&mut MaybeUninit<*const c_char>>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let path = path.map(|path| path.write(ptr::null())).ok_or_else(|| CallFailure::null("path"))?;
        let (client, trust) = trust(client)?;
        if let Some(damaged) = client.wait(trust.damaged_state())? {
            *path = client.texts.lend(&damaged.to_string_lossy());
        }
        Ok(())
    })
}
