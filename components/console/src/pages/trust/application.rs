//! The signed metadata of one application.

use std::collections::BTreeMap;

use futures::future::try_join;
use maud::{Markup, html};
use spindrift_api::{BootstrapState, RepositoryConfig};
use spindrift_web::{Request, Response};

use super::advice::{self, advice};
use super::metadata::{Metadata, MetadataKey, MetadataRole};
use super::perhaps;
use super::state::RepositoryState;
use crate::table::{columns, table};
use crate::{Address, ConsoleError, Context, MenuEntry, Result, address, catalog, parts};

/// The roles of every repository.
const ROLES: [&str; 4] = ["root", "targets", "snapshot", "timestamp"];

/// `GET /console/trust/{app}`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let name = address::segment(request.path(), 2)?;
    let loaded = try_join(catalog::app_named(context, &name), RepositoryState::load(context, &name));
    let (me, (app, state)) = context.with_me(loaded).await?;
    if !app.tuf {
        return Err(ConsoleError::NoPage);
    }
    let state = state.ok_or(ConsoleError::NoPage)?;
    let online = if state.bootstrap_state.bootstrap {
        OnlineFiles::load(context, &state.bootstrap_state.repository).await?
    } else {
        OnlineFiles::default()
    };
    let waiting = state.waiting();
    let todo = advice(&state.facts(&app.app_name, &waiting), context.now);
    let content = html! {
        (parts::trail(&[("Trust", Address::page(["trust"]))], &name))
        h1 { (name) " " (state.badge()) }
        p.hint {
            "The repository " code { (state.bootstrap_state.repository) }
            @if state.config.is_some() {
                ", at " code { (context.api_url) (repository(&state.bootstrap_state.repository)) "/" }
            }
        }
        (advice::advice_list(&todo))
        @if let Some(config) = &state.config { (problems(config)) }
        @if let Some(root) = &state.root { (roles(context, root, &state, &online)) }
        (staged(&state))
        @if let Some(config) = &state.config { (settings(config)) }
        (service_keys(&state.bootstrap_state))
    };
    Ok(context.page(&name, &me, MenuEntry::Trust).with_rare_refresh().show(&content))
}

/// The address that clients read. It contains the initial names of the owner and the application.
fn repository(name: &str) -> Address {
    let address = Address::call("/tuf/repository");
    name.split('/').fold(address, Address::with_segment).with_segment("metadata")
}

/// Which files the service signs.
#[derive(Default)]
struct OnlineFiles {
    snapshot: Option<Metadata>,
    timestamp: Option<Metadata>,
}

impl OnlineFiles {
    async fn load(context: &Context<'_>, name: &str) -> Result<Self> {
        let timestamp: Option<Metadata> =
            perhaps(context, &repository(name).with_segment("timestamp.json")).await?;
        let named = timestamp.as_ref().and_then(|timestamp| timestamp.signed.meta.get("snapshot.json"));
        let snapshot = match named {
            Some(named) => {
                perhaps(context, &repository(name).with_segment(&format!("{}.snapshot.json", named.version)))
                    .await?
            }
            None => None,
        };
        Ok(Self { snapshot, timestamp })
    }
}

fn problems(config: &RepositoryConfig) -> Markup {
    html! {
        @if !config.problems.is_empty() {
            ul.warnings aria-label="Problems" { @for problem in &config.problems { li { (problem) } } }
        }
    }
}

fn roles(context: &Context<'_>, root: &Metadata, state: &RepositoryState, online: &OnlineFiles) -> Markup {
    let files = [Some(root), state.targets.as_ref(), online.snapshot.as_ref(), online.timestamp.as_ref()];
    let delegated = state.targets.as_ref().and_then(|targets| targets.signed.delegations.as_ref());
    let head = columns(["Role", "Version", "Expires", "Signatures needed", "Keys"]);
    let rows = html! {
        @for (name, file) in ROLES.into_iter().zip(files) {
            @if let Some(role) = root.signed.roles.get(name) {
                tr {
                    th scope="row" { (name) }
                    td { @if let Some(file) = file { (file.signed.version) } }
                    td { @if let Some(file) = file { (advice::ending(name, &file.signed.expires, context.now)) } }
                    (signers(role, &root.signed.keys, &state.bootstrap_state))
                }
            }
        }
        @if let Some(delegated) = delegated {
            @for role in &delegated.roles {
                tr {
                    th scope="row" { (role.name) }
                    td {}
                    td {}
                    (signers(role, &delegated.keys, &state.bootstrap_state))
                }
            }
        }
    };
    html! {
        section {
            h2 { "Signers" }
            (table("Roles", &head, &rows))
        }
    }
}

