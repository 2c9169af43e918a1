//! A page: the frame around its content, and the answer that it becomes.

use std::borrow::Cow;

use http::StatusCode;
use maud::{DOCTYPE, Markup, html};
use spindrift_web::Response;

use crate::menu::Menu;
use crate::respond::Policy;
use crate::{Address, Notice, Problem, assets, parts, respond};

/// After how many seconds an open page is loaded again.
const OFTEN: u32 = 30;
const RARELY: u32 = 60;

/// A page, of which only the content is missing.
pub(crate) struct Page<'a> {
    /// Of the tab, before the product's name.
    title: Cow<'a, str>,
    /// `None`: nobody is logged in.
    menu: Option<Menu<'a>>,
    /// The pages above this one, with their names.
    above: &'a [(&'a str, Address)],
    /// The result of the form that led to the page.
    notice: Option<Notice>,
    /// Why the action failed that the page is shown again for.
    problem: Option<Problem>,
    script: Option<&'static str>,
    refresh_seconds: Option<u32>,
    policy: Policy,
}

impl<'a> Page<'a> {
    /// A page for anybody.
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

    /// With the menu of the logged-in user.
    pub(crate) fn with_menu(self, menu: Menu<'a>) -> Self {
        Self { menu: Some(menu), ..self }
    }

    /// Below these pages, with their names.
    pub(crate) fn below(self, above: &'a [(&'a str, Address)]) -> Self {
        Self { above, ..self }
    }

    pub(crate) fn with_notice(self, notice: Option<Notice>) -> Self {
        Self { notice, ..self }
    }

    /// After an action that failed, if it did. The page has the status of the failure.
    pub(crate) fn after(self, problem: Option<Problem>) -> Self {
        Self { problem, ..self }
    }

    /// With one more script.
    pub(crate) fn with_script(self, name: &'static str) -> Self {
        Self { script: Some(name), ..self }
    }

    /// An open page is loaded again, since its content changes by itself.
    pub(crate) fn refreshed_often(self) -> Self {
        Self { refresh_seconds: Some(OFTEN), ..self }
    }

    /// The same for content that changes slowly.
    pub(crate) fn refreshed_rarely(self) -> Self {
        Self { refresh_seconds: Some(RARELY), ..self }
    }

    /// With this policy in place of the strictest one.
    pub(crate) fn under(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// With content that has its own heading.
    pub(crate) fn show(self, content: &Markup) -> Response {
        let status = self.problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
        respond::page(status, self.framed(content), &self.policy)
    }

    /// With the title as the heading, below the pages above, and the problem below the heading.
    pub(crate) fn show_titled(self, content: &Markup) -> Response {
        let content = html! {
            (parts::trail(self.above, &self.title))
            h1 { (self.title) }
            @if let Some(problem) = &self.problem { (parts::problem(&problem.text)) }
            (content)
        };
        self.show(&content)
    }

    /// With nothing but one question or form, below the pages above if there are any.
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

    fn framed(&self, content: &Markup) -> Markup {
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
                    @if self.refresh_seconds.is_some() { p #freshness role="status" {} }
                    main #content tabindex="-1" data-refresh=[self.refresh_seconds] {
                        @if let Some(notice) = self.notice { p.done role="status" { (notice.text()) } }
                        (content)
                    }
                }
            }
        }
    }
}
