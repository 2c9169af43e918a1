//! The module that the console's pages run in a worker.
//!
//! A script asks for room for the new file and a base ([`new`], [`base`]), writes both there, and calls
//! [`make`]; the patch is at [`patch`]. Further bases may follow. If there is too little memory, a call ends
//! the instance.
//!
//! It is built for WASI because hash tables begin with random numbers. Nothing depends on what they are.
#![expect(unsafe_code, reason = "exported functions keep their names")]

use std::cell::RefCell;
use std::io::{self, Cursor};

use crate::{Common, Samples, Watch};

#[derive(Default)]
struct WorkerFiles {
    base: Vec<u8>,
    new: Vec<u8>,
    patch: Vec<u8>,
}

thread_local! {
    static FILES: RefCell<WorkerFiles> = RefCell::default();
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

/// Makes the patch and returns its length. 0: there is none, because the files have nothing or too little in
/// common.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn make() -> usize {
    FILES.with_borrow_mut(|files| {
        let WorkerFiles { base, new, patch } = files;
        patch.clear();
        try_to_make(base, new, patch).unwrap_or_default()
    })
}

fn try_to_make(base: &[u8], new: &[u8], patch: &mut Vec<u8>) -> io::Result<usize> {
    let (mut base, mut new) = (Cursor::new(base), Cursor::new(new));
    let common = Common::of(&mut base, &mut new, &|| true)?;
    if common.is_nothing() {
        return Ok(0);
    }
    crate::make(&mut base, &mut new, &common, patch, &BrowserPage)?;
    Ok(patch.len())
}

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Tells the page that this many more bytes of the new file are in the patch.
    fn done(bytes: u32);
}

/// The page that waits for the patch. It ends the worker to stop the work.
struct BrowserPage;

impl Watch for BrowserPage {
    fn done(&self, bytes: u64) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        // SAFETY: the page gives this function, which takes a number and nothing else.
        unsafe { done(bytes) }
    }

    fn should_continue(&self) -> bool {
        true
    }
}

/// Where the patch is.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn patch() -> *const u8 {
    FILES.with_borrow(|files| files.patch.as_ptr())
}
