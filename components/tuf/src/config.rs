//! `/tuf/v1/config`: the settings of a repository.

use http::StatusCode;
use spindrift_api::{RepositoryConfig, RepositoryConfigBody, RepositoryConfigRequest, RepositorySettings};
use spindrift_core::{Action, Timestamp};
use spindrift_db::repositories;
use spindrift_repository::events::EventKind;
use spindrift_repository::{
    AppKeys, AppRepository, Repository, RepositoryError, SettingsChange, invalid_setting, problems,
};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports};
use spindrift_trust::{KeepCount, Lifetime, RoleName, RootRole, Signed, Signers, TargetsSigner};
use spindrift_web::{Request, Response};

use crate::caller::{app, app_name, cause};
use crate::render::task_started;

pub(crate) fn show<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    // CI tokens may not read the settings, unlike the other data about a repository.
    let app = app(&session, &app_name(request)?, Action::Edit(spindrift_core::Resource::App))?;
    let repository = Repository::load(&session.conn, &app.id)?.ok_or(RepositoryError::NoRepository)?;
    let keys = AppKeys::read(ports, &app.id)?;
    let root = repository.root.as_ref().map(Signed::role);
    let ids = keys.ids(repository.generations()?)?;
    let signer = root.map(|root| TargetsSigner::of(root, &ids));
    let problems = problems(&repository, &keys, session.now)?;
    let data = config(&repository.row, root, signer == Some(TargetsSigner::Service), problems);
    private_json(StatusCode::OK, &RepositoryConfigBody { data, message: "Current Settings".to_owned() })
}

fn config(
    row: &repositories::Repository,
    root: Option<&RootRole>,
    targets_online_key: bool,
    problems: Vec<String>,
) -> RepositoryConfig {
    let settings = &row.settings;
    let number = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    let signers = |of: fn(&RootRole) -> Signers<'_>| {
        root.map_or((0, 0), |root| (number(of(root).threshold()), number(of(root).keyids().len())))
    };
    let (root_threshold, root_num_keys) = signers(RootRole::root);
    let (targets_threshold, targets_num_keys) = signers(RootRole::targets);
    let (online_threshold, online_num_keys) = signers(RootRole::online);
    RepositoryConfig {
        root_expiration: settings.root_days,
        root_threshold,
        root_num_keys,
        targets_expiration: settings.targets_days,
        targets_threshold,
        targets_num_keys,
        snapshot_expiration: settings.snapshot_days,
        snapshot_threshold: online_threshold,
        snapshot_num_keys: online_num_keys,
        timestamp_expiration: settings.timestamp_days,
        timestamp_threshold: online_threshold,
        timestamp_num_keys: online_num_keys,
        targets_online_key,
        keep: settings.keep,
        refresh_after: row.due_at.map(Timestamp::to_rfc3339),
        problems,
    }
}

pub(crate) async fn change<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    let body: RepositoryConfigRequest = request.read_json(MAX_JSON_BYTES).await?;
    let change = parse(&body.settings)?;
    let app = app(&session, &app_name(&request)?, Action::Administer)?;
    let cause = cause(&session.principal, EventKind::ConfigUpdate);
    task_started(StatusCode::ACCEPTED, AppRepository::of(&session, &app.id).configure(&change, cause).await?)
}

/// The change of settings. 400 `invalid settings: <key>: <rule>` for a setting that does not exist, or for a
/// value out of its range.
fn parse(given: &RepositorySettings) -> Result<SettingsChange, RepositoryError> {
    if let Some(unknown) = given.unknown.keys().next() {
        return Err(invalid_setting(unknown, "no such setting, only expiration and keep"));
    }
    let lifetimes = given.expiration.iter().map(|(role, days)| lifetime(role, *days));
    let refused = |keep: u8| invalid_setting("keep", format!("a number from 0 to 100, not {keep}"));
    let keep = given.keep.map(|keep| KeepCount::from_number(keep).ok_or_else(|| refused(keep)));
    Ok(SettingsChange { lifetimes: lifetimes.collect::<Result<_, _>>()?, keep: keep.transpose()? })
}

/// The lifetime of a role in days. 400 `invalid settings: <role>_expiration` if the role has none, or if it
/// is out of range.
pub(crate) fn lifetime(role: &str, days: u16) -> Result<(RoleName, Lifetime), RepositoryError> {
    let key = format!("{role}_expiration");
    let name: RoleName = role.parse().map_err(|_| invalid_setting(&key, "no such role"))?;
    let longest = name.lifetimes().longest.days();
    let out_of_range = || invalid_setting(&key, format!("1 to {longest} days, not {days}"));
    Ok((name.clone(), name.lifetimes().setting(days).ok_or_else(out_of_range)?))
}