/// The cells with the keys that sign a role.
fn signers(role: &MetadataRole, keys: &BTreeMap<String, MetadataKey>, service: &BootstrapState) -> Markup {
    html! {
        td { (role.threshold) " of " (role.keyids.len()) }
        td {
            ul.plain {
                @for id in &role.keyids { li {
                    (key_id(id)) " " (keys.get(id).map_or("", |key| &key.scheme))
                    @if is_of_service(id, service) { " " (parts::badge("", "this service")) }
                } }
            }
        }
    }
}

fn key_id(id: &str) -> Markup {
    html! { code title=(id) { (id.get(..16).unwrap_or(id)) "…" } }
}

fn is_of_service(key: &str, service: &BootstrapState) -> bool {
    let keys =
        [&service.online_key, &service.next_online_key, &service.targets_key, &service.next_targets_key];
    keys.iter().any(|own| own.keyid == key)
}

fn staged(state: &RepositoryState) -> Markup {
    let head = columns(["Role", "Version", "Signatures", "Signed by"]);
    let rows = html! { @for (role, file) in &state.staged { (staged_row(role, file, state)) } };
    html! {
        section {
            h2 { "Waiting for signatures" }
            @if state.staged.is_empty() { p { "Nothing." } }
            @else { (table("Waiting for signatures", &head, &rows)) }
        }
    }
}

/// Counts the signatures of keys that the current root assigns to the role. For a first root, its
/// own keys count.
fn staged_row(name: &str, file: &Metadata, state: &RepositoryState) -> Markup {
    let root = state.root.as_ref().unwrap_or(file);
    let delegations = state.targets.as_ref().and_then(|targets| targets.signed.delegations.as_ref());
    let delegated = || delegations?.roles.iter().find(|role| role.name == name);
    let role = root.signed.roles.get(name).or_else(delegated);
    // A root needs the signatures that the current root requires, and those that it requires
    // itself.
    let own = file.signed.roles.get(name).filter(|_| state.root.is_some());
    html! {
        tr {
            th scope="row" { (name) }
            td { (file.signed.version) }
            td {
                @if let Some(role) = role { (file.signed_by(&role.keyids)) " of " (role.threshold) }
                @if let Some(own) = own {
                    ", and " (file.signed_by(&own.keyids)) " of " (own.threshold) " by its own rule"
                }
            }
            td { ul.plain { @for signature in &file.signatures { li { (key_id(&signature.keyid)) } } } }
        }
    }
}

fn settings(config: &RepositoryConfig) -> Markup {
    html! {
        section {
            h2 { "Settings" }
            dl.pairs {
                dt { "Files are signed by" } dd {
                    @if config.targets_online_key { "this service, as they are published" }
                    @else { "their publisher" }
                }
                dt { "Releases that stay listed" } dd {
                    @if config.keep == 0 { "all" }
                    @else { "the newest " (config.keep) " of each channel, platform and architecture" }
                }
                dt { "The service signs again" } dd {
                    @match &config.refresh_after {
                        Some(moment) => (parts::time(moment)),
                        None => "after offline signatures",
                    }
                }
                dt { "Lifetimes in days" } dd {
                    "snapshot " (config.snapshot_expiration) ", timestamp " (config.timestamp_expiration)
                    @if config.targets_online_key { ", targets " (config.targets_expiration) }
                }
            }
        }
    }
}

fn service_keys(service: &BootstrapState) -> Markup {
    let keys = [("Snapshot and timestamp", &service.online_key), ("Its successor", &service.next_online_key)];
    html! {
        section {
            h2 { "Keys of this service" }
            dl.pairs { @for (name, key) in keys { dt { (name) } dd { (parts::copyable(&key.keyid)) } } }
        }
    }
}
