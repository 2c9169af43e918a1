//! Repositories of signed update metadata: loading, signing and storing what is current.

pub mod answered;
pub mod digests;
pub mod listed;
pub mod mark;
pub mod recorded;
#[cfg(test)]
mod test_artifacts;
