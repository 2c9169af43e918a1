//! Bindings for the world in `wit/`, generated at compile time.

mod generated {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "spindrift:service/services",
        imports: {
            // Statements may take long or wait for a lock, so they run on separate threads.
            "fermyon:spin/sqlite.[static]connection.open": async,
            "fermyon:spin/sqlite.[method]connection.execute": async,
            "spin:sqlite/sqlite.[static]connection.open": async,
            "spin:sqlite/sqlite.[method]connection.execute": async,
        },
        with: {
            "fermyon:spin/key-value.store": crate::key_value::KeyValueStore,
            "wasi:keyvalue/store.bucket": crate::key_value::KeyValueStore,
            "wasi:keyvalue/atomics.cas": crate::key_value::CompareAndSwap,
            "fermyon:spin/sqlite.connection": crate::sqlite::DatabaseConnection,
            "spin:sqlite/sqlite.connection": crate::sqlite::DatabaseConnection,
        },
        require_store_data_send: true,
    });
}

pub(crate) use generated::Services as ServicesWorld;
pub(crate) use generated::fermyon::spin::{key_value, sqlite as sqlite_v2, variables};
pub(crate) use generated::spin::sqlite::sqlite as sqlite_v3;
pub(crate) use generated::wasi::keyvalue as wasi_key_value;
