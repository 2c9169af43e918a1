//! The module that the console's pages run in a worker.
//!
//! A script asks for room for the new file and a base ([`new`], [`base`]), writes both there, and calls [`make`]; the patch is at
//! [`patch`]. Further bases may follow. If there is too little memory, a call ends the instance.
//!
//! It is built for WASI because `bidiff` reads a clock. Nothing depends on what the clock says.
#![expect(unsafe_code, reason = "exported functions keep their names")]

use std::cell::RefCell;

use crate::Samples;

#[derive(Default)]
struct Files {
    base: Vec<u8>,
    new: Vec<u8>,
    patch: Vec<u8>,
}

thread_local! {
    static FILES: RefCell<Files> = RefCell::default();
}

/// Where the base is written, which has `length` bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn base(length: usize) -> *mut u8 {
    FILES.with_borrow_mut(|files| room(&mut files.base, length))
}

/// Where the new file is written, which has `length` bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn new(length: usize) -> *mut u8 {
    FILES.with_borrow_mut(|files| room(&mut files.new, length))
}

fn room(file: &mut Vec<u8>, length: usize) -> *mut u8 {
    *file = vec![0; length];
    file.as_mut_ptr()
}

/// 1: the new file is compressed, and a patch would save nothing.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn is_compressed() -> u32 {
    FILES.with_borrow(|files| {
        let mut samples = Samples::default();
        for start in Samples::starts(files.new.len() as u64) {
            let rest =
                usize::try_from(start).ok().and_then(|start| files.new.get(start..)).unwrap_or_default();
            let _in_memory = samples.add(rest.get(..Samples::BYTES).unwrap_or(rest));
        }
        samples.are_compressed().into()
    })
}

/// Makes the patch and returns its length. 0: there is none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn make() -> usize {
    FILES.with_borrow_mut(|files| {
        let Files { base, new, patch } = files;
        patch.clear();
        crate::make(base, new, patch).map_or(0, |()| files.patch.len())
    })
}

/// Where the patch is.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn patch() -> *const u8 {
    FILES.with_borrow(|files| files.patch.as_ptr())
}
