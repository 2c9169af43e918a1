//! A page: the frame around its content, and the response.

use std::borrow::Cow;

use http::StatusCode;
use maud::{DOCTYPE, Markup, html};
use spindrift_web::Response;

use crate::menu::Menu;
use crate::respond::Policy;
use crate::{Address, Notice, Problem, assets, parts, respond};

/// How often an open page asks whether it has changed, in seconds.
const LIVE: u32 = 5;
const OFTEN: u32 = 30;
const RARELY: u32 = 60;

/// A page without its content.
pub(crate) struct ConsolePage<'a> {
    /// The title of the tab, before the product's name.
    title: Cow<'a, str>,
    /// `None`: the visitor is not logged in.
    menu: Option<Menu<'a>>,
    /// The parent pages, with their names.
    above: &'a [(&'a str, Address)],
    /// The result of the form that redirected here.
    notice: Option<Notice>,
    /// Why the form failed, if the page is shown again for it.
    problem: Option<Problem>,
    script: Option<&'static str>,
    refresh_seconds: Option<u32>,
    policy: Policy,
}

impl<'a> ConsolePage<'a> {
    /// A page without a menu.
    pub(crate) fn new(title: impl Into<Cow<'a, str>>) -> Self {
        Self {
            title: title.into(),
            menu: None,
            above: &[],
            notice: None,
            problem: None,
            script: None,
            refresh_seconds: None,
            policy: Policy::default(),
        }
    }

    /// Adds the menu of the logged-in user.
    pub(crate) fn with_menu(self, menu: Menu<'a>) -> Self {
        Self { menu: Some(menu), ..self }
    }

    /// Sets the parent pages, with their names.
    pub(crate) fn with_parents(self, above: &'a [(&'a str, Address)]) -> Self {
        Self { above, ..self }
    }

    pub(crate) fn with_notice(self, notice: Option<Notice>) -> Self {
        Self { notice, ..self }
    }

    /// Adds the problem of a failed action. The page gets the status of the failure.
    pub(crate) fn with_problem(self, problem: Option<Problem>) -> Self {
        Self { problem, ..self }
    }

    pub(crate) fn with_script(self, name: &'static str) -> Self {
        Self { script: Some(name), ..self }
    }

    /// Keeps an open page true while a person watches something happen.
    pub(crate) fn with_live_refresh(self) -> Self {
        Self { refresh_seconds: Some(LIVE), ..self }
    }

    /// Reloads an open page often, because its content changes by itself.
    pub(crate) fn with_frequent_refresh(self) -> Self {
        Self { refresh_seconds: Some(OFTEN), ..self }
    }

    /// Reloads an open page rarely, because its content changes slowly.
    pub(crate) fn with_rare_refresh(self) -> Self {
        Self { refresh_seconds: Some(RARELY), ..self }
    }

    /// Replaces the strictest policy.
    pub(crate) fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Shows content that has its own heading.
    pub(crate) fn show(self, content: &Markup) -> Response {
        let status = self.problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
        respond::page(status, self.with_frame(content), &self.policy)
    }

    /// Shows the parent pages, the title as the heading, the problem, and the content.
    pub(crate) fn show_titled(self, content: &Markup) -> Response {
        let content = html! {
            (parts::trail(self.above, &self.title))
            h1 { (self.title) }
            @if let Some(problem) = &self.problem { (parts::problem(&problem.text)) }
            (content)
        };
        self.show(&content)
    }

    /// Shows a single question or form, below the parent pages if there are any.
    pub(crate) fn show_alone(self, heading: &str, content: &Markup) -> Response {
        let content = html! {
            @if !self.above.is_empty() { (parts::trail(self.above, &self.title)) }
            section.alone {
                h1 { (heading) }
                @if let Some(problem) = &self.problem { (parts::problem(&problem.text)) }
                (content)
            }
        };
        self.show(&content)
    }

    fn with_frame(&self, content: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="robots" content="noindex";
                    title { (self.title) " · Spindrift" }
                    link rel="icon" href=(assets::address("icon.svg"));
                    link rel="stylesheet" href=(assets::address("console.css"));
                    script type="module" src=(assets::address("console.js")) {}
                    @if let Some(script) = self.script { script type="module" src=(assets::address(script)) {} }
                }
                body {
                    a.skip href="#content" { "Skip to content" }
                    @if let Some(menu) = &self.menu { (menu.show()) }
                    @if self.refresh_seconds.is_some() {
                        p.checked { span #checked {} " " span #freshness role="status" {} }
                    }
                    main #content tabindex="-1" data-refresh=[self.refresh_seconds] {
                        @if let Some(notice) = self.notice { p.done role="status" { (notice.text()) } }
                        (content)
                    }
                }
            }
        }
    }
}
