//! The console, in a real browser.

mod client;
mod publish;
mod reader;
mod release;
mod sessions;
mod visitor;
