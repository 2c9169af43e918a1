//! The page that asks before more devices get a release that fails or failed.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::{ReleaseBody, ReleaseHealthBody, RolloutActionBody, RolloutActionName};
use spindrift_core::BasisPoints;
use spindrift_core::audit::MAX_REASON_CHARS;
use spindrift_web::{Query, Response};

use super::devices::Devices;
use super::requested_release::{CHANNEL, RequestedRelease};
use super::{failing_round, health};
use crate::release_state::{Caution, FailureFigures, caution, widens};
use crate::{Address, Confirm, Context, MenuEntry, Problem, Result, form_token, parts, rollout};

/// The form field of a confirmed order.
const CONFIRMED: &str = "confirmed";

/// A release that fails or failed, and an order that lets more devices have it.
struct Question<'q> {
    found: RequestedRelease,
    health: ReleaseHealthBody,
    caution: Caution,
    order: &'q RolloutActionBody,
    part: BasisPoints,
}

/// The page that asks. `None`: nothing has to be asked, or the form has the answer and a reason.
pub(super) async fn ask(
    context: &Context<'_>,
    (app, id): (&str, &str),
    form: &Query,
    order: &RolloutActionBody,
) -> Result<Option<Response>> {
    let is_confirmed = form.get(CONFIRMED).is_some();
    // Nothing that could fail comes before a stop.
    let is_stop = matches!(order.action, RolloutActionName::Pause | RolloutActionName::Halt);
    if is_stop || is_confirmed && order.reason.is_some() {
        return Ok(None);
    }
    let found = RequestedRelease::load(context, app, id, form.get(CHANNEL)).await?;
    let Some(question) = Question::of(context, found, order).await? else { return Ok(None) };
    let problem = is_confirmed.then(|| Problem::new(StatusCode::BAD_REQUEST, "say why, for the history"));
    question.show(context, form, problem).await.map(Some)
}

impl<'q> Question<'q> {
    async fn of(
        context: &Context<'_>,
        found: RequestedRelease,
        order: &'q RolloutActionBody,
    ) -> Result<Option<Self>> {
        let release: ReleaseBody =
            context.service.get(&Address::call("/releases").with_segment(found.release.id.as_str())).await?;
        let rollout = &found.offer(&release)?.rollout;
        let part = rollout.part();
        if !found.may_edit() || !widens(order, rollout::state(&rollout.state), part) {
            return Ok(None);
        }
        let Some(health) = health::load(context, &found.release).await? else { return Ok(None) };
        let caution = caution(&health);
        Ok(caution.map(|caution| Self { found, health, caution, order, part }))
    }

    async fn show(&self, context: &Context<'_>, form: &Query, problem: Option<Problem>) -> Result<Response> {
        let found = &self.found;
        let devices = Devices::of(context, &found.release).await?;
        let name = format!("{} {}", found.app.app_name, found.release.version);
        let (title, button) = self.title(&name);
        let confirm = Confirm {
            title: &title,
            consequences: self.consequences(&devices),
            button,
            action: found.address().with_segment("rollout"),
            back: found.address().with(CHANNEL, form.get(CHANNEL).unwrap_or_default()),
        };
        let above: Vec<_> =
            found.parent_pages().into_iter().chain([(&*found.release.version, found.address())]).collect();
        let problem = problem.unwrap_or_else(|| {
            let fails = if self.caution == Caution::Fails { "is failing" } else { "was failing" };
            Problem::new(StatusCode::CONFLICT, format!("{name} {fails}, so nothing was changed yet"))
        });
        let page = context.page("Confirm", &found.me, MenuEntry::Overview).with_parents(&above);
        Ok(confirm.show_with(context, page.with_problem(Some(problem)), &fields(form)))
    }

    /// The question, and the button.
    fn title(&self, name: &str) -> (String, &'static str) {
        match self.order.action {
            RolloutActionName::Resume => (format!("Resume {name}?"), "Resume it"),
            RolloutActionName::Complete => {
                (format!("Offer {name} to every device?"), "Offer it to every device")
            }
            RolloutActionName::Advance => (format!("Begin the next step of {name}?"), "Begin the next step"),
            RolloutActionName::Start => (format!("Start a plan for {name}?"), "Start the plan"),
            RolloutActionName::Set | RolloutActionName::Pause | RolloutActionName::Halt => {
                (format!("Offer {name} to {} %?", self.target()), "Raise it")
            }
        }
    }

    /// The percentage that a `set` asks for.
    fn target(&self) -> BasisPoints {
        let percent = self.order.percent.as_ref().and_then(BasisPoints::from_json);
        percent.unwrap_or(self.part)
    }

    fn consequences(&self, devices: &Devices) -> Markup {
        html! {
            @if let Some(figures) = FailureFigures::now(&self.health) {
                p { strong { "Now: " } (figures.sentence()) ". " (figures.why) }
                (health::figures_list(&figures))
            }
            (failing_round::mark(&self.health))
            @match self.order.action {
                RolloutActionName::Resume => p {
                    "Then " (self.part) " % of devices, " (rollout::devices_text(self.part, devices.all))
                    ", may have it again, and its failures are counted from zero."
                    @if self.caution == Caution::Fails { " The present step of a plan begins again with its whole time." }
                },
                RolloutActionName::Complete => p {
                    "Then every device may have it, " (parts::count(devices.all, "device")) " in 30 days."
                },
                RolloutActionName::Set => p {
                    "Then " (self.target()) " % of devices may have it, "
                    (rollout::devices_text(self.target(), devices.all)) "."
                },
                _ => p { "Then more devices get it." },
            }
        }
    }
}

/// The fields of the form, and a new reason.
fn fields(form: &Query) -> Markup {
    let own = |name: &str| matches!(name, CONFIRMED | "reason") || name == form_token::FIELD;
    let pairs = form.clone().into_pairs();
    html! {
        @for (name, value) in pairs.iter().filter(|(name, _)| !own(name)) {
            input type="hidden" name=(name) value=(value);
        }
        input type="hidden" name=(CONFIRMED) value="true";
        label { "Why"
            input type="text" name="reason" value=[form.get("reason")] required maxlength=(MAX_REASON_CHARS)
                autocomplete="off" aria-describedby="why" autofocus;
        }
        p #why .hint { "For the history, and beside the figures on the release's page." }
    }
}
