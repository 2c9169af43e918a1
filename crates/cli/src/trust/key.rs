//! Keys that sign metadata. A private key never leaves this process or its agent: no type here
//! prints one.

mod agent;
mod file;
mod p256_key;
mod passphrase;
mod pem;
mod public;
mod signer;
mod source;
mod ssh;

pub(crate) use passphrase::{Passphrase, new_passphrase};
pub(crate) use public::{PUBLIC_EXTENSION, PublicForms, of_entry, read_public, write_beside};
pub(crate) use signer::Signer;
pub(crate) use source::KeySource;

#[cfg(test)]
mod tests;
