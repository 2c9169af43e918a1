//! The console, in a real browser.

mod sessions;
mod visitor;
