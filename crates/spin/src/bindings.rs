//! Bindings of the interfaces in `wit/`, for both forms. A component imports only the interfaces that its
//! code calls.
#![expect(clippy::same_length_and_capacity, reason = "generated bindings")]

wit_bindgen::generate!({ path: "../../wit", world: "spindrift:service/components", generate_all });
