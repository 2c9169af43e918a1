//! The environment of a measurement.

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::ValueEnum;
use spindrift_tests::{Hello, Redis, World, WorldBuilder};

use crate::host::{BuildName, Host};
use crate::target::Server;
use spindrift_tests::Processes;

/// The stores of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stores {
    /// As in `runtime-config.toml`: a database in a file, and key values in memory.
    Local,
    /// Servers on this machine, as in `deploy/runtime-config.redis-libsql.toml`; only on Spin. Needs
    /// `redis-server`, and `npm`, which gets libSQL's server.
    RedisLibsql,
}

/// How hosts are started.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) host: Host,
    pub(crate) stores: Stores,
    /// This program, which also starts itself as the program of one machine, and as a server that says hello.
    program: PathBuf,
}

impl Setup {
    /// Fails if the host has no such stores.
    pub(crate) fn new(host: Host, stores: Stores) -> anyhow::Result<Self> {
        ensure!(
            stores == Stores::Local || host == Host::Spin,
            "only Spin has Redis and libSQL: add `--host spin`"
        );
        Ok(Self { host, stores, program: std::env::current_exe()? })
    }

    /// Whether the service's records are in the memory of its host.
    pub(crate) const fn has_records_in_memory(&self) -> bool {
        matches!(self.stores, Stores::Local)
    }

    /// A world whose host is a process of its own.
    pub(crate) fn world(&self, build: BuildName) -> WorldBuilder {
        let world = World::builder(self.host.driver()).with_build(build.build());
        match self.host {
            Host::Native => world.as_process(&self.program),
            Host::Spin => world,
        }
    }

    /// A server that says hello. On Spin it is components, with the same key-value store.
    pub(crate) fn hello(&self) -> anyhow::Result<(Hello, Server)> {
        let redis = match self.stores {
            Stores::Local => None,
            Stores::RedisLibsql => Some(Redis::start().context("Redis is needed")?),
        };
        let hello = Hello::start(self.host.driver(), &self.program, redis);
        let server = Server::new(hello.url(), Processes::under(hello.host_process()))?;
        Ok((hello, server))
    }
}
