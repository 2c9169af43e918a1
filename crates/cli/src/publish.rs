//! `publish`: uploads the files of a release from this machine to the object storage.
//!
//! 1. [`files`]: finds the files. Feed files are recognised by name and sent inline.
//! 2. [`digest`]: computes the MD5 of every file. It is part of the signed upload URLs, so nothing can be
//!    sent earlier. For applications with TUF enabled it also computes SHA-256 and SHA-512.
//! 3. [`session`]: the service answers with a URL for each file. A small private file stores the URLs and the
//!    progress, so that a killed run can be resumed.
//! 4. [`transfer`]: sends several files at a time, with retries, and large ones in [`parts`]. With
//!    `--digests`, it computes SHA-256 and SHA-512 from the bytes it sends if they were not needed before.
//! 5. [`complete`]: the service records the release, all or nothing. [`regular`] replaces steps 3-5
//!    if the storage cannot presign.
//! 6. [`sign`]: if the application has signed metadata, signs and sends a list with exactly these
//!    files.

mod architectures;
mod block_maps;
mod body;
mod complete;
pub(crate) mod digest;
mod existing_files;
pub(crate) mod files;
pub(crate) mod limits;
mod parts;
mod patches;
mod per_architecture;
mod plan;
pub(crate) mod progress;
mod regular;
pub(crate) mod release;
mod report;
pub(crate) mod retry;
mod running_upload;
mod send;
mod session;
mod sign;
mod stall;
mod state_file;
mod transfer;
mod updater;
mod upload;
mod zsync;

use clap::Args;
use spindrift_api::ReleaseData;

use self::files::ReleaseFiles;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::groups;
use crate::receipt::{self, Strict};
use crate::releases;
use crate::service::Service;
use crate::stop;
use crate::trust::options::{SigningOptions, TrustOptions};
use crate::trust::published::{PublishedTrust, Publisher};

#[derive(Debug, Args)]
pub(crate) struct PublishCommand {
    /// Files, or patterns like `dist/*`. Feed files (RELEASES, *.yml, appcast*.xml, releases.<channel>.json)
    /// are recognised by name.
    #[arg(required = true, value_name = "FILES")]
    files: Vec<String>,
    #[command(flatten)]
    release: release::ReleaseOptions,
    #[command(flatten)]
    architectures: architectures::ArchOptions,
    /// The application has TUF enabled: send SHA-256 and SHA-512. Needed only with CI tokens, which cannot
    /// look this up. Without it, such an upload is sent twice.
    #[arg(long)]
    tuf: bool,
    /// Also show SHA-256 and SHA-512 of every file if the service does not need them. They are computed
    /// during the transfer, which slows down a fast storage.
    #[arg(long)]
    digests: bool,
    #[command(flatten)]
    trust: TrustOptions,
    #[command(flatten)]
    signing: SigningOptions,
    #[command(flatten)]
    patches: patches::PatchOptions,
    #[command(flatten)]
    limits: limits::UploadLimits,
    /// Show who would get the release, and send nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    strict: Strict,
}

/// Uploads files like `publish`, for an application without signing keys.
pub(crate) async fn publish_files(
    context: &Context,
    service: &Service,
    data: ReleaseData,
    files: ReleaseFiles,
    limits: limits::UploadLimits,
) -> Result<(), CliError> {
    let plan = plan::UploadPlan {
        service: service.clone(),
        progress: progress::Progress::new(context.output),
        folder: context.paths.uploads(),
        limits,
        digests: false,
        data,
        files,
    };
    upload::upload(&plan, false, false).await.map(drop)
}

/// Fails on unknown names before any file is hashed.
async fn check(plan: &plan::UploadPlan) -> Result<(), CliError> {
    upload::check_names(plan).await?;
    groups::require(&plan.service, &plan.data.app_name, &plan.data.groups).await
}

