//! The commands, one module for each.

pub(super) mod delegate;
pub(super) mod init;
pub(super) mod key;
pub(super) mod revoke;
pub(super) mod rotate;
pub(super) mod sign;
pub(super) mod status;
pub(super) mod verify;
