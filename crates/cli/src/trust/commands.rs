//! The commands, one module for each.

pub(super) mod key;
