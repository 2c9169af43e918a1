//! Looks up groups of devices by name, because calls need ids.

use spindrift_api::{DeviceGroupEntry, DeviceGroupsBody};

use crate::error::CliError;
use crate::names::CallNames;
use crate::service::Service;
use crate::unknown::unknown;

/// The path of the calls about groups.
pub(crate) const PATH: &str = "/device-groups";

/// All groups of an application. CI tokens may list them too.
pub(crate) async fn all(service: &Service, app: &str) -> Result<DeviceGroupsBody, CliError> {
    match service.get(PATH).query(&[("app", app)]).json().await {
        Err(error) => Err(CallNames { app: Some(app), ..CallNames::default() }.explain(service, error).await),
        answered => answered,
    }
}

/// The group of an application with this name.
pub(crate) async fn find(service: &Service, app: &str, name: &str) -> Result<DeviceGroupEntry, CliError> {
    let DeviceGroupsBody { groups } = all(service, app).await?;
    let missing = not_found(app, name, &groups);
    groups.into_iter().find(|group| group.name == name).ok_or(missing)
}

/// Fails unless the application has all of these groups.
pub(crate) async fn require(service: &Service, app: &str, names: &[String]) -> Result<(), CliError> {
    if names.is_empty() {
        return Ok(());
    }
    let DeviceGroupsBody { groups } = all(service, app).await?;
    match names.iter().find(|name| !groups.iter().any(|group| group.name == **name)) {
        Some(name) => Err(not_found(app, name, &groups)),
        None => Ok(()),
    }
}

fn not_found(app: &str, name: &str, groups: &[DeviceGroupEntry]) -> CliError {
    let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    CliError::NotFound(unknown(&format!("group of {app}"), name, &names))
}
