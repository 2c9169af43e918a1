//! Errors, and the frame of every call.

use std::ffi::{CString, c_char, c_int};
use std::mem::MaybeUninit;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

use crate::raw::for_c;
use crate::status::{CallFailure, Status};

/// Why a call has failed.
pub struct ErrorHandle {
    message: CString,
    http_status: u16,
    retry_after: u64,
}

/// The reason, in English, for a log. It has no secrets and no device id. It belongs to the error. NULL if
/// `error` is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_error_message(error: Option<&ErrorHandle>) -> *const c_char {
    error.map_or(ptr::null(), |error| error.message.as_ptr())
}

/// The HTTP status of the answer that was not the expected one. 0: there was no answer, or `error` is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_error_http_status(error: Option<&ErrorHandle>) -> c_int {
    error.map_or(0, |error| error.http_status.into())
}

/// How many seconds the service asks to wait before the next attempt. 0: it did not ask, or `error` is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_error_retry_after(error: Option<&ErrorHandle>) -> u64 {
    error.map_or(0, |error| error.retry_after)
}

/// Frees an error.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_error_free(error: Option<Box<ErrorHandle>>) {
    drop(error);
}

/// Runs a call, and writes the error if there is one. A panic becomes an error, because it must not reach C.
pub(crate) fn answer(
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
    call: impl FnOnce() -> Result<(), CallFailure>,
) -> Status {
    let place = error.map(|place| place.write(None));
    let ended = panic::catch_unwind(AssertUnwindSafe(call));
    let failure = match ended {
        Ok(Ok(())) => return Status::OK,
        Ok(Err(failure)) => failure,
        Err(_) => CallFailure::new(Status::INTERNAL, "the library has panicked"),
    };
    if let Some(place) = place {
        *place = Some(Box::new(ErrorHandle {
            message: for_c(&failure.message),
            http_status: failure.http_status,
            retry_after: failure.retry_after,
        }));
    }
    failure.status
}

/// Runs a call that cannot fail. After a panic there is no result.
pub(crate) fn quietly<T>(call: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(AssertUnwindSafe(call)).ok()
}

/// A handle that must not be null.
pub(crate) fn given<'a, T>(handle: Option<&'a T>, what: &str) -> Result<&'a T, CallFailure> {
    handle.ok_or_else(|| CallFailure::null(what))
}

/// The variable for a result, which must not be null. It holds an empty result until the call has succeeded.
pub(crate) fn place<'a, T: Default>(
    variable: Option<&'a mut MaybeUninit<T>>,
    what: &str,
) -> Result<&'a mut T, CallFailure> {
    variable.map(|variable| variable.write(T::default())).ok_or_else(|| CallFailure::null(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(answer(None, || panic!("on purpose")), Status::INTERNAL);
        assert_eq!(quietly(|| -> u8 { panic!("on purpose") }), None);
    }
}
