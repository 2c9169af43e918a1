//! The state of one component instance: its handles, its limits, and its access to the host.

use std::sync::Arc;

use wasmtime::component::ResourceTable;
use wasmtime::{Engine, Store, StoreLimits, StoreLimitsBuilder};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::bindings::variables;
use crate::chain::Chain;
use crate::guest_output::GuestOutput;
use crate::outbound::Outbound;
use crate::services::Services;
use spindrift_manifest::is_variable_name;

/// The data of a wasmtime store. It lives as long as its instance, which answers one request or many.
pub(crate) struct Guest {
    pub(crate) table: ResourceTable,
    pub(crate) services: Arc<Services>,
    pub(crate) limits: StoreLimits,
    pub(crate) open_stores: usize,
    pub(crate) open_connections: usize,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    outbound: Outbound,
}

impl Guest {
    /// The store of an instance that is about to start.
    pub(crate) fn new_store(engine: &Engine, services: &Arc<Services>, chain: Arc<dyn Chain>) -> Store<Self> {
        let mut store = Store::new(engine, Self::new(services, chain));
        store.limiter(|guest| &mut guest.limits);
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        // An error means that this engine does not count.
        let _counted = store.set_fuel(u64::MAX);
        store
    }

    fn new(services: &Arc<Services>, chain: Arc<dyn Chain>) -> Self {
        let output = GuestOutput::new(&services.component, services.limits.line_bytes);
        let mut wasi = WasiCtxBuilder::new();
        wasi.envs(&services.environment).stdout(output.clone()).stderr(output);
        Self {
            table: ResourceTable::new(),
            limits: StoreLimitsBuilder::new().memory_size(services.limits.instance_memory).build(),
            open_stores: 0,
            open_connections: 0,
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            outbound: Outbound::new(services.clone(), chain),
            services: services.clone(),
        }
    }
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for Guest {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.outbound }
    }
}

impl variables::Host for Guest {
    fn get(&mut self, name: String) -> Result<String, variables::Error> {
        if !is_variable_name(&name) {
            return Err(variables::Error::InvalidName(name));
        }
        match self.services.variables.get(&name) {
            Some(value) => Ok(value.clone()),
            None => Err(variables::Error::Undefined(format!("no variable `{name}` for this component"))),
        }
    }
}
