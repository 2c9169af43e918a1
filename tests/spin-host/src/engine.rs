//! The WebAssembly engine and its instance slots.

use std::time::Duration;

use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig, RegallocAlgorithm,
};

use crate::error::HostError;

/// Number of components that can run at a time in one engine; further ones wait.
pub(crate) const INSTANCE_SLOTS: u32 = 512;

/// How long a component computes before it yields. A time-out may be late by as much.
const EPOCH: Duration = Duration::from_millis(10);

/// Maximum number of core instances, memories and tables in a slot: a component is a main module with small
/// adapters.
const CORE_INSTANCES_PER_SLOT: u32 = 8;
const MEMORIES_PER_SLOT: u32 = 2;
const TABLES_PER_SLOT: u32 = 4;

/// Maximum number of stacks in a slot. An instance that answers several requests has one for each call that
/// waits.
const STACKS_PER_SLOT: u32 = 4;

/// Memory of a slot that is zeroed for reuse instead of being returned to the system, in bytes. For less than
/// this, zeroing costs less than page faults.
const RESIDENT_MEMORY: usize = 512 * 1024;

/// Stack of a component, in bytes: more than on Spin, because the frames of code that is compiled fast are
/// several times as large.
const WASM_STACK: usize = 4 * 1024 * 1024;

/// Stack for a component and the functions of the host that it calls, in bytes.
const ASYNC_STACK: usize = WASM_STACK + 2 * 1024 * 1024;

/// The cost that is measured while components run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metering {
    Off,
    /// Counts instructions of WebAssembly, which makes components slow.
    Instructions,
}

/// An engine with pooled instances. If the address space is too small for a pool, instances are created on
/// demand. `concurrent`: an instance can answer several requests at the same time. That costs a little with
/// every call.
pub(crate) fn engine(concurrent: bool, metering: Metering) -> Result<Engine, HostError> {
    let engine = Engine::new(&config(concurrent, metering, true))
        .or_else(|_| Engine::new(&config(concurrent, metering, false)))
        .map_err(|error| HostError::Engine(format!("{error:#}")))?;
    let weak = engine.weak();
    let tick = move || {
        while let Some(engine) = weak.upgrade() {
            engine.increment_epoch();
            drop(engine);
            std::thread::sleep(EPOCH);
        }
    };
    let thread = std::thread::Builder::new().name("epoch".into()).spawn(tick);
    thread.map_err(|error| HostError::Engine(error.to_string()))?;
    Ok(engine)
}

fn config(concurrent: bool, metering: Metering, pooled: bool) -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true).memory_init_cow(true).concurrency_support(concurrent);
    // Tests compile more than they run. Counts of instructions are those of the files.
    config.cranelift_opt_level(OptLevel::None).cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
    config.max_wasm_stack(WASM_STACK).async_stack_size(ASYNC_STACK);
    config.consume_fuel(metering == Metering::Instructions);
    if concurrent {
        config.wasm_component_model_async(true);
    }
    if pooled {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool()));
    }
    config
}

fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(INSTANCE_SLOTS)
        .total_core_instances(INSTANCE_SLOTS * CORE_INSTANCES_PER_SLOT)
        .total_memories(INSTANCE_SLOTS * MEMORIES_PER_SLOT)
        .total_tables(INSTANCE_SLOTS * TABLES_PER_SLOT)
        .total_stacks(INSTANCE_SLOTS * STACKS_PER_SLOT)
        .max_memories_per_component(MEMORIES_PER_SLOT)
        .max_core_instances_per_component(CORE_INSTANCES_PER_SLOT)
        .max_tables_per_component(TABLES_PER_SLOT)
        .max_component_instance_size(4 * 1024 * 1024)
        .max_core_instance_size(4 * 1024 * 1024)
        .linear_memory_keep_resident(RESIDENT_MEMORY)
        .table_keep_resident(RESIDENT_MEMORY)
        .async_stack_keep_resident(64 * 1024)
        .pagemap_scan(Enabled::Auto);
    pool
}
