//! Applications.

use http::StatusCode;
use spindrift_api::{AppEntry, AppsBody, CatalogKind, ResultBody};
use spindrift_core::audit::AuditKind;
use spindrift_core::cut_off::CatalogChange;
use spindrift_core::{Action, App, AppName, DownloadMode, Id, Resource};
use spindrift_db::apps::{self, AppChange, AppFilter, Usage};
use spindrift_db::changes::{Change, Subject};
use spindrift_db::{
    Audit, SqlConn, device_groups, download_tokens, freezes, listings, publishers, repositories,
    repository_events, scope_versions, shutoffs, tokens, users, webhooks,
};
use spindrift_repository::AppRepository;
use spindrift_service::cut_off::{is_forced, require_nobody_cut_off};
use spindrift_service::records::known_names;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{private_json, query_id};
use spindrift_service::{Failure, Ports, links, report_keys, settings};
use spindrift_web::{ApiError, ErrorCode, Request, Response};

use crate::allowed_list::join_list;
use crate::app_form::AppForm;
use crate::audited;
use crate::dimension::{already_exists, require_unused};
use crate::logo::{self, Logo};

const APPLICATION: &str = "application";

pub(crate) async fn create<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let form = AppForm::read(request).await?;
    let mut app = form.new_app(ports.new_id(), session.now)?;
    session.require(Action::Create(Resource::App), None)?;
    require_free_name(&session.conn, session.owner_id(), &app.name, None)?;
    app.logo_key = store_logo(ports, &app.id, form.logo).await?.unwrap_or_default();
    let recorded = session.edit(|conn| {
        require_free_name(conn, session.owner_id(), &app.name, None)?;
        apps::insert(conn, session.owner_id(), &app)?;
        if app.flags.reports {
            report_keys::ensure(ports, conn, &app.id)?;
        }
        join_list(&session, conn, Resource::App, &app.id)?;
        let entry = session.entry(AuditKind::AppCreate).of_app(&app.id, &app.name);
        Ok::<_, Failure>(((), entry.adding(audited::app(&app)).into()))
    });
    if let Err(failure) = recorded {
        logo::discard(ports, &app.logo_key).await;
        return Err(failure);
    }
    known_names::forget(ports, session.owner());
    private_json(StatusCode::OK, &ResultBody::created(CatalogKind::App, app.id))
}

pub(crate) async fn update<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let form = AppForm::read(request).await?;
    let id = form.target()?;
    let mut change = form.change;
    // Checked before the logo is stored, and again under the write lock.
    let old = require_possible(&session, &session.conn, &id, &change)?;
    if change.name.as_ref().is_some_and(|name| *name != old.name) {
        require_nobody_cut_off(&session, &CatalogChange::App(&id), form.is_forced)?;
    }
    change.logo_key = store_logo(ports, &id, form.logo).await?;
    let changed = session
        .commit(Subject::App(&id), |conn| {
            let old = require_possible(&session, conn, &id, &change)?;
            apps::update(conn, &id, &change, session.now)?;
            match change.reports {
                Some(true) => report_keys::ensure(ports, conn, &id)?,
                Some(false) => report_keys::remove(conn, session.owner_id(), &id)?,
                None => {}
            }
            let new = find(conn, session.owner_id(), &id)?;
            let entry = session.entry(AuditKind::AppUpdate).of_app(&id, &new.name);
            let audit = Audit::of_change(entry, audited::app(&old), audited::app(&new));
            Ok::<_, Failure>((old.logo_key, audit))
        })
        .await;
    let unused = match &changed {
        Ok(old) if change.logo_key.is_some() => Some(old),
        Ok(_) => None,
        Err(_) => change.logo_key.as_ref(),
    };
    if let Some(key) = unused {
        discard_unless_shown(&session, &id, key).await;
    }
    changed?;
    private_json(StatusCode::OK, &ResultBody::updated(CatalogKind::App))
}

pub(crate) async fn delete<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    session.require_fresh_login()?;
    let id = query_id(request)?;
    let is_forced = is_forced(request)?;
    find(&session.conn, session.owner_id(), &id)?;
    session.require(Action::Delete(Resource::App), Some(&id))?;
    require_unused(APPLICATION, apps::usage(&session.conn, &id, session.now)?)?;
    require_nobody_cut_off(&session, &CatalogChange::App(&id), is_forced)?;
    let logo_key = if repositories::exists(&session.conn, &id)? {
        AppRepository::of(&session, &id)
            .end_with_app(async |repository| {
                session
                    .commit(Subject::App(&id), |conn| {
                        let metadata = repository.remove(conn)?;
                        let (logo_key, audit) = remove(&session, conn, &id)?;
                        Ok::<_, Failure>(((logo_key, metadata), audit))
                    })
                    .await
            })
            .await?
    } else {
        session.commit(Subject::App(&id), |conn| remove(&session, conn, &id)).await?
    };
    logo::discard(ports, &logo_key).await;
    private_json(StatusCode::OK, &ResultBody::deleted(CatalogKind::App))
}

