//! Repositories of signed update metadata: loading, signing and storing what is current.
