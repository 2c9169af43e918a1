//! Settings that need another type than the table in [`spindrift_settings`] gives them.

use spindrift_auth::JwtKey;
use spindrift_core::{DownloadMode, InvalidNetwork, TrustedProxies};
use spindrift_settings::{
    API_URL, ENABLE_PRIVATE_APP_DOWNLOADING, JWT_SECRET, SettingError, TRUSTED_PROXIES,
};
use spindrift_storage::{PublicBase, StorageConfig};

use crate::{Ports, ServiceError};

/// `jwt_secret`: signs login tokens. At least 32 bytes, no default.
pub fn jwt_key(ports: &impl Ports) -> Result<JwtKey, ServiceError> {
    let secret = JWT_SECRET.read(ports)?;
    JwtKey::new(&secret).map_err(|_| JWT_SECRET.missing().into())
}

/// `enable_private_app_downloading`: who may download files of private applications that have no mode of
/// their own.
pub fn default_download_mode(ports: &impl Ports) -> Result<DownloadMode, ServiceError> {
    let open_to_all = ENABLE_PRIVATE_APP_DOWNLOADING.read(ports)?;
    Ok(if open_to_all { DownloadMode::Unlisted } else { DownloadMode::Login })
}

/// `api_url`: the public URL of the service, without a trailing slash.
pub fn api_url(ports: &impl Ports) -> Result<String, ServiceError> {
    Ok(API_URL.read(ports)?.trim_end_matches('/').to_owned())
}

/// `s3_public_url`: the base URL of public links.
pub fn public_base(ports: &impl Ports) -> Result<PublicBase, ServiceError> {
    PublicBase::read(ports).map_err(storage_failure)
}

/// `storage_driver` and all settings that begin with `s3_`.
pub fn storage(ports: &impl Ports) -> Result<StorageConfig, ServiceError> {
    StorageConfig::read(ports).map_err(storage_failure)
}

/// `trusted_proxies`: the proxies whose `X-Forwarded-For` is trusted.
pub fn trusted_proxies(ports: &impl Ports) -> Result<TrustedProxies, ServiceError> {
    let list = TRUSTED_PROXIES.read(ports)?;
    list.parse().map_err(|error: InvalidNetwork| TRUSTED_PROXIES.unusable(error.to_string()).into())
}

/// Only a bad value is an error of the storage settings; other failures concern the settings in general.
fn storage_failure(error: SettingError) -> ServiceError {
    match error {
        SettingError::Unusable { .. } => ServiceError::StorageSetting(error),
        _ => error.into(),
    }
}
