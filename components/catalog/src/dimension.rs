//! Channels, platforms and architectures.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::Value;
use spindrift_api::{
    ArchEntry, ArchsBody, ChannelEntry, ChannelsBody, PlatformEntry, PlatformsBody, ResultBody,
};
use spindrift_core::cut_off::{self, CatalogChange};
use spindrift_core::{Action, Id, Scope};
use spindrift_db::apps::Usage;
use spindrift_db::changes::{Change, Subject};
use spindrift_db::dimensions::{self, DimensionRow, Kind};
use spindrift_db::{Audit, SqlConn, channel_includes, users};
use spindrift_repository::has_signers;
use spindrift_service::cut_off::{is_forced, require_nobody_cut_off};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{private_json, query_id};
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, ErrorCode, Request, Response};

use crate::allowed_list::join_list;
use crate::audited::{self, CatalogOperation, kind_of};
use crate::dimension_body::{DimensionBody, render_updaters};
use crate::kind::{in_answers, of_scope, resource, word};

pub(crate) async fn create<P: Ports>(ports: &P, kind: Kind, request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let body = DimensionBody::read(kind, request).await?;
    let name = body.new_name(kind)?;
    session.require(Action::Create(resource(kind)), None)?;
    let updaters = (kind == Kind::Platform).then(|| body.updaters.unwrap_or_default());
    let includes = body.includes;
    let entry =
        DimensionRow { id: ports.new_id(), name, updaters, is_default: false, updated_at: session.now };
    let owner = session.owner_id();
    session
        .commit(Subject::Owner(owner), |conn| {
            require_free_name(conn, kind, owner, &entry)?;
            dimensions::insert(conn, kind, owner, &entry)?;
            include(conn, owner, &entry, includes.as_deref())?;
            join_list(&session, conn, resource(kind), &entry.id)?;
            conn.touches_only(scopes_of_new_entry(kind, entry.name.clone()));
            let after = state(conn, kind, owner, &entry)?;
            let record =
                session.entry(kind_of(kind, CatalogOperation::Create)).of_object(&entry.id, &entry.name);
            Ok::<_, Failure>(((), record.adding(after).into()))
        })
        .await?;
    private_json(StatusCode::OK, &ResultBody::created(in_answers(kind), entry.id))
}

pub(crate) async fn update<P: Ports>(ports: &P, kind: Kind, request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let in_query = is_forced(&request)?;
    let body = DimensionBody::read(kind, request).await?;
    let id = body.target()?;
    let owner = session.owner_id();
    let (old, new) = possible(&session, &session.conn, kind, &body)?;
    if !is_same_to_copies(&old, &new) {
        let change =
            CatalogChange::Item { kind, id: &id, to: Some(value(&session.conn, kind, owner, &new)?) };
        let is_forced = in_query || body.force.unwrap_or_default();
        require_nobody_cut_off(&session, &change, is_forced)?;
    }
    session
        .commit(Subject::Owner(owner), |conn| {
            let (old, new) = possible(&session, conn, kind, &body)?;
            let before = state(conn, kind, owner, &old)?;
            dimensions::update(conn, kind, &new)?;
            include(conn, owner, &new, body.includes.as_deref())?;
            if new.is_default == old.is_default {
                conn.touches_only(scopes_with_either_name(kind, old.name, new.name.clone()));
            } else {
                dimensions::set_default(conn, kind, owner, &id, new.is_default)?;
            }
            let record = session.entry(kind_of(kind, CatalogOperation::Update)).of_object(&id, &new.name);
            Ok::<_, Failure>(((), Audit::of_change(record, before, state(conn, kind, owner, &new)?)))
        })
        .await?;
    private_json(StatusCode::OK, &ResultBody::updated(in_answers(kind)))
}

/// The entry before and after a change; 400, 403, 404 or 409 if it cannot be made.
fn possible(
    session: &Session<'_, impl Ports>,
    conn: &impl SqlConn,
    kind: Kind,
    body: &DimensionBody,
) -> Result<(DimensionRow, DimensionRow), Failure> {
    let (id, owner) = (body.target()?, session.owner_id());
    let old = find(conn, kind, owner, &id)?;
    session.require(Action::Edit(resource(kind)), Some(&id))?;
    let new = DimensionRow {
        id,
        name: body.name.clone().unwrap_or_else(|| old.name.clone()),
        updaters: body.updaters_after(old.updaters.as_ref())?,
        is_default: body.default.unwrap_or(old.is_default),
        updated_at: session.now,
    };
    if new.name != old.name {
        require_no_signers(conn, kind, owner, &old.name)?;
    }
    require_free_name(conn, kind, owner, &new)?;
    Ok((old, new))
}

/// The fields that the audit log compares.
fn state(conn: &impl SqlConn, kind: Kind, owner: &Id, entry: &DimensionRow) -> Result<Value, Failure> {
    let includes = match kind {
        Kind::Channel => {
            let channels = dimensions::of_owner(conn, kind, owner)?;
            included_names(conn, owner, &channels)?.remove(&entry.id).unwrap_or_default()
        }
        Kind::Platform | Kind::Arch => Vec::new(),
    };
    Ok(audited::dimension(entry, &includes))
}

