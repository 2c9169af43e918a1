//! The reach of an attacker with a credential, or a place, that is not theirs. `docs/security.md` makes the claims;
//! these tests show what no other module shows.

mod buckets;
mod credentials;
mod edges;
mod private_applications;
mod secrets;
mod stores;
