//! Bindings of the interfaces in `wit/`, which both forms call. A component imports only those that its code calls; its
//! world in `wit/components.wit` names them.
#![expect(clippy::same_length_and_capacity, reason = "generated bindings")]

wit_bindgen::generate!({ path: "../../wit", world: "spindrift:service/components", generate_all });
