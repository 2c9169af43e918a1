//! Publishers of an application, managed by those who may change it.

use http::StatusCode;
use spindrift_api::{
    ErrorCode, MessageBody, PublisherCreateBody, PublisherEntry, PublisherNames, PublishersBody,
};
use spindrift_core::audit::{AuditEntry, AuditKind};
use spindrift_core::{
    Action, App, AppName, Id, MAX_PUBLISHERS, Publisher, PublisherConditions, Resource, Target, Timestamp,
    TokenGrant, TokenRight,
};
use spindrift_db::apps::{self, AppFilter};
use spindrift_db::dimensions::{self, Kind};
use spindrift_db::{SqlConn, publishers};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json, query_id};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, Request, Response};

use crate::issuers::Issuers;
use crate::new_publisher::NewPublisher;

pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    session.require_fresh_login()?;
    let body: PublisherCreateBody = request.read_json(MAX_JSON_BYTES).await?;
    let new = NewPublisher::parse(body, &Issuers::read(ports)?)?;
    let app = session.named_app(&new.app)?;
    session.require(Action::Edit(Resource::App), Some(&app.id))?;
    let names = ChannelNames::of(&session)?;
    let channels = new.channels.map(|all| names.ids(&all)).transpose()?;
    let grant = TokenGrant { may: new.may, channels };
    require_own_rights(&session, &app.id, &grant)?;
    let publisher = Publisher {
        id: ports.new_id(),
        app_id: app.id.clone(),
        conditions: new.conditions,
        grant,
        pinned: None,
        created_at: session.now,
        last_used_at: None,
    };
    let shown = entry(&publisher, &app.name, &names);
    session.edit(|conn| {
        let known = publishers::of_app(conn, &app.id)?;
        if known.len() >= MAX_PUBLISHERS {
            let text = format!("an application has at most {MAX_PUBLISHERS} publishers");
            return Err(ApiError::Conflict(text.into()).into());
        }
        let is_same =
            |other: &Publisher| other.conditions == publisher.conditions && other.grant == publisher.grant;
        if known.iter().any(is_same) {
            return Err(
                ApiError::conflict(ErrorCode::AlreadyExists, "this publisher is registered already").into()
            );
        }
        publishers::insert(conn, &publisher)?;
        let entry = audited(&session, AuditKind::PublisherCreate, &publisher, &app.name);
        Ok::<_, Failure>(((), entry.adding(fields(&shown)).into()))
    })?;
    private_json(StatusCode::CREATED, &shown)
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let (conn, query) = (&session.conn, request.query()?);
    let found: Vec<(AppName, Publisher)> = if query.get("app").is_some() {
        let app = session.query_app(&query)?;
        session.require(Action::Edit(Resource::App), Some(&app.id))?;
        publishers::of_app(conn, &app.id)?.into_iter().map(|one| (app.name.clone(), one)).collect()
    } else {
        let apps = apps::of_owner(conn, session.owner_id(), &AppFilter::BRIEF)?;
        let may_edit = |app: &&App| session.may(Action::Edit(Resource::App), Some(&app.id));
        let name =
            |id: &Id| apps.iter().filter(may_edit).find(|app| app.id == *id).map(|app| app.name.clone());
        let all = publishers::of_owner(conn, session.owner_id())?;
        all.into_iter().filter_map(|one| Some((name(&one.app_id)?, one))).collect()
    };
    let names = ChannelNames::of(&session)?;
    let publishers = found.iter().map(|(app, one)| entry(one, app, &names)).collect();
    private_json(StatusCode::OK, &PublishersBody { publishers })
}

