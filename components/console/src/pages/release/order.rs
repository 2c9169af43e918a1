//! Actions on a release and on its rollout.

use http::{Method, StatusCode};
use serde::Serialize;
use spindrift_api::{ReleaseBody, RolloutActionBody, RolloutActionName};
use spindrift_core::{BasisPoints, Plan};
use spindrift_web::{Query, Request, Response};

use super::entered_values::{EnteredValues, FormRefusal};
use super::requested_release::{CHANNEL, address};
use super::tab::page_after;
use super::{confirmation, page, skip};
use crate::address::segment;
use crate::force_confirmation::FORCE;
use crate::{Address, ConsoleError, Context, Notice, Problem, Result, respond};

/// A sent form on a release's page.
pub(super) struct SentForm {
    app: String,
    id: String,
    pub(super) form: Query,
    /// The channel to show the release in afterwards. `None`: as before.
    next: Option<String>,
}

fn refusal(error: ConsoleError) -> Result<FormRefusal> {
    Ok(match error {
        error @ ConsoleError::ReleaseChanged => FormRefusal::Changed(error.about_form()?),
        error => FormRefusal::Problem(error.about_form()?),
    })
}

impl SentForm {
    pub(super) async fn read(context: &Context<'_>, request: Request) -> Result<Self> {
        let (app, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
        Ok(Self { app, id, form: context.form(request).await?, next: None })
    }

    /// Takes the action. If it is refused, shows the page again with the sent values. `call`: the
    /// last segment of the path. `body`: `Err` is the mistake, for people. `notice`: computed from
    /// the release after the action.
    pub(super) async fn send(
        self,
        context: &Context<'_>,
        call: &str,
        body: Result<impl Serialize, String>,
        notice: impl FnOnce(&ReleaseBody) -> Notice,
    ) -> Result<Response> {
        let refusal = match body {
            Ok(body) => {
                let (last, call) =
                    (call, Address::call("/releases").with_segment(&self.id).with_segment(call));
                match context.service.send_json(Method::POST, &call, &body).await {
                    Ok(done) => {
                        let channel = self.next.as_deref().or_else(|| self.form.get(CHANNEL));
                        return Ok(respond::see_other(&notice(&done).add_to(self.page(channel))));
                    }
                    Err(ConsoleError::WouldCutOff(problem)) => {
                        return self.ask_to_skip(context, &problem, last).await;
                    }
                    Err(error) => refusal(error)?,
                }
            }
            Err(text) => FormRefusal::Problem(Problem::new(StatusCode::BAD_REQUEST, text)),
        };
        self.show_refusal(context, refusal).await
    }

    /// Ends a promotion. The release is then shown in its own channel.
    pub(super) async fn demote(self, context: &Context<'_>) -> Result<Response> {
        let call = Address::call("/releases").with_segment(&self.id).with_segment("offer");
        let call = call.with(CHANNEL, self.form.get(CHANNEL).unwrap_or_default());
        let call = if self.form.get(FORCE).is_some() { call.with(FORCE, true) } else { call };
        match context.service.delete::<ReleaseBody>(&call).await {
            Ok(_) => Ok(respond::see_other(&Notice::Offered.add_to(self.page(None)))),
            Err(ConsoleError::WouldCutOff(problem)) => self.ask_to_skip(context, &problem, "demote").await,
            Err(error) => {
                let refusal = refusal(error)?;
                self.show_refusal(context, refusal).await
            }
        }
    }

    /// Asks whether devices may skip the release. `last`: the last segment of the form's address.
    async fn ask_to_skip(self, context: &Context<'_>, problem: &str, last: &str) -> Result<Response> {
        let back = self.page(self.form.get(CHANNEL));
        let action = address(&self.app, &self.id).with_segment(last);
        skip::ask(context, problem, (action, back), self.form).await
    }

    async fn show_refusal(self, context: &Context<'_>, refusal: FormRefusal) -> Result<Response> {
        let entered = EnteredValues::of(&self.form).with_refusal(refusal);
        page::show_again(context, (&self.app, &self.id), self.form.get(CHANNEL), entered).await
    }

    /// The page of the release in a channel.
    fn page(&self, channel: Option<&str>) -> Address {
        page_after(address(&self.app, &self.id).with(CHANNEL, channel.unwrap_or_default()), &self.form)
    }

    /// After success, shows the release in another channel.
    pub(super) fn with_channel(self, channel: Option<String>) -> Self {
        Self { next: channel, ..self }
    }
}

/// `POST /console/apps/{app}/releases/{id}/rollout`.
pub(super) async fn order(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = SentForm::read(context, request).await?;
    let body = body(&sent.form);
    if let Ok(order) = &body
        && let Some(question) = confirmation::ask(context, (&sent.app, &sent.id), &sent.form, order).await?
    {
        return Ok(question);
    }
    let notice = body.as_ref().map_or(Notice::Saved, |body| notice(body.action));
    sent.send(context, "rollout", body, |_| notice).await
}

fn notice(action: RolloutActionName) -> Notice {
    match action {
        RolloutActionName::Start => Notice::Planned,
        RolloutActionName::Pause => Notice::Paused,
        RolloutActionName::Halt => Notice::Halted,
        RolloutActionName::Set
        | RolloutActionName::Resume
        | RolloutActionName::Advance
        | RolloutActionName::Complete => Notice::Offered,
    }
}

/// The action of a form's button. `Err`: the mistake, for people.
fn body(form: &Query) -> Result<RolloutActionBody, String> {
    use RolloutActionName::{Advance, Complete, Halt, Pause, Resume, Set, Start};
    let text = |name: &str| form.get(name).unwrap_or_default().trim();
    let (action, percent, plan) = match (form.get("set"), text("action")) {
        (Some(stage), _) => (Set, Some(percent(stage)?), None),
        (None, "set") => (Set, Some(percent(text("percent"))?), None),
        (None, "start") => {
            let plan: Plan = text("plan").parse().map_err(|error| format!("{error}"))?;
            (Start, None, Some(plan.to_json()))
        }
        (None, "pause") => (Pause, None, None),
        (None, "resume") => (Resume, None, None),
        (None, "advance") => (Advance, None, None),
        (None, "complete") => (Complete, None, None),
        (None, "halt") => (Halt, None, None),
        _ => return Err("the form is incomplete".to_owned()),
    };
    // For a lower percentage, the service skips the revision check itself, because that is a stop.
    let if_revision = match action {
        Pause | Halt => None,
        Start | Set | Resume | Advance | Complete => form_revision(form)?,
    };
    Ok(RolloutActionBody { action, percent, plan, channel: channel(form), if_revision, reason: reason(form) })
}

/// The revision that the form was made for.
pub(super) fn form_revision(form: &Query) -> Result<Option<i64>, String> {
    form.optional("if_revision").map_err(|error| error.to_string())
}

/// The channel of the form's offer.
pub(super) fn channel(form: &Query) -> Option<String> {
    form.get(CHANNEL).filter(|channel| !channel.is_empty()).map(ToOwned::to_owned)
}

/// The reason in the form, if given.
pub(super) fn reason(form: &Query) -> Option<String> {
    let reason = form.get("reason").unwrap_or_default().trim();
    Some(reason).filter(|reason| !reason.is_empty()).map(ToOwned::to_owned)
}

fn percent(text: &str) -> Result<serde_json::Value, String> {
    let percent: BasisPoints = text.parse().map_err(|error| format!("{error}"))?;
    Ok(percent.to_json())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(form: &str) -> Result<serde_json::Value, String> {
        body(&Query::parse(form).unwrap()).map(|body| serde_json::to_value(body).unwrap())
    }

    #[test]
    fn each_button_is_an_order() {
        for (form, expected) in [
            (
                "set=25&percent=7&if_revision=3&reason=",
                json!({ "action": "set", "percent": 25, "if_revision": 3 }),
            ),
            (
                "action=set&percent=0.1&if_revision=3",
                json!({ "action": "set", "percent": 0.1, "if_revision": 3 }),
            ),
            ("action=complete&percent=&if_revision=3", json!({ "action": "complete", "if_revision": 3 })),
            ("action=resume&if_revision=3", json!({ "action": "resume", "if_revision": 3 })),
            (
                "action=advance&if_revision=3&channel=stable",
                json!({ "action": "advance", "if_revision": 3, "channel": "stable" }),
            ),
            ("action=advance&if_revision=3", json!({ "action": "advance", "if_revision": 3 })),
            (
                "action=start&plan=+0.1%3A12h%2C100+&if_revision=3&reason=go",
                json!({
                    "action": "start", "plan": [{ "percent": 0.1, "for": "12h" }, { "percent": 100 }],
                    "if_revision": 3, "reason": "go",
                }),
            ),
        ] {
            assert_eq!(sent(form), Ok(expected), "{form}");
        }
    }

    #[test]
    fn stops_do_not_depend_on_what_was_seen() {
        for action in ["halt", "pause"] {
            let form = format!("action={action}&percent=x&if_revision=3&reason=+crashes+");
            assert_eq!(sent(&form), Ok(json!({ "action": action, "reason": "crashes" })));
        }
    }

    #[test]
    fn mistakes_are_told() {
        for (form, mistake) in [
            ("action=set&percent=", "invalid percentage: 0 to 100, with up to two decimals"),
            ("set=101", "invalid percentage: 0 to 100, with up to two decimals"),
            (
                "action=start&plan=5%2C5%2C100",
                "invalid plan: step 2: the percentage is not above that of the step before",
            ),
            ("action=start", "invalid plan: step 1: the percentage is 0 to 100, with up to two decimals"),
            ("action=stop", "the form is incomplete"),
            ("", "the form is incomplete"),
        ] {
            assert_eq!(sent(form), Err(mistake.to_owned()), "{form}");
        }
    }
}
