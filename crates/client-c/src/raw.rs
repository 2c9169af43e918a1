//! Texts of callers, and texts for them.

use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use crate::status::CallFailure;

/// A text of the caller, or null. In C it is a `const char *`.
///
/// Only C makes one from any pointer. It promises that the pointer is null, or that bytes up to a NUL follow
/// it, which do not change before the call returns. Rust makes one from a [`CStr`].
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct CallerText<'a>(*const c_char, PhantomData<&'a CStr>);

impl<'a> From<&'a CStr> for CallerText<'a> {
    fn from(text: &'a CStr) -> Self {
        Self(text.as_ptr(), PhantomData)
    }
}

impl<'a> CallerText<'a> {
    /// The text, which may be null. `what` names it in the error.
    pub(crate) fn optional(self, what: &str) -> Result<Option<&'a str>, CallFailure> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: the pointer is not null, so bytes up to a NUL follow it, which do not change during the call
        // that `'a` stands for.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map(Some).map_err(|_| CallFailure::invalid(format!("{what} is not UTF-8")))
    }

    /// The text, which must not be null.
    pub(crate) fn required(self, what: &str) -> Result<&'a str, CallFailure> {
        self.optional(what)?.ok_or_else(|| CallFailure::null(what))
    }

    /// The text, or an empty one for null.
    pub(crate) fn or_empty(self, what: &str) -> Result<&'a str, CallFailure> {
        Ok(self.optional(what)?.unwrap_or_default())
    }
}

/// A text for callers. A NUL within it would end it early, so it is left out.
pub(crate) fn for_c(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// Texts that callers may read until the handle is freed, however often it changes.
#[derive(Default)]
pub(crate) struct LentTexts(Mutex<Vec<CString>>);

impl LentTexts {
    /// Keeps a text. An equal one is kept once, so that repeated calls need no more memory.
    pub(crate) fn lend(&self, text: &str) -> *const c_char {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = for_c(text);
        if let Some(kept) = all.iter().find(|kept| **kept == text) {
            return kept.as_ptr();
        }
        // The bytes stay where they are when the list grows.
        let lent = text.as_ptr();
        all.push(text);
        lent
    }
}
