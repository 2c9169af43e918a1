//! The console, in a real browser, and where scripts and looks do not matter over plain HTTP.

mod accessible;
mod client;
mod failures;
mod groups;
mod health;
mod history;
mod many;
mod overview;
mod people;
mod pictures;
mod promotion;
mod publish;
mod reader;
mod release;
mod rollout;
mod script;
mod seeds;
mod session;
mod sessions;
mod setup;
mod snippets;
mod stops;
mod telemetry;
mod trust;
mod visitor;
mod webhooks;
