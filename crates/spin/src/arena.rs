//! The allocator of every component.
//!
//! An instance lives for one request, and most requests need less memory than fits into a fixed block: there,
//! allocating is an addition, and nothing has to be given back. What does not fit goes to the usual allocator.
#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};

/// Size of the block, in bytes. An update check needs about 30 KB.
const BLOCK_BYTES: usize = 128 * 1024;

#[repr(align(16))]
struct Arena {
    block: UnsafeCell<[u8; BLOCK_BYTES]>,
    used: Cell<usize>,
}

#[global_allocator]
static ARENA: Arena = Arena { block: UnsafeCell::new([0; BLOCK_BYTES]), used: Cell::new(0) };

// SAFETY: a component has one thread.
unsafe impl Sync for Arena {}

impl Arena {
    fn start(&self) -> *mut u8 {
        self.block.get().cast()
    }

    /// Where in the block `pointer` is; `None`: it came from the usual allocator.
    fn offset(&self, pointer: *mut u8) -> Option<usize> {
        pointer.addr().checked_sub(self.start().addr()).filter(|offset| *offset < BLOCK_BYTES)
    }

    /// Takes `size` bytes from `from` on, if they fit.
    fn take(&self, from: usize, size: usize) -> bool {
        let end = from.checked_add(size).filter(|end| *end <= BLOCK_BYTES);
        if let Some(end) = end {
            self.used.set(end);
        }
        end.is_some()
    }
}

// SAFETY: ranges of the block never overlap: `used` only moves back over the last one, when that is given back or grows
// in place. Everything else is the system allocator's.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let from = self.used.get().next_multiple_of(layout.align());
        if layout.align() <= align_of::<Self>() && self.take(from, layout.size()) {
            // SAFETY: `take` saw that the range is inside the block.
            return unsafe { self.start().add(from) };
        }
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match self.offset(pointer) {
            Some(offset) if offset + layout.size() == self.used.get() => self.used.set(offset),
            Some(_) => {}
            // SAFETY: not from the block, so it was the system allocator's.
            None => unsafe { System.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Some(offset) = self.offset(pointer) else {
            // SAFETY: not from the block, so it was the system allocator's.
            return unsafe { System.realloc(pointer, layout, new_size) };
        };
        let is_last = offset + layout.size() == self.used.get();
        if new_size <= layout.size() || (is_last && self.take(offset, new_size)) {
            return pointer;
        }
        // SAFETY: the alignment is that of `layout`, and the caller promises that the size does not overflow with it.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(new_size, layout.align())) };
        if !new.is_null() {
            // SAFETY: both are at least `layout.size()` long, and a new allocation overlaps with no old one.
            unsafe { new.copy_from_nonoverlapping(pointer, layout.size()) };
        }
        new
    }
}
