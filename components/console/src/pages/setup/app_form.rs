//! The form of an application.

use maud::{Markup, html};
use spindrift_api::{AppData, AppEntry, Switch};
use spindrift_web::Form;

use super::cut_off::FORCE;
use crate::parts;

/// The fields of the form, as sent or shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, as in the call")]
pub(super) struct AppForm {
    /// `None`: a new application.
    pub(super) id: Option<String>,
    pub(super) name: String,
    description: String,
    private: bool,
    tuf: bool,
    reports: bool,
    cdn: bool,
    /// Empty: the service's default.
    download_mode: String,
    get_page: bool,
    /// Empty: the service's color.
    get_page_color: String,
    require_publisher: bool,
    /// Whether to make the change even if it cuts off installed copies.
    is_forced: bool,
}

const MODES: [(&str, &str); 3] = [
    ("login", "users with permission"),
    ("token", "those, and copies with a download token"),
    ("unlisted", "anyone who knows the address"),
];

const PUBLISHERS_ONLY: &str = "Trusted publishing only: nothing but a registered CI job may upload";

const PRIVATE: &str = "Private: only users and copies with the right to download get its files";

impl AppForm {
    pub(super) fn of_entry(app: &AppEntry) -> Self {
        Self {
            id: Some(app.id.to_string()),
            name: app.app_name.clone(),
            description: app.description.clone(),
            private: app.private,
            tuf: app.tuf,
            reports: app.reports,
            cdn: app.cdn_edge,
            download_mode: app.download_mode.to_string(),
            get_page: app.get_page,
            get_page_color: app.get_page_color.clone(),
            require_publisher: app.require_publisher,
            is_forced: false,
        }
    }

    pub(super) fn read(id: Option<String>, sent: &Form) -> Self {
        let text = |name| sent.field(name).unwrap_or_default().to_owned();
        let on = |name| sent.field(name).is_some();
        Self {
            id,
            name: text("name"),
            // Browsers send line breaks as CR LF.
            description: text("description").replace("\r\n", "\n"),
            private: on("private"),
            tuf: on("tuf"),
            reports: on("reports"),
            cdn: on("cdn"),
            download_mode: text("download_mode"),
            get_page: on("get_page"),
            get_page_color: text("get_page_color").trim().to_owned(),
            require_publisher: on("require_publisher"),
            is_forced: on(FORCE),
        }
    }

    /// The field `data` of the call.
    pub(super) fn data(&self) -> AppData {
        let on = |is_on| Some(Switch(is_on));
        AppData {
            id: self.id.clone(),
            app: Some(self.name.clone()),
            description: Some(self.description.clone()),
            private: on(self.private),
            tuf: on(self.tuf),
            reports: on(self.reports),
            cdn: on(self.cdn),
            download_mode: Some(self.download_mode.clone()).filter(|mode| !mode.is_empty()),
            get_page: on(self.get_page),
            get_page_color: Some(self.get_page_color.clone()),
            require_publisher: on(self.require_publisher),
            force: self.is_forced.then_some(Switch(true)),
        }
    }

    /// The fields. `logo`: the address of the current one, or empty.
    pub(super) fn fields(&self, logo: &str) -> Markup {
        let default = self.download_mode.is_empty().then_some(("", "as the service is set up"));
        let modes = default.into_iter().chain(MODES);
        let switch = |name, label, is_on| parts::check(name, "true", label, is_on);
        html! {
            (parts::new_name(&self.name))
            label { "Description" textarea name="description" maxlength="10000" { (self.description) } }
            label { "Logo"
                input type="file" name="file" accept="image/png,image/jpeg,image/gif,image/webp"
                    aria-describedby="logo-hint";
            }
            p.hint #logo-hint {
                @if !logo.is_empty() { img.logo src=(logo) alt="The current logo" width="28" height="28"; " " }
                "PNG, JPEG, GIF or WebP, at most 1 MiB. Without a choice, it does not change."
            }
            fieldset {
                legend { "Settings" }
                (switch("private", PRIVATE, self.private))
                p.hint {
                    "Versions, release notes and file names of published releases stay public: "
                    "anyone with the names of the owner and the application can read them."
                }
                (parts::select("download_mode", "Files of a private application are for", &self.download_mode, modes))
                (switch("tuf", "Signed metadata: clients take only files that you have signed", self.tuf))
                (switch("require_publisher", PUBLISHERS_ONLY, self.require_publisher))
                (switch("reports", "Reports: copies may report failures", self.reports))
                (switch("cdn", "Static answers for an edge", self.cdn))
                (switch("get_page", "Download page: users have a page to get the newest release from", self.get_page))
                label { "Color of the download page"
                    input name="get_page_color" value=(self.get_page_color) maxlength="7"
                        placeholder="#0a5f86" aria-describedby="color-hint";
                }
                p.hint #color-hint { "Six hexadecimal digits after #. Leave it empty for the service's color." }
            }
        }
    }
}
