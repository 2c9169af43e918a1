//! A release: how it is offered, its files and addresses, its notes, and its failures.

mod addresses;
mod artifacts;
mod before;
mod delete;
mod devices;
mod entered;
mod failures;
mod found;
mod offer;
mod order;
mod page;
mod rollout;

pub(crate) use self::delete::{delete_artifact, delete_release, show_delete_artifact, show_delete_release};
pub(crate) use self::found::address;
pub(crate) use self::offer::edit;
pub(crate) use self::order::order;
pub(crate) use self::page::show;