/// Removes an application that nothing uses. Returns the key of its logo, and the entry in the audit log.
fn remove(
    session: &Session<'_, impl Ports>,
    conn: &Change<'_, impl SqlConn>,
    id: &Id,
) -> Result<(String, Audit), Failure> {
    let app = find(conn, session.owner_id(), id)?;
    require_unused(APPLICATION, apps::usage(conn, id, session.now)?)?;
    if repositories::exists(conn, id)? {
        return Err(ApiError::Busy("the application's signed metadata has just begun".into()).into());
    }
    apps::delete_sessions(conn, id)?;
    report_keys::remove(conn, session.owner_id(), id)?;
    download_tokens::end_of_app(conn, id)?;
    scope_versions::forget_app(conn, id)?;
    freezes::forget_app(conn, id)?;
    shutoffs::forget_app(conn, id)?;
    webhooks::forget_app(conn, id)?;
    device_groups::forget_app(conn, id)?;
    repository_events::delete_of_app(conn, id)?;
    publishers::delete_of_app(conn, id)?;
    apps::delete(conn, id)?;
    users::disallow(conn, session.owner_id(), Resource::App, id)?;
    tokens::disallow(conn, session.owner_id(), id)?;
    let entry = session.entry(AuditKind::AppDelete).of_app(id, &app.name);
    let entry = entry.removing(audited::app(&app));
    Ok((app.logo_key, entry.into()))
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let query = request.query()?;
    let filter = AppFilter {
        id: query.get("id").map(Id::from_text),
        name: query.optional("app_name")?,
        is_brief: !query.optional("description")?.unwrap_or(true),
    };
    let default_mode = settings::default_download_mode(ports)?;
    let mut found = apps::of_owner(&session.conn, session.owner_id(), &filter)?;
    found.retain(|app| session.may(Action::View(Resource::App), Some(&app.id)));
    let demanding: Vec<&Id> = found.iter().filter(|app| app.flags.tuf).map(|app| &app.id).collect();
    let signed = listings::signed_apps(&session.conn, &demanding, session.now)?;
    let apps = found
        .into_iter()
        .map(|app| {
            let is_signed = signed.contains(&app.id);
            entry(ports, app, is_signed, session.principal.owner.as_str(), default_mode)
        })
        .collect::<Result<_, _>>()?;
    private_json(StatusCode::OK, &AppsBody { apps })
}

fn entry(
    ports: &impl Ports,
    app: App,
    signed: bool,
    owner: &str,
    default_mode: DownloadMode,
) -> Result<AppEntry, Failure> {
    Ok(AppEntry {
        id: app.id,
        app_name: app.name.into(),
        logo: links::logo_url(ports, &app.logo_key)?,
        private: app.flags.private,
        tuf: app.flags.tuf,
        signed,
        reports: app.flags.reports,
        cdn_edge: app.flags.cdn,
        download_mode: app.download_mode.unwrap_or(default_mode).as_str().into(),
        get_page: app.get_page.is_on,
        get_page_color: app.get_page.color.map(|color| color.to_string()).unwrap_or_default(),
        require_publisher: app.require_publisher,
        description: app.description,
        owner: owner.to_owned(),
        updated_at: app.updated_at.to_rfc3339(),
    })
}

fn find(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<App, Failure> {
    Ok(apps::by_id(conn, owner, id)?.ok_or_else(|| ApiError::not_found(APPLICATION))?)
}

fn require_free_name(
    conn: &impl SqlConn,
    owner: &Id,
    name: &AppName,
    own: Option<&Id>,
) -> Result<(), Failure> {
    match apps::by_name(conn, owner, name)? {
        Some(taken) if own != Some(&taken.id) => Err(already_exists(APPLICATION).into()),
        _ => Ok(()),
    }
}

/// The current application if the change is possible; 404, 403 or 409 otherwise. Files of private and public
/// applications are in different buckets, so only an application without files can change from one to the
/// other.
fn require_possible(
    session: &Session<'_, impl Ports>,
    conn: &impl SqlConn,
    id: &Id,
    change: &AppChange,
) -> Result<App, Failure> {
    let app = find(conn, session.owner_id(), id)?;
    session.require(Action::Edit(Resource::App), Some(id))?;
    if let Some(name) = &change.name {
        require_free_name(conn, session.owner_id(), name, Some(id))?;
    }
    require_no_repository(conn, &app, change)?;
    if change.private.is_some_and(|private| private != app.flags.private)
        && apps::usage(conn, id, session.now)? != Usage::Free
    {
        return Err(
            ApiError::Conflict("private cannot change while the application has releases".into()).into()
        );
    }
    Ok(app)
}

/// 409 if the change would separate the application from its signed metadata: without TUF, or in
/// the other bucket.
fn require_no_repository(conn: &impl SqlConn, app: &App, change: &AppChange) -> Result<(), Failure> {
    let turns_off = change.tuf == Some(false);
    let moves = change.private.is_some_and(|private| private != app.flags.private);
    if !(turns_off || moves) || !repositories::exists(conn, &app.id)? {
        return Ok(());
    }
    let setting = if turns_off { "tuf" } else { "private" };
    let text = format!("{setting} cannot change while the application has a repository");
    Err(ApiError::conflict(ErrorCode::InUse, text).into())
}

/// Returns the key of the stored logo.
async fn store_logo(ports: &impl Ports, app: &Id, logo: Option<Logo>) -> Result<Option<String>, Failure> {
    let Some(logo) = logo else { return Ok(None) };
    let key = logo.key(app);
    logo.store(ports, &key).await?;
    Ok(Some(key))
}

/// Another call, or a repeated one, may have set the same image. If the database is unavailable, the file is
/// kept.
async fn discard_unless_shown(session: &Session<'_, impl Ports>, app: &Id, key: &str) {
    let Ok(current) = apps::by_id(&session.conn, session.owner_id(), app) else { return };
    if current.is_none_or(|app| app.logo_key != key) {
        logo::discard(session.ports, key).await;
    }
}