impl PublishCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let mut data = self.release.data()?;
        let mut files = files::find(&self.files)?;
        updater::infer(&mut data, &files, context.output)?;
        let _rebuilt = block_maps::check(&mut files, self.patches.rebuild_block_maps)?;
        let service = context.authenticated()?;
        stop::explain(
            context.output,
            "run the same command again to continue; files that the storage has are not sent again",
        );
        let (plans, is_split) = self.plans(context, &service, &data, files).await?;
        for plan in &plans {
            check(plan).await?;
        }
        if let Some(outcome) = show_expected_receipt(context, &plans, self.dry_run, self.strict).await? {
            return Ok(outcome);
        }
        let upload = async |plan: plan::UploadPlan| self.upload(context, plan).await;
        let uploaded = if is_split {
            per_architecture::publish(context, (&service, &data), plans, upload).await?
        } else {
            let mut uploaded = None;
            for plan in plans {
                uploaded = Some(upload(plan).await?);
            }
            uploaded
        };
        let Some(mut report) = uploaded else { return Ok(Outcome::Done) };
        if let Some(id) = report.scheduled_release() {
            // The files are uploaded, so a failure to fetch the release is not a failed upload.
            let release = releases::offers_by_id(&service, id).await.ok();
            report.add_release_state(release);
        }
        report.receipt = receipt::after_change(context, &service, report.id(), None).await;
        context.output.result(&report, &report.as_text())?;
        let is_waiting = report.trust.as_ref().is_some_and(PublishedTrust::is_waiting);
        Ok(if is_waiting { Outcome::Waiting } else { Outcome::Done })
    }

    /// One plan for each architecture of the files, and whether the command itself sorted the files
    /// into architectures.
    async fn plans(
        &self,
        context: &Context,
        service: &Service,
        data: &ReleaseData,
        files: ReleaseFiles,
    ) -> Result<(Vec<plan::UploadPlan>, bool), CliError> {
        let Some(parts) = self.architectures.split(&files, data)? else {
            return Ok((vec![self.plan(context, service, data.clone(), files)], false));
        };
        let names = architectures::resolve(service, data, &parts).await?;
        let of_arch = |(arch, files): (String, ReleaseFiles)| {
            self.plan(context, service, architectures::data_of(data, &arch, &files), files)
        };
        Ok((architectures::by_name(parts, names).into_iter().map(of_arch).collect(), true))
    }

    fn plan(
        &self,
        context: &Context,
        service: &Service,
        data: ReleaseData,
        files: ReleaseFiles,
    ) -> plan::UploadPlan {
        plan::UploadPlan {
            service: service.clone(),
            progress: progress::Progress::new(context.output),
            folder: context.paths.uploads(),
            limits: self.limits.clone(),
            digests: self.digests,
            data,
            files,
        }
    }

    /// Uploads the files of one platform and architecture, together with files generated from them,
    /// and signs them.
    async fn upload(
        &self,
        context: &Context,
        mut plan: plan::UploadPlan,
    ) -> Result<report::PublishReport, CliError> {
        let app = plan.data.app_name.clone();
        let publisher = Publisher::find(context, &plan.service, &app, &self.trust, &self.signing).await?;
        // The temporary folders with generated files must live until the files are sent.
        let owner = context.owner(None).ok();
        let _zsync = self.patches.zsync.then(|| zsync::make(&mut plan, owner.as_deref())).transpose()?;
        let made = patches::make(&plan, &self.patches).await?;
        if let Some(made) = &made {
            made.add_to(&mut plan);
        }
        let mut report = upload::upload(&plan, self.tuf || made.is_some(), publisher.is_some()).await?;
        if let Some(publisher) = publisher {
            let signed = sign::sign(&plan, &report, publisher).await?;
            report.trust = Some(signed);
        }
        Ok(report)
    }
}

/// Shows the receipt before anything is sent. `None`: the upload continues.
async fn show_expected_receipt(
    context: &Context,
    plans: &[plan::UploadPlan],
    dry_run: bool,
    strict: Strict,
) -> Result<Option<Outcome>, CliError> {
    if !dry_run && !strict.is_on() {
        return Ok(None);
    }
    let mut receipts = Vec::new();
    for plan in plans {
        let files = plan.files.large.iter().chain(&plan.files.feeds).map(|file| file.name.clone());
        let found = receipt::of_upload(&plan.service, &plan.data, files.collect()).await?;
        receipts.push((plan.data.arch.clone().unwrap_or_default(), found));
    }
    let Some(found) = receipt::merge(receipts) else { return Ok(None) };
    if !dry_run && !receipt::has_gaps(&found) {
        return Ok(None);
    }
    context.output.result(&found, &receipt::as_text(&found))?;
    Ok(Some(strict.outcome(&found)))
}
