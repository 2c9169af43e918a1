//! The allocator of every component.
//!
//! An instance lives for one request, and most requests need so little memory that it fits into a fixed
//! block. There, allocation is an addition, and nothing has to be freed. Allocations that do not fit go to
//! the system allocator.
//!
//! Without the block every instance would first grow its memory, which changes the address space of the
//! host's process and stops all its threads: under many concurrent requests the throughput of checks falls by
//! up to half. That is worth the `unsafe` in this file. Freed memory is reused only if it was the last
//! allocation.
#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};

/// Size of the block, in bytes. An update check needs about 30 KB.
const BLOCK_BYTES: usize = 64 * 1024;

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

    /// The offset of `pointer` in the block. `None`: it came from the system allocator.
    fn offset(&self, pointer: *mut u8) -> Option<usize> {
        pointer.addr().checked_sub(self.start().addr()).filter(|offset| *offset < BLOCK_BYTES)
    }

    /// Takes `size` bytes starting at `from`, if they fit.
    fn take(&self, from: usize, size: usize) -> bool {
        let end = from.checked_add(size).filter(|end| *end <= BLOCK_BYTES);
        if let Some(end) = end {
            self.used.set(end);
        }
        end.is_some()
    }
}

// SAFETY: ranges of the block never overlap: `used` only moves back over the last one, when that is freed or
// grows in place. All other memory belongs to the system allocator.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let from = self.used.get().next_multiple_of(layout.align());
        if layout.align() <= align_of::<Self>() && self.take(from, layout.size()) {
            // SAFETY: `take` has checked that the range is inside the block.
            return unsafe { self.start().add(from) };
        }
        // SAFETY: the caller's guarantees about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match self.offset(pointer) {
            Some(offset) if offset + layout.size() == self.used.get() => self.used.set(offset),
            Some(_) => {}
            // SAFETY: it is not in the block, so it came from the system allocator.
            None => unsafe { System.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Some(offset) = self.offset(pointer) else {
            // SAFETY: it is not in the block, so it came from the system allocator.
            return unsafe { System.realloc(pointer, layout, new_size) };
        };
        let is_last = offset + layout.size() == self.used.get();
        if new_size <= layout.size() || (is_last && self.take(offset, new_size)) {
            return pointer;
        }
        // SAFETY: the alignment is that of `layout`, and the caller guarantees that the rounded size does not
        // overflow.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(new_size, layout.align())) };
        if !new.is_null() {
            // SAFETY: both are at least `layout.size()` bytes long, and a new allocation does not overlap
            // with the old one.
            unsafe { new.copy_from_nonoverlapping(pointer, layout.size()) };
        }
        new
    }
}