/// Whether a change of the entry keeps everything that installed copies request.
fn is_same_to_copies(old: &DimensionRow, new: &DimensionRow) -> bool {
    (&old.name, &old.updaters, old.is_default) == (&new.name, &new.updaters, new.is_default)
}

/// The entry as installed copies see it. The channels that a channel includes do not matter here: they only
/// decide what it offers.
fn value(
    conn: &impl SqlConn,
    kind: Kind,
    owner: &Id,
    entry: &DimensionRow,
) -> Result<cut_off::DimensionItem, Failure> {
    let includes = match kind {
        Kind::Channel => channel_includes::of_owner(conn, owner)?.remove(&entry.id).unwrap_or_default(),
        Kind::Platform | Kind::Arch => Vec::new(),
    };
    Ok(cut_off::DimensionItem {
        id: entry.id.clone(),
        name: entry.name.clone(),
        is_default: entry.is_default,
        updaters: entry.updaters.clone(),
        includes,
    })
}

pub(crate) async fn delete<P: Ports>(ports: &P, kind: Kind, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let id = query_id(request)?;
    let is_forced = is_forced(request)?;
    let owner = session.owner_id();
    require_deletable(&session, &session.conn, kind, &id)?;
    let change = CatalogChange::Item { kind, id: &id, to: None };
    require_nobody_cut_off(&session, &change, is_forced)?;
    session
        .commit(Subject::Owner(owner), |conn| {
            let gone = require_deletable(&session, conn, kind, &id)?;
            let before = state(conn, kind, owner, &gone)?;
            let record = session.entry(kind_of(kind, CatalogOperation::Delete)).of_object(&id, &gone.name);
            dimensions::delete(conn, kind, &id)?;
            users::disallow(conn, owner, resource(kind), &id)?;
            conn.touches_only(scopes_of_new_entry(kind, gone.name));
            Ok::<_, Failure>(((), record.removing(before).into()))
        })
        .await?;
    private_json(StatusCode::OK, &ResultBody::deleted(in_answers(kind)))
}

/// The entry to delete; 404, 403 or 409.
fn require_deletable(
    session: &Session<'_, impl Ports>,
    conn: &impl SqlConn,
    kind: Kind,
    id: &Id,
) -> Result<DimensionRow, Failure> {
    let gone = find(conn, kind, session.owner_id(), id)?;
    session.require(Action::Delete(resource(kind)), Some(id))?;
    require_unused(word(kind), dimensions::usage(conn, kind, id, session.now)?)?;
    require_no_signers(conn, kind, session.owner_id(), &gone.name)?;
    Ok(gone)
}

pub(crate) fn list<P: Ports>(ports: &P, kind: Kind, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let mut entries = dimensions::of_owner(&session.conn, kind, session.owner_id())?;
    let includes = match kind {
        Kind::Channel => included_names(&session.conn, session.owner_id(), &entries)?,
        Kind::Platform | Kind::Arch => BTreeMap::new(),
    };
    entries.retain(|entry| session.may(Action::View(resource(kind)), Some(&entry.id)));
    let owner = session.principal.owner.as_str();
    match kind {
        Kind::Channel => private_json(StatusCode::OK, &channels(entries, includes, owner)),
        Kind::Platform => private_json(StatusCode::OK, &platforms(entries, owner)),
        Kind::Arch => private_json(StatusCode::OK, &archs(entries, owner)),
    }
}

fn channels(
    entries: Vec<DimensionRow>,
    mut includes: BTreeMap<Id, Vec<String>>,
    owner: &str,
) -> ChannelsBody {
    let render = |e: DimensionRow| ChannelEntry {
        includes: includes.remove(&e.id).unwrap_or_default(),
        id: e.id,
        channel_name: e.name,
        default: e.is_default,
        owner: owner.to_owned(),
        updated_at: e.updated_at.to_rfc3339(),
    };
    ChannelsBody { channels: entries.into_iter().map(render).collect() }
}

fn platforms(entries: Vec<DimensionRow>, owner: &str) -> PlatformsBody {
    let render = |e: DimensionRow| PlatformEntry {
        id: e.id,
        platform_name: e.name,
        default: e.is_default,
        updaters: render_updaters(&e.updaters.unwrap_or_default()),
        owner: owner.to_owned(),
        updated_at: e.updated_at.to_rfc3339(),
    };
    PlatformsBody { platforms: entries.into_iter().map(render).collect() }
}

fn archs(entries: Vec<DimensionRow>, owner: &str) -> ArchsBody {
    let render = |e: DimensionRow| ArchEntry {
        id: e.id,
        arch_name: e.name,
        default: e.is_default,
        owner: owner.to_owned(),
        updated_at: e.updated_at.to_rfc3339(),
    };
    ArchsBody { archs: entries.into_iter().map(render).collect() }
}

