//! The console, in a real browser.

mod accessible;
mod many;
mod pictures;
mod seeds;
mod sessions;
mod visitor;
