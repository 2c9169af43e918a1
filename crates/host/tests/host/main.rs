//! Tests of the host from outside: real components, real requests, a folder and ports of its own for each test.

mod application;
mod common;
mod storage;
