//! `/tuf/v1/bootstrap`: starting a repository.

use http::StatusCode;
use spindrift_api::{
    BootstrapBody, BootstrapRequest, BootstrapSettings, BootstrapState, SignedFile, Waiting,
};
use spindrift_core::{Action, AppName};
use spindrift_db::repositories::RepositorySettings;
use spindrift_repository::events::EventKind;
use spindrift_repository::{
    AppKeys, AppRepository, Repository, RepositoryError, Start, default_settings, invalid_setting,
};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_trust::{Generations, Proposal, Purpose, RepositoryName, RoleName, Signed};
use spindrift_web::{ApiError, Request, Response, parse_parameter};

use crate::caller::{MAX_BODY_BYTES, app, app_name, cause};
use crate::config::lifetime;
use crate::render::{key, task_started};

pub(crate) fn state<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let app = app(&session, &app_name(request)?, Action::Sign)?;
    let repository = Repository::load(&session.conn, &app.id)?;
    let keys = AppKeys::read(ports, &app.id)?;
    let generations = repository.as_ref().map_or(Ok(Generations::FIRST), Repository::generations)?;
    let root = repository.as_ref().and_then(|repository| repository.root.as_ref()).map(Signed::role);
    let online = root.map(|root| root.online()).and_then(|online| online.key(online.keyids().first()?));
    let name = match &repository {
        Some(repository) => repository.name.clone(),
        None => RepositoryName { owner: session.owner().clone(), app: app.name.clone() },
    };
    let public = |purpose, generation| Ok::<_, Failure>(key(&keys.public(purpose, generation)?));
    let data = BootstrapState {
        bootstrap: repository.is_some(),
        state: repository.as_ref().and_then(waiting),
        id: repository.as_ref().map(|_| app.id.clone()),
        repository: name.to_string(),
        online_key: online
            .map_or_else(|| public(Purpose::Online, generations.online), |key_| Ok(key(key_)))?,
        next_online_key: public(Purpose::Online, generations.online.next())?,
        targets_key: public(Purpose::Targets, generations.targets)?,
        next_targets_key: public(Purpose::Targets, generations.targets.next())?,
    };
    let message =
        if data.bootstrap { "System LOCKED for bootstrap." } else { "System available for bootstrap." };
    private_json(StatusCode::OK, &BootstrapBody { data, message: message.to_owned() })
}

fn waiting(repository: &Repository) -> Option<Waiting> {
    match (&repository.root, &repository.timestamp) {
        (None, _) => Some(Waiting::Signing),
        (Some(_), None) => Some(Waiting::Waiting),
        (Some(_), Some(_)) => None,
    }
}

pub(crate) async fn begin<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    let body: BootstrapRequest = request.read_json(MAX_BODY_BYTES).await?;
    let name: AppName = parse_parameter("appName", &body.app_name)?;
    let settings =
        body.settings.map_or_else(|| Ok(default_settings()), |settings| parse_settings(&settings))?;
    let files = [("root", Some(&body.metadata.root)), ("targets", body.metadata.targets.as_ref())];
    let files = files.into_iter().filter_map(|(role, file)| Some((role, file?.0.get().as_bytes())));
    let first = Proposal::read(files).map_err(RepositoryError::from)?;
    let root = |file: &SignedFile| Signed::read(file.0.get().as_bytes());
    let old_roots =
        body.root_history.iter().map(root).collect::<Result<Vec<_>, _>>().map_err(RepositoryError::from)?;
    drop((body.metadata, body.root_history));
    let app = app(&session, &name, Action::Administer)?;
    let owner = (session.owner_id().clone(), session.owner().clone());
    let begun = Start { owner, first, old_roots, settings };
    let cause = cause(&session.principal, EventKind::Bootstrap);
    task_started(StatusCode::ACCEPTED, AppRepository::of(&session, &app.id).start(&app, begun, cause).await?)
}

/// Settings by role. 400 for a role that has no settings, or for a lifetime out of its range.
fn parse_settings(given: &BootstrapSettings) -> Result<RepositorySettings, RepositoryError> {
    let mut settings = default_settings();
    for (role, given) in &given.roles {
        let (role, lifetime) = lifetime(role, given.expiration)?;
        let days = match role {
            RoleName::Root => &mut settings.root_days,
            RoleName::Targets => &mut settings.targets_days,
            RoleName::Snapshot => &mut settings.snapshot_days,
            RoleName::Timestamp => &mut settings.timestamp_days,
            // Delegations, and the lifetimes of their lists, are part of signed metadata.
            RoleName::Channel(_) => {
                return Err(invalid_setting(
                    &format!("{role}_expiration"),
                    "lists of channels say it themselves",
                ));
            }
        };
        *days = lifetime.days();
    }
    Ok(settings)
}

pub(crate) async fn finish<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, request)?;
    session.require_fresh_login()?;
    let (name, query) = (app_name(request)?, request.query()?);
    let confirm = query.get("confirm").ok_or_else(|| ApiError::missing("confirm"))?;
    let app = app(&session, &name, Action::Administer)?;
    let cause = cause(&session.principal, EventKind::BootstrapDelete);
    task_started(StatusCode::ACCEPTED, AppRepository::of(&session, &app.id).end(confirm, &cause).await?)
}
