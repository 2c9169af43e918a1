//! Pages that show a secret. Each secret is shown once, and never in an address.
//!
//! The response to a form that makes a secret redirects to a page, and passes the secret in a
//! cookie, which that page deletes. So a reload neither makes a second secret nor shows the first
//! one again.

use maud::{Markup, html};
use spindrift_web::{Request, Response};

use crate::cookies::SessionToken;
use crate::{Address, ConsoleError, Context, Cookie, MenuEntry, Result, parts, respond};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretKind {
    CiToken,
    DownloadToken,
    ReportKey,
    NewReportKey,
    Webhook,
    GroupKey,
    Invitation,
}

impl SecretKind {
    const ALL: [Self; 7] = [
        Self::CiToken,
        Self::DownloadToken,
        Self::ReportKey,
        Self::NewReportKey,
        Self::Webhook,
        Self::GroupKey,
        Self::Invitation,
    ];

    /// The kind in an address.
    fn word(self) -> &'static str {
        self.words().0
    }

    fn title(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::CiToken => ("ci-token", "A new CI token"),
            Self::DownloadToken => ("download-token", "A new download token"),
            Self::ReportKey => ("report-key", "A report key"),
            Self::NewReportKey => ("new-report-key", "A new report key"),
            Self::Webhook => ("webhook", "A new webhook"),
            Self::GroupKey => ("group-key", "The key of a group"),
            Self::Invitation => ("invitation", "A new invitation"),
        }
    }

    fn place(self) -> MenuEntry {
        if self == Self::GroupKey { MenuEntry::Overview } else { MenuEntry::People }
    }

    /// The parent pages, with their names. The last one is where to continue. `app`: the
    /// application, if the secret belongs to one.
    fn parent_pages(self, app: &str) -> Vec<(&str, Address)> {
        match self {
            Self::GroupKey => vec![
                ("Overview", Address::page([])),
                (app, Address::page(["apps", app])),
                ("Groups", Address::page(["apps", app, "groups"])),
            ],
            Self::CiToken
            | Self::DownloadToken
            | Self::ReportKey
            | Self::NewReportKey
            | Self::Webhook
            | Self::Invitation => super::pages::parent_pages().into(),
        }
    }

    /// Explains how to use the secret. `name`: of the token, the application, the webhook or the
    /// group.
    fn explanation(self, name: &str) -> Markup {
        match self {
            Self::CiToken => html! {
                "The CI token " strong { (name) } " is shown only once. Keep it as the secret "
                code { "SPINDRIFT_TOKEN" } " of the pipeline."
            },
            Self::DownloadToken => html! {
                "The download token of " strong { (name) } " is shown only once. Copies send it as "
                code { "X-Download-Token" } ", or as " code { "?download_token=" } " in the address of a feed."
            },
            Self::ReportKey => html! {
                "Copies of " strong { (name) } " send this key as a bearer token with their reports."
            },
            Self::NewReportKey => html! {
                "This is the key of " strong { (name) } " from now on. Build it into the next copies."
            },
            Self::Webhook => html! {
                "The secret of the webhook " strong { (name) } " is shown only once. Its receiver \
                    verifies signatures with it."
            },
            Self::GroupKey => html! {
                "The key of the group " strong { (name) } " is shown only once. Testers enter it in the \
                    application."
            },
            Self::Invitation => html! {
                "The link" @if !name.is_empty() { " for " strong { (name) } } " is shown only once. Send it to one \
                    person: whoever opens it first joins your team."
            },
        }
    }

    /// The text to show.
    fn shown(self, context: &Context<'_>, secret: &str) -> String {
        match self {
            Self::Invitation => {
                format!("{}{}", context.api_url, Address::page(["invitation"]).with("secret", secret))
            }
            _ => secret.to_owned(),
        }
    }
}

/// Redirects to the page that shows a secret.
pub(super) fn hand_over(
    context: &Context<'_>,
    kind: SecretKind,
    name: &str,
    secret: &str,
) -> Result<Response> {
    hand_over_of(context, kind, "", name, secret)
}

/// Like [`hand_over`], for a secret of an application, to which the page links back.
pub(super) fn hand_over_of(
    context: &Context<'_>,
    kind: SecretKind,
    app: &str,
    name: &str,
    secret: &str,
) -> Result<Response> {
    let secret = SessionToken::new(secret)
        .ok_or_else(|| ConsoleError::NoAnswer("the secret is not a valid cookie value".to_owned()))?;
    let page =
        Address::page(["people", "shown"]).with("kind", kind.word()).with("app", app).with("name", name);
    let cookie = Cookie::Shown.set(&secret, context.is_secure());
    Ok(respond::with_cookie(respond::see_other(&page), cookie))
}

/// `GET /console/people/shown`.
pub(super) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let word = query.get("kind").unwrap_or_default();
    let kind = SecretKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or(ConsoleError::NoPage)?;
    let text = |name: &str| query.get(name).unwrap_or_default();
    let (name, above) = (text("name"), kind.parent_pages(text("app")));
    let secret = Cookie::Shown.read(request, context.is_secure());
    let me = context.me().await?;
    let content = html! {
        @match &secret {
            Some(secret) => {
                p.done role="status" { (kind.explanation(name)) }
                p.secret { (parts::copyable(&kind.shown(context, secret.expose()))) }
            }
            None => p {
                "It was shown once, and cannot be shown again here. Reloading this page has not made a new one."
            }
        }
        @if let Some((_, page)) = above.last() { p { a.button href=(page) { "Done" } } }
    };
    let page = context.page(kind.title(), &me, kind.place());
    let over = Cookie::Shown.remove(context.is_secure()).filter(|_| secret.is_some());
    Ok(respond::with_cookie(page.with_parents(&above).show_titled(&content), over))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        for kind in SecretKind::ALL {
            assert_eq!(SecretKind::ALL.iter().filter(|other| other.word() == kind.word()).count(), 1);
            assert!(kind.explanation("<b>").into_string().contains("&lt;b&gt;"), "{kind:?}");
            let (_, last) = kind.parent_pages("notes").pop().unwrap();
            let expected =
                if kind == SecretKind::GroupKey { "/console/apps/notes/groups" } else { "/console/people" };
            assert_eq!(last.as_str(), expected, "{kind:?}");
        }
    }
}
