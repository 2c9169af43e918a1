//! The owner's names for processors.

use spindrift_api::{ArchEntry, ArchsBody, ReleaseData, UploadInitBody};

use super::part::{ArchPart, FileArch};
use crate::commands::catalog;
use crate::error::CliError;
use crate::refusal::Refusal;
use crate::service::{Service, field};

/// Prefix of the answer to an upload for an architecture that does not exist.
const UNKNOWN: &str = "unknown arch";

/// The owner's name for the architecture of each part.
pub(in crate::publish) async fn resolve(
    service: &Service,
    data: &ReleaseData,
    parts: &[ArchPart],
) -> Result<Vec<String>, CliError> {
    let listed = match catalog::list::<ArchEntry>(service).await {
        Ok(ArchsBody { archs }) => Some(archs.into_iter().map(|entry| entry.arch_name).collect::<Vec<_>>()),
        // A CI token may not list architectures.
        Err(CliError::Refused(Refusal { status: 403, .. })) => None,
        Err(error) => return Err(error),
    };
    let mut names = Vec::with_capacity(parts.len());
    for part in parts {
        let name = match &part.arch {
            FileArch::Named(name) => name.to_string(),
            FileArch::Of(processor) => of_processor(service, data, listed.as_deref(), processor.names())
                .await?
                .ok_or_else(|| unknown_arch(part, processor.names()))?,
        };
        names.push(name);
    }
    Ok(names)
}

/// The first of these names that the owner has. `None`: there is none. `listed`: all names, if the
/// caller may list them.
async fn of_processor(
    service: &Service,
    data: &ReleaseData,
    listed: Option<&[String]>,
    names: &[&'static str],
) -> Result<Option<String>, CliError> {
    for name in names {
        let is_there = match listed {
            Some(listed) => listed.iter().any(|other| other == name),
            None => is_known(service, data, name).await?,
        };
        if is_there {
            return Ok(Some((*name).to_owned()));
        }
    }
    Ok(None)
}

/// Requests an upload without files. The service resolves the names before it refuses this.
async fn is_known(service: &Service, data: &ReleaseData, arch: &str) -> Result<bool, CliError> {
    let data = ReleaseData { arch: Some(arch.to_owned()), ..data.clone() };
    let form = [("data", field(&data)), ("files", "[]".to_owned())];
    match service.post("/upload/init").form(&form).json::<UploadInitBody>().await {
        Err(CliError::Refused(refusal)) if refusal.text.starts_with(UNKNOWN) => Ok(false),
        Err(CliError::Refused(Refusal { status: 400 | 409 | 501, .. })) | Ok(_) => Ok(true),
        Err(error) => Err(error),
    }
}

fn unknown_arch(part: &ArchPart, names: &[&str]) -> CliError {
    let file = part.files.large.first().map_or("these files", |file| file.name.as_str());
    let name = names.first().copied().unwrap_or_default();
    CliError::NotFound(format!(
        "{file}: there is no architecture {}: create one (spindrift arch create {name}), or say yours with \
         --arch-of \"*-{name}*=ARCH\"",
        names.join(", ")
    ))
}
