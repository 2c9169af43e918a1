//! Shuts off updates, after a page that asks for which clients and why.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{ShutoffCreateBody, ShutoffEntry};
use spindrift_core::MAX_PUBLIC_REASON_CHARS;
use spindrift_web::{Query, Request, Response};

use crate::address::segment;
use crate::{
    Address, Catalog, Confirm, ConsoleError, Context, DimensionNames, MenuEntry, Notice, Problem, Result,
    parts, respond,
};

/// Prefix of the service's message if the shut-off is in force, except for static answers.
const HOLDS: &str = "shut off";

/// The fields of the form.
#[derive(Debug, Default)]
struct ShutoffForm {
    channel: String,
    platform: String,
    reason: String,
}

impl ShutoffForm {
    fn of(form: &Query) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().to_owned();
        Self { channel: text("channel"), platform: text("platform"), reason: text("reason") }
    }

    /// An empty name means all clients.
    fn body(&self, app: &str) -> ShutoffCreateBody {
        let given = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
        ShutoffCreateBody {
            app: Some(app.to_owned()),
            channel: given(&self.channel),
            platform: given(&self.platform),
            reason: Some(self.reason.clone()),
        }
    }
}

/// `GET /console/apps/{app}/stop`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    question(context, &segment(request.path(), 2)?, &ShutoffForm::default(), None).await
}

/// `POST /console/apps/{app}/stop`.
pub(super) async fn stop(context: &Context<'_>, request: Request) -> Result<Response> {
    let app = segment(request.path(), 2)?;
    let filled = ShutoffForm::of(&context.form(request).await?);
    let call = Address::call("/shutoffs");
    let done: Result<ShutoffEntry> = context.service.send_json(Method::POST, &call, &filled.body(&app)).await;
    match done {
        Ok(_) => Ok(respond::see_other(&Notice::ShutOff.add_to(Address::page(["apps", &app])))),
        Err(error) => question(context, &app, &filled, Some(ShutoffFailure::of(error)?)).await,
    }
}

/// The result of a shut-off that did not completely succeed.
#[derive(Debug, PartialEq, Eq)]
enum ShutoffFailure {
    /// It was refused.
    Not(Problem),
    /// It is in force, but static answers are still outdated.
    NotEverywhere,
}

impl ShutoffFailure {
    fn of(error: ConsoleError) -> Result<Self> {
        match error {
            ConsoleError::Refused { status: StatusCode::BAD_GATEWAY, message, .. }
                if message.starts_with(HOLDS) =>
            {
                Ok(Self::NotEverywhere)
            }
            other => Ok(Self::Not(other.about_form()?)),
        }
    }

    fn problem(self) -> Problem {
        let text = "updates are shut off, and that holds. Only static answers in the CDN bucket could not be \
                    rewritten, and still offer updates. Try again; maintenance goes on trying as well.";
        match self {
            Self::Not(problem) => problem,
            Self::NotEverywhere => Problem::new(StatusCode::ACCEPTED, text),
        }
    }
}

/// The page that asks. `stopped`: the result of the form, if it was sent.
async fn question(
    context: &Context<'_>,
    app: &str,
    filled: &ShutoffForm,
    stopped: Option<ShutoffFailure>,
) -> Result<Response> {
    let (me, catalog) = context.with_me(Catalog::load_for(context, app)).await?;
    let _ = catalog.app_named(app)?;
    let names = DimensionNames::load(context, &me, &catalog, app).await?;
    let holds = stopped == Some(ShutoffFailure::NotEverywhere);
    let title =
        if holds { "Not stopped everywhere yet".to_owned() } else { format!("Stop updates of {app}?") };
    let page = Address::page(["apps", app]);
    let confirm = Confirm {
        title: &title,
        consequences: consequences(),
        button: if holds { "Try again" } else { "Shut updates off" },
        action: page.clone().with_segment("stop"),
        back: page.clone(),
    };
    let above = [("Overview", Address::page([])), (app, page)];
    let page = context.page("Stop everything", &me, MenuEntry::Overview).with_parents(&above);
    let page = page.with_problem(stopped.map(ShutoffFailure::problem));
    Ok(confirm.show_with(context, page, &fields(filled, &names)))
}

fn consequences() -> Markup {
    html! {
        p {
            "From the next check on, clients are offered nothing newer than what they have, until somebody \
             lifts the shut-off. "
            "Releases and their rollouts stay as they are."
        }
        p.hint { "To stop one release only, press Halt on its page." }
    }
}

fn fields(filled: &ShutoffForm, names: &DimensionNames) -> Markup {
    html! {
        (choice("channel", "Channel of the clients", &filled.channel, &names.channels))
        (choice("platform", "Their platform", &filled.platform, &names.platforms))
        label { "Why"
            input type="text" name="reason" value=(filled.reason) required maxlength=(MAX_PUBLIC_REASON_CHARS)
                autocomplete="off" autofocus;
        }
    }
}

/// All, or one of the existing names. A sent name stays in the list even if it no longer exists.
fn choice(field: &str, label: &str, chosen: &str, names: &[String]) -> Markup {
    let gone = Some(chosen).filter(|chosen| !chosen.is_empty() && !names.iter().any(|name| name == chosen));
    let choices = names.iter().map(String::as_str).chain(gone).map(|name| (name, name));
    parts::select(field, label, chosen, std::iter::once(("", "all")).chain(choices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_clients_are_no_names() {
        let body = |form: &str| ShutoffForm::of(&Query::parse(form).unwrap()).body("notes");
        let all = body("channel=&platform=&reason=it+crashes");
        assert_eq!((all.channel, all.platform), (None, None));
        assert_eq!((all.app.as_deref(), all.reason.as_deref()), (Some("notes"), Some("it crashes")));
        let some = body("channel=beta&platform=linux&reason=x");
        assert_eq!((some.channel.as_deref(), some.platform.as_deref()), (Some("beta"), Some("linux")));
    }

    #[test]
    fn a_shut_off_that_holds_is_told_from_a_refused_one() {
        let refused = |status, text: &str| ShutoffFailure::of(ConsoleError::refused(status, text)).ok();
        let remains = "shut off, but static answers remain; call again";
        assert_eq!(refused(StatusCode::BAD_GATEWAY, remains), Some(ShutoffFailure::NotEverywhere));
        assert_eq!(refused(StatusCode::BAD_GATEWAY, "storage failed"), None);
        let forbidden = ShutoffFailure::Not(Problem::new(StatusCode::FORBIDDEN, "not allowed"));
        assert_eq!(refused(StatusCode::FORBIDDEN, "not allowed"), Some(forbidden));
    }
}
