//! The file of the application, and the library itself.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::path::Path;

use spindrift_client::replace_program;

use crate::error::{ErrorHandle, answer};
use crate::raw::CallerText;
use crate::status::{CallFailure, Status};

/// Moves the file `new_file` to the path `program`, of a program that may be running. Both must be in one file
/// system. The new file gets the permissions of the old one. On Windows the old one stays beside it, with the
/// extension `old`. The old program runs until it is started again.
///
/// If it fails, the old program is still at its path.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_replace_program(
    program: CallerText<'_>,
    new_file: CallerText<'_>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let (program, new_file) = (program.required("program")?, new_file.required("new_file")?);
        let replaced = replace_program(Path::new(program), Path::new(new_file));
        replaced.map_err(|error| CallFailure::new(Status::FILE, format!("{program}: {error}")))
    })
}

/// The version of the library, such as `0.1.0`. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
