//! The harness of the end-to-end suite: worlds, clients, uploads.
//!
//! A test gets a [`Driver`] and creates its own [`World`] with it. It does one thing over HTTP and asserts
//! what a caller would see. [`on_hosts!`] turns a function into a test for every driver.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a failed step fails the test"
)]

mod account;
mod answer;
pub mod authenticator;
mod balancer;
mod beside;
mod browser;
mod build;
mod client;
mod collector;
pub mod contract;
mod database;
mod digests;
mod driver;
mod edge;
mod embedded;
mod feeds;
mod fetch;
mod file_server;
pub mod fixture;
mod form;
mod free_address;
mod gate;
mod gzip;
mod hello;
mod host_child;
mod in_process;
mod inhabited;
pub mod issuer;
pub mod kits;
mod libsql;
mod manifest;
pub mod native_clients;
mod nginx;
mod noise;
mod packages;
mod prepared;
mod process;
mod processes;
pub mod provider;
mod proxy;
mod receiver;
mod records;
mod redis;
mod release;
mod running;
mod runtime;
pub mod schemathesis;
mod skipped;
mod spin;
mod state;
mod storage;
pub mod trust;
mod wait;
mod worker;
mod world;
mod world_builder;

pub use account::{API_KEY, Account, PASSWORD};
pub use answer::Answer;
pub use beside::Beside;
pub use browser::{Browser, Scheme};
pub use build::Build;
pub use client::{Call, Client, raw};
pub use collector::Collector;
pub use database::Database;
pub use digests::{bucket, md5_base64, md5_hex, sha1_hex, sha256_hex, sha512_base64, sha512_hex};
pub use driver::{Driver, run};
pub use edge::{Edge, end};
pub use embedded::cache_dir;
pub use feeds::{
    appcast, electron, electron_yml, electron_yml_of, full_package, sparkle, sparkle_item, squirrel,
    squirrel_line, tauri, tauri_signature, velopack, velopack_asset,
};
pub use form::Multipart;
pub use free_address::free_address;
pub use gate::{Gate, Passed};
pub use gzip::gzip;
pub use hello::Hello;
pub use inhabited::inhabit;
pub use libsql::Libsql;
pub use manifest::{component_of, granted_by_edge, granted_by_service, workspace};
pub use noise::Noise;
pub use packages::ClientPackage;
pub use process::{HostProcess, Killed};
pub use processes::Processes;
pub use proxy::{CachingProxy, StreamingProxy};
pub use receiver::{Message, Receiver};
pub use redis::Redis;
pub use release::{Release, Upload, UploadFile};
pub use skipped::are_installed;
pub use spindrift_server::{ApiRoute as Route, api_routes as routes};
pub use state::{DATABASE_FILE, KEY_VALUE_FILE, State};
pub use storage::{CDN_BUCKET, ObjectCopy, Objects, PRIVATE_BUCKET, PUBLIC_BUCKET, Store};
pub use wait::until;
pub use world::{JWT_SECRET, TUF_SECRET, WEBHOOKS_TO_NOBODY, World};
pub use world_builder::WorldBuilder;

/// The examples in the guide of the client library. They are compiled here, because the library's package is
/// built without the guide.
#[cfg(doctest)]
#[doc = include_str!("../../docs/client.md")]
struct Guide;