/// Which scopes change when an entry is created or deleted. With the first entry of a kind, scopes without
/// that dimension become incomplete; after the last one they are complete again. A channel that includes
/// others has scopes from the start.
fn scopes_of_new_entry(kind: Kind, name: String) -> impl Fn(&Scope) -> bool {
    move |scope| of_scope(kind, scope).is_none_or(|scope_name| scope_name == name)
}

/// Sets the channels that a channel includes, by name; `None` keeps them. 400 for a channel that the owner
/// does not have.
fn include(
    conn: &Change<'_, impl SqlConn>,
    owner: &Id,
    channel: &DimensionRow,
    names: Option<&[String]>,
) -> Result<(), Failure> {
    let Some(names) = names else { return Ok(()) };
    let mut included = Vec::with_capacity(names.len());
    for name in names {
        if *name == channel.name {
            return Err(ApiError::bad_request("a channel cannot include itself").into());
        }
        let id = dimensions::id_of_name(conn, Kind::Channel, owner, name)?;
        included.push(id.ok_or_else(|| ApiError::bad_request(format!("unknown channel: {name}")))?);
    }
    Ok(channel_includes::replace(conn, &channel.id, &included)?)
}

/// The names of the channels that each channel includes.
fn included_names(
    conn: &impl SqlConn,
    owner: &Id,
    channels: &[DimensionRow],
) -> Result<BTreeMap<Id, Vec<String>>, Failure> {
    let names: BTreeMap<&Id, &str> = channels.iter().map(|c| (&c.id, c.name.as_str())).collect();
    let names_of =
        |ids: Vec<Id>| ids.iter().filter_map(|id| names.get(id).map(|n| (*n).to_owned())).collect();
    let includes = channel_includes::of_owner(conn, owner)?;
    Ok(includes.into_iter().map(|(id, included)| (id, names_of(included))).collect())
}

/// Which scopes change when an entry is renamed, or its updaters change: those with the old or the new name.
fn scopes_with_either_name(kind: Kind, old: String, new: String) -> impl Fn(&Scope) -> bool {
    move |scope| of_scope(kind, scope).is_some_and(|name| name == old || name == new)
}

/// 409 for a channel that has signers of its own: signed metadata calls it by its name.
fn require_no_signers(conn: &impl SqlConn, kind: Kind, owner: &Id, name: &str) -> Result<(), Failure> {
    let channel = (kind == Kind::Channel).then(|| name.parse().ok()).flatten();
    match channel {
        Some(channel) if has_signers(conn, owner, &channel)? => {
            Err(ApiError::Conflict("the channel has signers of its own".into()).into())
        }
        _ => Ok(()),
    }
}

fn find(conn: &impl SqlConn, kind: Kind, owner: &Id, id: &Id) -> Result<DimensionRow, Failure> {
    Ok(dimensions::by_id(conn, kind, owner, id)?.ok_or_else(|| ApiError::not_found(word(kind)))?)
}

fn require_free_name(
    conn: &impl SqlConn,
    kind: Kind,
    owner: &Id,
    entry: &DimensionRow,
) -> Result<(), Failure> {
    match dimensions::id_of_name(conn, kind, owner, &entry.name)? {
        Some(taken) if taken != entry.id => Err(already_exists(word(kind)).into()),
        _ => Ok(()),
    }
}

/// 409 for a name that is already in use.
pub(crate) fn already_exists(thing: &str) -> ApiError {
    ApiError::conflict(ErrorCode::AlreadyExists, format!("{thing} already exists"))
}

/// 409 while something refers to the item.
pub(crate) fn require_unused(thing: &str, usage: Usage) -> Result<(), ApiError> {
    let user = match usage {
        Usage::Free => return Ok(()),
        Usage::Releases => "releases",
        Usage::Uploads => "an upload under way",
    };
    Err(ApiError::conflict(ErrorCode::InUse, format!("{thing} is used by {user}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(channel: Option<&str>) -> Scope {
        Scope {
            owner: "o".parse().unwrap(),
            app: "a".parse().unwrap(),
            channel: channel.map(|name| name.parse().unwrap()),
            platform: None,
            arch: None,
        }
    }

    #[test]
    fn which_scopes_a_change_touches() {
        let first = scopes_of_new_entry(Kind::Channel, "new".into());
        assert!(first(&scope(None)) && first(&scope(Some("new"))) && !first(&scope(Some("beta"))));
        let renamed = scopes_with_either_name(Kind::Channel, "old".into(), "new".into());
        for (name, touched) in
            [(Some("old"), true), (Some("new"), true), (Some("other"), false), (None, false)]
        {
            assert_eq!(renamed(&scope(name)), touched, "{name:?}");
        }
    }

    #[test]
    fn used_things_stay() {
        assert!(require_unused("arch", Usage::Free).is_ok());
        for (usage, text) in [
            (Usage::Releases, "arch is used by releases"),
            (Usage::Uploads, "arch is used by an upload under way"),
        ] {
            assert_eq!(require_unused("arch", usage), Err(ApiError::conflict(ErrorCode::InUse, text)));
        }
    }
}
