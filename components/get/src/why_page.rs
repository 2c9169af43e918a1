//! The page that explains why a device gets no newer version.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_core::Version;
use spindrift_core::explain::{DeviceAnswer, DeviceExplanation};
use spindrift_db::latest::AppWithPage;
use spindrift_service::{Failure, Ports, links};
use spindrift_web::Response;

use crate::address::AppAddress;
use crate::frame::Frame;
use crate::why_form::WhyForm;

/// Everything on the page besides the answer.
pub(crate) struct WhyView<'a> {
    pub(crate) address: &'a AppAddress,
    pub(crate) app: &'a AppWithPage,
    pub(crate) form: &'a WhyForm,
}

impl WhyView<'_> {
    /// The form alone.
    pub(crate) fn form(&self, ports: &impl Ports) -> Result<Response, Failure> {
        self.show(ports, StatusCode::OK, &html! {
            p {
                "Find out why a device does not get a new version. The device id and the version are where the "
                "application shows them, for example in its \u{201c}About\u{201d} window."
            }
        })
    }

    /// The form, and what is wrong with it.
    pub(crate) fn problem(&self, ports: &impl Ports, problem: &str) -> Result<Response, Failure> {
        self.show(ports, StatusCode::BAD_REQUEST, &html! { p.bad role="alert" { (problem) } })
    }

    /// The answer, and the form for another question.
    pub(crate) fn answer(
        &self,
        ports: &impl Ports,
        version: &Version,
        explanation: &DeviceExplanation<'_>,
    ) -> Result<Response, Failure> {
        self.show(
            ports,
            StatusCode::OK,
            &html! {
                section aria-labelledby="answer" {
                    h2 #answer { "The answer" }
                    @if let Some(reason) = explanation.withdrawn {
                        p { "Version " (version) " was withdrawn: " (reason) }
                    }
                    p { (text(version, &explanation.answer)) }
                }
            },
        )
    }

    fn show(&self, ports: &impl Ports, status: StatusCode, above: &Markup) -> Result<Response, Failure> {
        let logo = links::logo_url(ports, &self.app.logo_key)?;
        let title = format!("{}: which version does my device get?", self.address.app);
        let content = html! {
            header {
                @if !logo.is_empty() { img src=(logo) alt="" width="64" height="64"; }
                h1 { (title) }
            }
            main { (above) (self.fields()) }
            footer { p { a href=(self.address.page()) { "Download " (self.address.app) } } }
        };
        let frame = Frame::new(&title).with_accent(self.app.page.color.as_ref()).with_logo(&logo);
        Ok(frame.show(status, &content))
    }

    fn fields(&self) -> Markup {
        let form = self.form;
        let field = |name: &str, label: &str, value: &str, is_required: bool| {
            html! {
                label { (label)
                    input name=(name) value=(value) required[is_required] autocomplete="off" spellcheck="false";
                }
            }
        };
        html! {
            form method="get" action=(self.address.why()) {
                (field("device", "Device id", &form.device, true))
                (field("version", "Version that the device has", &form.version, true))
                (field("platform", "Platform, such as linux (if the application shows one)", &form.platform, false))
                (field("arch", "Architecture, such as amd64 (likewise)", &form.arch, false))
                (field("channel", "Channel, such as beta (likewise)", &form.channel, false))
                (field("os_version", "Version of the operating system (optional)", &form.os_version, false))
                p { button type="submit" { "Explain" } }
            }
        }
    }
}

fn text(own: &Version, answer: &DeviceAnswer<'_>) -> String {
    match answer {
        DeviceAnswer::Offered(version) => {
            format!("Version {version} is available for this device. Let the application look for updates.")
        }
        DeviceAnswer::ShutOff => "The publisher has switched updates off for the moment.".to_owned(),
        DeviceAnswer::Unmet { version, requires } => format!(
            "Version {version} requires {requires}. This device has another system, or did not say which one."
        ),
        DeviceAnswer::NotYet(version) => format!(
            "Version {version} reaches devices one after another, and this device is not among them yet. \
             There is nothing wrong with it, and nothing to do."
        ),
        DeviceAnswer::Newest => format!("Version {own} is newer than the newest published version."),
        DeviceAnswer::UpToDate => {
            format!("Nothing newer than version {own} is available for this device at the moment.")
        }
        DeviceAnswer::NothingPublished => "Nothing is published for this system.".to_owned(),
    }
}
