//! The parts of a release's page below its first screen.

use futures::future::{try_join, try_join3};
use maud::{Markup, html};
use spindrift_api::{DownloadCount, FailuresByVersionBody};

use super::forms::Forms;
use super::loaded_release::LoadedRelease;
use super::rollout::{self, OfferView};
use super::tab::ReleaseTab;
use super::{addresses, artifacts, conditions, failures, notes, offer, previous, promotion, receipt};
use crate::pages::{client, device_groups};
use crate::{Address, Catalog, Context, DimensionNames, Result, parts};

pub(super) struct TabContent<'t> {
    pub(super) loaded: &'t LoadedRelease,
    pub(super) offered: &'t OfferView<'t>,
    /// `None`: the visitor may not change the release.
    pub(super) forms: Option<&'t Forms<'t>>,
    pub(super) token: &'t str,
    pub(super) edits_notes: bool,
}

impl TabContent<'_> {
    pub(super) async fn show(&self, context: &Context<'_>, tab: ReleaseTab) -> Result<Markup> {
        match tab {
            ReleaseTab::Failures => self.failures(context).await,
            ReleaseTab::Files => self.files(context).await,
            ReleaseTab::Audience => self.audience(context).await,
            ReleaseTab::Settings => Ok(self.settings()),
            ReleaseTab::History => Ok(self.history()),
        }
    }

    async fn failures(&self, context: &Context<'_>) -> Result<Markup> {
        let found = &self.loaded.found;
        let failed = Address::call("/reports/versions").with("app", &found.app.app_name);
        let (before, failed) = try_join(
            previous::previous_version(context, &found.release),
            context.service.get::<FailuresByVersionBody>(&failed),
        )
        .await?;
        let (version, health) = (&found.release.version, self.loaded.health.as_ref());
        Ok(failures::section(&found.app, version, before.as_deref(), &failed.versions, health))
    }

    async fn files(&self, context: &Context<'_>) -> Result<Markup> {
        let found = &self.loaded.found;
        let catalog = Catalog::load_for(context, &found.app.app_name).await?;
        Ok(html! {
            (notes::section(found, self.edits_notes, self.token))
            (artifacts::section(found, &self.loaded.release))
            (self.sums())
            (addresses::section(&context.api_url, found, &catalog.platforms))
        })
    }

    fn sums(&self) -> Markup {
        let release = &self.loaded.found.release;
        let downloads = &self.loaded.devices.downloads;
        let size = release.artifacts.iter().map(|artifact| artifact.size).sum();
        html! {
            p.hint {
                (parts::count(release.artifacts.len() as u64, "file")) ", " (parts::size(size)) ", created "
                (parts::time(&release.created_at))
                @if !downloads.is_empty() { ". Downloads reported in 30 days: " (downloads_text(downloads)) }
                "."
            }
        }
    }

    async fn audience(&self, context: &Context<'_>) -> Result<Markup> {
        let LoadedRelease { found, release, .. } = self.loaded;
        let app = &found.app.app_name;
        let ((receipt, groups), before, catalog) = try_join3(
            try_join(receipt::load(context, &found.release), device_groups::load(context, app)),
            previous::previous_version(context, &found.release),
            Catalog::load_for(context, app),
        )
        .await?;
        let names = DimensionNames::load(context, &found.me, &catalog, app).await?;
        let before = before.as_deref();
        let versions = before.into_iter().chain([found.release.version.as_str()]);
        let versions: Vec<String> = versions.map(ToOwned::to_owned).collect();
        Ok(html! {
            (receipt::section(&receipt))
            (client::section(app, &client::ClientForm::for_release(&found.release, before), &names, &versions))
            (conditions::sections(found, release, self.offered.offer, &groups, self.forms))
            (promotion::section(found, release, &catalog.channels, self.forms))
        })
    }

    fn settings(&self) -> Markup {
        let found = &self.loaded.found;
        html! {
            (rollout::guard_section(self.offered, self.forms, found.app.reports))
            (offer::section(found, self.token))
            @if found.may_delete() {
                section {
                    h2 { "Delete" }
                    p { a.button.danger href=(found.address().with_segment("delete")) { "Delete this release" } }
                }
            }
        }
    }

    fn history(&self) -> Markup {
        let found = &self.loaded.found;
        let history = Address::page(["history"]).with("release", &found.release.id);
        self.loaded.recent.section("History", &history, found.me.is_admin, |_, _| None)
    }
}

/// Clients report downloads only if their application is built to do so.
fn downloads_text(counts: &[DownloadCount]) -> String {
    let of = |count: &DownloadCount| format!("{} {}", parts::number(count.count), count.way_name());
    counts.iter().map(of).collect::<Vec<_>>().join(", ")
}
