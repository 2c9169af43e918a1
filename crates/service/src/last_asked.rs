//! When an application was last asked for updates, with or without a device id.
//!
//! A check that finds a fresh record leaves no trace, so that it costs one read. The request that renews a
//! record notes the time, so copies that check are noticed after a minute at most. The note is in the
//! key-value store, because it may be lost: later checks make it again.

use spindrift_core::{Id, Timestamp};
use spindrift_web::KeyValueError;

use crate::Ports;

/// Seconds for which a note is left as it is, so that few requests write one.
const RENEWED_SECONDS: i64 = 60 * 60;

fn key(app: &Id) -> String {
    format!("asked.{app}")
}

/// Notes that an application is asked now. If the store fails, the next request makes the note.
pub(crate) fn note(ports: &impl Ports, app: &Id) {
    let Ok(last) = read(ports, app) else { return };
    let now = ports.now();
    if last.is_none_or(|last| !last.is_within(now, RENEWED_SECONDS)) {
        let _ = ports.set(&key(app), now.as_millis().to_string().as_bytes());
    }
}

/// When an application was last asked, up to an hour too early. `None`: there is no note.
pub fn read(ports: &impl Ports, app: &Id) -> Result<Option<Timestamp>, KeyValueError> {
    let noted = ports.get(&key(app))?;
    Ok(noted.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok()).map(Timestamp::from_millis))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use spindrift_native::NativePlatform;
    use spindrift_web::{Clock as _, KeyValue as _};

    use super::*;

    #[test]
    fn a_note_is_renewed_once_an_hour() {
        let ports = NativePlatform::new("unused").with_time(Timestamp::from_millis(1_000_000));
        let app = Id::from_text("notes");
        assert_eq!(read(&ports, &app), Ok(None));
        note(&ports, &app);
        let first = ports.now();
        assert_eq!(read(&ports, &app), Ok(Some(first)));
        assert_eq!(read(&ports, &Id::from_text("todo")), Ok(None));
        ports.advance(Duration::from_hours(1));
        note(&ports, &app);
        assert_eq!(read(&ports, &app), Ok(Some(first)));
        ports.advance(Duration::from_secs(1));
        note(&ports, &app);
        assert_eq!(read(&ports, &app), Ok(Some(ports.now())));
    }

    #[test]
    fn a_store_that_fails_is_not_an_application_without_copies() {
        let ports = NativePlatform::new("unused").with_time(Timestamp::from_millis(1_000_000));
        let app = Id::from_text("notes");
        ports.fail_key_value(true);
        note(&ports, &app);
        assert!(read(&ports, &app).is_err());
        ports.fail_key_value(false);
        assert_eq!(read(&ports, &app), Ok(None));
        ports.set(&key(&app), b"soon").unwrap();
        assert_eq!(read(&ports, &app), Ok(None), "not a note");
    }
}
