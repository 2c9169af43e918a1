//! Signed metadata, from the first key to the last revocation.

mod channels;
mod ci;
mod hostile;
mod liar;
mod life;
mod publisher;
mod revoked;
mod rotation;
mod secrets;
mod several;
mod waiting;
