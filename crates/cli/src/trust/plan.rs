//! Computes the next roots and lists, and their differences. Nothing here does I/O or signs.

mod channel_signers;
mod difference;
mod naming;
mod next_root;
mod next_targets;
mod proposal;
mod revoked;

pub(crate) use channel_signers::{signers_with, signers_without};
pub(crate) use difference::{Difference, file_text, list_difference, root_difference};
pub(crate) use naming::Naming;
pub(crate) use next_root::{KeyChange, RootPlan, next_root};
pub(crate) use next_targets::{Retention, next_targets};
pub(crate) use proposal::{ListRules, check_list, check_next_root};
pub(crate) use revoked::RevokedFiles;
