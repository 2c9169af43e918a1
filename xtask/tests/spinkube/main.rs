//! The manifests in `deploy/spinkube`: the fields of the operator's kinds, the references of the manifests to
//! each other and to the applications, and Kubernetes' own schemas.
#![expect(clippy::unwrap_used, reason = "a test that cannot read the manifests fails")]

mod fields;
mod manifests;
mod operator;
mod references;
mod schemas;
