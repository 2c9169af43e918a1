//! What applications, channels, platforms and architectures have in common: names for people, identifiers for calls.

use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CliError;
use crate::output::{list, text};
use crate::service::Service;

/// A column of a table: its header, and what it shows of an entry.
pub(crate) type Column = (&'static str, fn(&Value) -> String);

/// A kind of thing that the service keeps a list of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    /// In messages.
    pub(crate) noun: &'static str,
    /// First segment of the paths.
    pub(crate) path: &'static str,
    /// Key of the list.
    pub(crate) list: &'static str,
    /// Key of an entry's name.
    pub(crate) name: &'static str,
    /// `Kind` in `createKindResult.Created`.
    pub(crate) result: &'static str,
}

pub(crate) const APP: Kind =
    Kind { noun: "application", path: "app", list: "apps", name: "AppName", result: "App" };
pub(crate) const CHANNEL: Kind =
    Kind { noun: "channel", path: "channel", list: "channels", name: "ChannelName", result: "Channel" };
pub(crate) const PLATFORM: Kind =
    Kind { noun: "platform", path: "platform", list: "platforms", name: "PlatformName", result: "Platform" };
pub(crate) const ARCH: Kind =
    Kind { noun: "architecture", path: "arch", list: "archs", name: "ArchID", result: "Arch" };

impl Kind {
    /// All that the caller may see.
    pub(crate) async fn entries(self, service: &Service) -> Result<Value, CliError> {
        service.get(&format!("/{}/list", self.path)).json().await
    }

    /// The entry of a name.
    pub(crate) async fn find(self, service: &Service, name: &str) -> Result<Value, CliError> {
        let all = self.entries(service).await?;
        let found = list(&all, self.list).iter().find(|entry| entry[self.name] == name);
        found.cloned().ok_or_else(|| {
            CliError::NotFound(format!(
                "there is no {} `{name}`: `spindrift {} list` shows what there is",
                self.noun, self.path
            ))
        })
    }

    /// The identifier of a name.
    pub(crate) async fn id(self, service: &Service, name: &str) -> Result<String, CliError> {
        Ok(text(&self.find(service, name).await?, "ID"))
    }

    /// Shows a table of columns.
    pub(crate) async fn show(self, context: &Context, columns: &[Column]) -> Result<(), CliError> {
        let all = self.entries(&context.authenticated()?).await?;
        let row = |entry: &Value| columns.iter().map(|(_, cell)| cell(entry)).collect();
        let rows: Vec<Vec<String>> = list(&all, self.list).iter().map(row).collect();
        let headers: Vec<&str> = columns.iter().map(|(header, _)| *header).collect();
        context.output.rows(&all, &headers, &rows)
    }

    /// Makes a thing from a JSON body.
    pub(crate) async fn create(self, context: &Context, name: &str, body: &Value) -> Result<(), CliError> {
        let path = format!("/{}/create", self.path);
        let answer = context.authenticated()?.post(&path).body_json(body).json().await?;
        self.created(context, name, &answer)
    }

    /// Says that a thing was made.
    pub(crate) fn created(self, context: &Context, name: &str, answer: &Value) -> Result<(), CliError> {
        let id = text(answer, &format!("create{}Result.Created", self.result));
        context.output.result(&json!({ "id": id, "name": name }), &format!("{} `{name}` created", self.noun))
    }

    /// Says that a thing was changed.
    pub(crate) fn updated(self, context: &Context, name: &str, id: &str) -> Result<(), CliError> {
        let told = format!("{} `{name}` updated", self.noun);
        context.output.result(&json!({ "id": id, "updated": true }), &told)
    }

    /// Changes a thing with a JSON body, to which the identifier is added.
    pub(crate) async fn update(self, context: &Context, name: &str, mut body: Value) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let id = self.id(&service, name).await?;
        body["id"] = json!(id);
        service.post(&format!("/{}/update", self.path)).body_json(&body).json().await?;
        self.updated(context, name, &id)
    }

    /// Deletes the thing of a name.
    pub(crate) async fn delete(self, context: &Context, name: &str) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let id = self.id(&service, name).await?;
        service.delete(&format!("/{}/delete", self.path), &id).await?;
        let told = format!("{} `{name}` deleted", self.noun);
        context.output.result(&json!({ "id": id, "deleted": true }), &told)
    }
}
