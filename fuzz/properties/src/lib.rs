//! Properties that hold for any input from strangers: one function for each parser. Each takes any bytes, lets the
//! parser read them, and panics if a property of its answer does not hold.
//!
//! The tests of this package call the functions with inputs of a known structure and with kept inputs, on stable Rust.
//! The targets in `fuzz/targets` call the same functions with a fuzzer's inputs.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a property that does not hold is a panic"
)]

mod electron;
mod feed;
mod identities;
mod metadata;
mod multipart;
mod names;
mod passkeys;
mod queries;
mod records;
mod reports;
mod settings;
mod sparkle;
mod squirrel;
mod storage_answers;
mod text;
mod tokens;
mod uploads;
mod velopack;
mod versions;
mod world;

pub use electron::electron;
pub use identities::identities;
pub use metadata::metadata;
pub use multipart::multipart;
pub use names::names;
pub use passkeys::passkeys;
pub use queries::queries;
pub use records::records;
pub use reports::reports;
pub use settings::settings;
pub use sparkle::sparkle;
pub use squirrel::squirrel;
pub use storage_answers::storage_answers;
pub use tokens::tokens;
pub use uploads::uploads;
pub use velopack::velopack;
pub use versions::versions;

/// A property of one parser. Returns whether anything was read, and not all refused.
pub type Property = fn(&[u8]) -> bool;

/// All properties, by the names of their fuzz targets.
pub const ALL: [(&str, Property); 17] = [
    ("electron", electron),
    ("identities", identities),
    ("metadata", metadata),
    ("multipart", multipart),
    ("names", names),
    ("passkeys", passkeys),
    ("queries", queries),
    ("records", records),
    ("reports", reports),
    ("settings", settings),
    ("sparkle", sparkle),
    ("squirrel", squirrel),
    ("storage_answers", storage_answers),
    ("tokens", tokens),
    ("uploads", uploads),
    ("velopack", velopack),
    ("versions", versions),
];
