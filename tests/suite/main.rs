//! The end-to-end suite: what the service promises, seen from outside. One module for each part of the promise.
#![expect(clippy::panic, clippy::unwrap_used, reason = "whatever fails here fails the test that uses it")]

mod accounts;
mod catalog;
mod check;
mod concurrency;
mod downloads;
mod edge;
mod feeds;
mod kill;
mod large_files;
mod latest;
mod leftovers;
mod maintenance;
mod native_clients;
mod permissions;
mod presigned;
mod releases;
mod releases_files;
mod reports;
mod routes;
mod s3_client;
mod service;
mod storage_keys;
mod telemetry;
mod tenants;
mod tokens;
mod upload_complete;
mod upload_init;
mod upload_order;
mod upload_progress;
mod upload_regular;
mod whole_path;
