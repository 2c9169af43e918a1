//! The data that update checks, feeds and `/apps/latest` are answered from, and what stops them.

pub mod barriers;
pub mod freezes;
pub mod latest;
pub mod listings;
pub mod offered;
pub mod projections;
pub mod revisions;
pub mod scope_versions;
pub mod scopes;
pub mod shutoffs;
