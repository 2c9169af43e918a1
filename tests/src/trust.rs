//! TUF: repositories written by hand, the places that serve them, and the clients that verify them.
//!
//! Nothing here uses the service's code for signing: the writers and the checkers share nothing but the
//! specification.
//!
//! | module | content |
//! |---|---|
//! | [`key`] | keys from a seed |
//! | [`canonical`] | the form that signatures cover |
//! | [`role`] | the content of the roles |
//! | [`signed`] | roles with their signatures |
//! | [`repository`] | files that belong together |
//! | [`place`] | the service's and the bucket's addresses |
//! | [`publisher`] | a publisher whose repository the service keeps |
//! | [`served`] | the service of a world |
//! | [`aged`] | time that has passed |
//! | [`client`] | python-tuf, tuf-js, tough and the project's library as an application uses them |
//! | [`web`] | addresses in memory that answer as they like |
//! | [`app`] | an application with the client library |

pub mod aged;
pub mod app;
pub mod canonical;
pub mod client;
pub mod key;
mod library;
pub mod place;
pub mod publisher;
pub mod repository;
mod request;
pub mod role;
pub mod served;
pub mod signed;
mod tough;
pub mod web;
