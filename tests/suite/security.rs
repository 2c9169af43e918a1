//! What somebody gets who has a credential, or a place, that is not theirs. `docs/security.md` makes the claims; what is
//! shown here is what no other module shows.

mod buckets;
mod credentials;
mod edges;
mod private_applications;
mod secrets;
mod stores;
