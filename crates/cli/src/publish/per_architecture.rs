//! One release with an upload for each architecture: a draft until all files are uploaded, and then
//! published as a whole.

use serde::Serialize;
use spindrift_api::{ErrorCode, OfferChangeBody, ReleaseBody, ReleaseData};
use spindrift_core::Id;

use super::existing_files::require_same;
use super::plan::UploadPlan;
use super::report::PublishReport;
use crate::context::Context;
use crate::error::CliError;
use crate::refusal::Refusal;
use crate::releases;
use crate::service::Service;

/// The result if an earlier run had uploaded all files.
#[derive(Serialize)]
struct ExistingRelease<'a> {
    #[serde(flatten)]
    release: &'a ReleaseBody,
    already_uploaded: bool,
}

/// Carries out the plans of all architectures, and publishes the release according to `data`.
/// `None`: an earlier run had uploaded everything, and only the remaining steps were done.
pub(super) async fn publish(
    context: &Context,
    (service, data): (&Service, &ReleaseData),
    plans: Vec<UploadPlan>,
    upload: impl AsyncFn(UploadPlan) -> Result<PublishReport, CliError>,
) -> Result<Option<PublishReport>, CliError> {
    let (mut report, mut refused): (Option<PublishReport>, Option<CliError>) = (None, None);
    for plan in plans {
        let arch = plan.data.arch.clone().unwrap_or_default();
        context.output.message(&format!("architecture {arch}: {} files", plan.files.large.len()));
        let (of_arch, files, progress) = (plan.data.clone(), plan.files.large.clone(), plan.progress.clone());
        match upload(plan).await {
            Ok(next) => {
                report = Some(match report {
                    Some(report) => report.merge(next),
                    None => next,
                });
            }
            Err(error) if is_there(&error) => {
                require_same(service, &of_arch, &files, &progress).await?;
                context.output.message(&format!("architecture {arch}: left as it is ({})", error.brief()));
                refused.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    match (report, refused) {
        (Some(report), _) => {
            offer(service, data, report.id()).await?;
            Ok(Some(report.with_publication(data)))
        }
        (None, Some(refused)) => finish(context, service, data, refused).await.map(|()| None),
        (None, None) => Err(CliError::usage("no files")),
    }
}

/// Whether an earlier run, or another job, has uploaded files of this kind.
fn is_there(error: &CliError) -> bool {
    matches!(error, CliError::Refused(Refusal { code: Some(ErrorCode::ArtifactExists), .. }))
}

/// Publishes a complete release, if it is still the draft that an interrupted run left.
async fn finish(
    context: &Context,
    service: &Service,
    data: &ReleaseData,
    refused: CliError,
) -> Result<(), CliError> {
    let release = releases::find_offers(service, &data.app_name, &data.version).await?;
    let is_draft = release.offers.iter().any(|offer| offer.own && offer.state == "draft");
    if !is_draft || !is_to_be_seen(data) {
        return Err(refused);
    }
    offer(service, data, &release.id).await?;
    let release = releases::offers_by_id(service, &release.id).await?;
    let text =
        format!("{} {}: the files were there already; it is published now", data.app_name, data.version);
    context.output.result(&ExistingRelease { release: &release, already_uploaded: true }, &text)
}

fn is_to_be_seen(data: &ReleaseData) -> bool {
    data.publish || data.publish_at.is_some()
}

/// Publishes or schedules the draft, if that was requested.
async fn offer(service: &Service, data: &ReleaseData, release: &Id) -> Result<(), CliError> {
    if !is_to_be_seen(data) {
        return Ok(());
    }
    let change = OfferChangeBody {
        publish: data.publish.then_some(true),
        publish_at: data.publish_at.clone().map(Some),
        ..OfferChangeBody::default()
    };
    match releases::post_action(service, release, "offer", &change).await {
        Err(CliError::Refused(refusal)) if refusal.status == 403 => {
            let (app, version) = (&data.app_name, &data.version);
            let text = format!(
                "all files of {app} {version} are uploaded, and it is still a draft: publishing a draft \
                 needs a token with the right `publish`. Run `spindrift release publish {version} --app \
                 \"{app}\"` with such a token or login"
            );
            Err(CliError::Refused(Refusal { text, ..refusal }))
        }
        answered => answered.map(drop),
    }
}
