//! The devices of all applications in a month. Counting distinct devices reads every row of the
//! month, so where a page does not need that anyway, the number is cached for a while.

use spindrift_core::{Starter, Timestamp};
use spindrift_db::SqlError;
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};

/// For how many seconds the number is cached.
const FRESH_SECONDS: i64 = 5 * 60;

/// The number of devices that the caller sees, counted at most [`FRESH_SECONDS`] ago. A store that fails
/// costs time only.
pub(super) fn devices(
    session: &Session<'_, impl Ports>,
    count: impl Fn() -> Result<u64, SqlError>,
) -> Result<u64, Failure> {
    let (ports, now) = (session.ports, session.now);
    // Callers of one team see different applications.
    let key = match &session.principal.identity {
        Starter::User(id) | Starter::Token(id) | Starter::Publisher(id) => format!("overview.devices.{id}"),
    };
    let kept = ports.get(&key).ok().flatten().and_then(|bytes| read(&bytes));
    if let Some((at, devices)) = kept
        && at.is_within(now, FRESH_SECONDS)
    {
        return Ok(devices);
    }
    let devices = count()?;
    let _ = ports.set(&key, write(now, devices).as_bytes());
    Ok(devices)
}

fn write(at: Timestamp, devices: u64) -> String {
    format!("{} {devices}", at.as_millis())
}

fn read(bytes: &[u8]) -> Option<(Timestamp, u64)> {
    let (at, devices) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
    Some((Timestamp::from_millis(at.parse().ok()?), devices.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_numbers_round_trip() {
        let at = Timestamp::from_millis(1_795_225_422_000);
        assert_eq!(read(write(at, 7).as_bytes()), Some((at, 7)));
        for other in [&b""[..], b"1", b"x 1", b"1 x", b"1 -1", b"\xff 1"] {
            assert_eq!(read(other), None, "{other:?}");
        }
    }
}