pub(crate) fn delete<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    session.require_fresh_login()?;
    let id = query_id(request)?;
    let names = ChannelNames::of(&session)?;
    session.edit(|conn| {
        let found = publishers::by_id(conn, session.owner_id(), &id)?;
        let publisher = found.ok_or_else(|| ApiError::not_found("publisher"))?;
        session.principal.require_visible(&publisher.app_id, "publisher")?;
        session.require(Action::Edit(Resource::App), Some(&publisher.app_id))?;
        let app = apps::by_id(conn, session.owner_id(), &publisher.app_id)?;
        let app = app.ok_or_else(|| ApiError::not_found("publisher"))?;
        publishers::delete(conn, &id)?;
        let shown = entry(&publisher, &app.name, &names);
        let entry = audited(&session, AuditKind::PublisherDelete, &publisher, &app.name);
        Ok::<_, Failure>(((), entry.removing(fields(&shown)).into()))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Publisher removed, and its tokens ended".into() })
}

/// 403 if a job would get a right that the caller lacks: registering a publisher must not be a way to more.
fn require_own_rights(
    session: &Session<'_, impl Ports>,
    app: &Id,
    grant: &TokenGrant,
) -> Result<(), Failure> {
    let channels = grant.channels.iter().flatten().cloned().map(Some);
    let channels: Vec<Option<Id>> = if grant.channels.is_some() { channels.collect() } else { vec![None] };
    for right in &grant.may {
        for channel_id in channels.clone() {
            let place = Target { channel_id, platform_id: None, arch_id: None };
            session.principal.require_everywhere(&session.conn, right.action(), app, &place)?;
        }
    }
    Ok(())
}

/// The owner's channels.
struct ChannelNames(Vec<(Id, String)>);

impl ChannelNames {
    fn of(session: &Session<'_, impl Ports>) -> Result<Self, Failure> {
        Self::of_owner(&session.conn, session.owner_id())
    }

    fn of_owner(conn: &impl SqlConn, owner: &Id) -> Result<Self, Failure> {
        let all = dimensions::of_owner(conn, Kind::Channel, owner)?;
        Ok(Self(all.into_iter().map(|channel| (channel.id, channel.name)).collect()))
    }

    /// The ids of these channels. 404 if there is no channel of a name.
    fn ids(&self, names: &[String]) -> Result<Vec<Id>, ServiceError> {
        let id = |name: &String| self.0.iter().find(|(_, known)| known == name).map(|(id, _)| id.clone());
        names.iter().map(|name| id(name).ok_or(ServiceError::UnknownName("channel"))).collect()
    }

    /// The names of these channels. Deleted ones are left out.
    fn names(&self, ids: &[Id]) -> Vec<String> {
        self.0.iter().filter(|(id, _)| ids.contains(id)).map(|(_, name)| name.clone()).collect()
    }
}

/// The names of the channels in a grant. `None`: all.
pub(crate) fn channel_names(
    conn: &impl SqlConn,
    owner: &Id,
    channels: Option<&[Id]>,
) -> Result<Option<Vec<String>>, Failure> {
    let Some(channels) = channels else { return Ok(None) };
    Ok(Some(ChannelNames::of_owner(conn, owner)?.names(channels)))
}

fn entry(publisher: &Publisher, app: &AppName, names: &ChannelNames) -> PublisherEntry {
    let TokenGrant { may, channels } = &publisher.grant;
    PublisherEntry {
        id: publisher.id.clone(),
        app: app.to_string(),
        provider: publisher.conditions.provider().to_owned(),
        name: publisher.conditions.name(),
        named: named(&publisher.conditions),
        may: may.iter().map(TokenRight::to_string).collect(),
        channels: channels.as_ref().map(|ids| names.names(ids)),
        pinned: publisher.pinned.is_some(),
        last_used_at: publisher.last_used_at.map(Timestamp::to_rfc3339),
        created_at: publisher.created_at.to_rfc3339(),
    }
}

fn named(conditions: &PublisherConditions) -> PublisherNames {
    match conditions.clone() {
        PublisherConditions::Github(github) => PublisherNames {
            repository: Some(github.repository),
            workflow: Some(github.workflow),
            environment: github.environment,
            ref_pattern: github.ref_pattern.map(String::from),
            reusable: github.reusable,
            ..PublisherNames::default()
        },
        PublisherConditions::Gitlab(gitlab) => PublisherNames {
            project: Some(gitlab.project),
            environment: gitlab.environment,
            ref_pattern: gitlab.ref_pattern.map(String::from),
            unprotected: gitlab.unprotected.then_some(true),
            ..PublisherNames::default()
        },
        PublisherConditions::Oidc(oidc) => PublisherNames {
            issuer: Some(oidc.issuer),
            subject: Some(oidc.subject),
            ..PublisherNames::default()
        },
    }
}

/// An entry of the audit log about a publisher.
fn audited(
    session: &Session<'_, impl Ports>,
    kind: AuditKind,
    publisher: &Publisher,
    app: &AppName,
) -> AuditEntry {
    let name = publisher.conditions.name();
    session.entry(kind).of_app(&publisher.app_id, app).of_object(&publisher.id, name.as_str())
}

/// The fields of a publisher in the audit log: its conditions and its rights.
fn fields(shown: &PublisherEntry) -> serde_json::Value {
    let mut fields = serde_json::to_value(&shown.named).unwrap_or_default();
    fields["provider"] = shown.provider.clone().into();
    fields["may"] = shown.may.clone().into();
    if let Some(channels) = &shown.channels {
        fields["channels"] = channels.clone().into();
    }
    fields
}
