//! The body of a message, and its links.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use spindrift_api::AuditItem;
use spindrift_core::audit::AuditKind;
use spindrift_core::webhook::chat_text;
use spindrift_db::webhooks::Webhook;

use super::halt_links;
use crate::{Ports, ServiceError, settings};

/// The characters left unescaped in a path segment, as in addresses of the console.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The body of a message. The last fields keep Slack from interpreting markup and previewing links, and
/// Discord from notifying anybody who is mentioned.
pub(super) fn message(kind: &str, at: &str, line: &str, data: &Value, links: &MessageLinks) -> Value {
    let mut body = json!({
        "type": kind,
        "timestamp": at,
        "text": chat_text(line, &links.lines()),
        "data": data,
        "mrkdwn": false,
        "unfurl_links": false,
        "unfurl_media": false,
        "allowed_mentions": { "parse": [] },
    });
    let links = links.fields();
    if !links.is_empty() {
        body["links"] = links.into();
    }
    body
}

/// Where a person who reads the message can go. The second link is a secret.
#[derive(Default)]
pub(super) struct MessageLinks {
    /// The release's page in the console.
    release: Option<String>,
    /// The page that halts the release.
    halt: Option<String>,
}

impl MessageLinks {
    /// The links in a message about an entry. Without `api_url` there are none.
    pub(super) fn of<P: Ports>(
        ports: &P,
        conn: &P::Conn,
        webhook: &Webhook,
        entry: &AuditItem,
    ) -> Result<Self, ServiceError> {
        let console = format!("{}/console", settings::api_url(ports)?);
        let release = entry.app.as_ref().zip(entry.release.as_ref());
        let is_there = entry.kind != AuditKind::ReleaseDelete.as_str() && !console.starts_with('/');
        let Some((app, release)) = release.filter(|_| is_there) else { return Ok(Self::default()) };
        let token = halt_links::token(ports, conn, webhook, entry)?;
        let app = utf8_percent_encode(app, SEGMENT);
        Ok(Self {
            release: Some(format!("{console}/apps/{app}/releases/{}", release.id)),
            halt: token.map(|token| format!("{console}/halt?token={}", token.expose())),
        })
    }

    /// For people: chats turn addresses into links.
    fn lines(&self) -> Vec<String> {
        let halt = self.halt.as_ref().map(|halt| format!("Halt it: {halt}"));
        self.release.iter().cloned().chain(halt).collect()
    }

    /// For programs.
    fn fields(&self) -> Map<String, Value> {
        let links = [("release", &self.release), ("halt", &self.halt)];
        let present = |(name, link): (&str, &Option<String>)| Some((name.to_owned(), link.clone()?.into()));
        links.into_iter().filter_map(present).collect()
    }
}
