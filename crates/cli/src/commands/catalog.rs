//! Shared code for the commands on applications, channels, platforms and architectures. It looks up
//! items by name, because calls need ids.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use spindrift_api::{
    AppEntry, AppsBody, ArchEntry, ArchsBody, ChannelEntry, ChannelsBody, PlatformEntry, PlatformsBody,
    ResultBody,
};
use spindrift_core::Id;

use super::force::{self, Force};
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;
use crate::unknown::unknown;

/// A column of a table: its header, and how to format an entry.
pub(crate) type Column<E> = (&'static str, fn(&E) -> String);

/// A kind of item that the service lists.
pub(crate) trait CatalogEntry: Clone {
    /// The noun in messages.
    const NOUN: &'static str;
    /// First segment of the paths of calls on such items.
    const PATH: &'static str;
    /// The answer that lists all items.
    type List: Serialize + DeserializeOwned;

    fn entries(list: &Self::List) -> &[Self];
    fn id(&self) -> &Id;
    fn name(&self) -> &str;
}

macro_rules! entry {
    ($entry:ident, $noun:literal, $path:literal, $list:ident.$entries:ident, $name:ident) => {
        impl CatalogEntry for $entry {
            const NOUN: &'static str = $noun;
            const PATH: &'static str = $path;
            type List = $list;

            fn entries(list: &$list) -> &[Self] {
                &list.$entries
            }

            fn id(&self) -> &Id {
                &self.id
            }

            fn name(&self) -> &str {
                &self.$name
            }
        }
    };
}

entry!(AppEntry, "application", "app", AppsBody.apps, app_name);
entry!(ChannelEntry, "channel", "channel", ChannelsBody.channels, channel_name);
entry!(PlatformEntry, "platform", "platform", PlatformsBody.platforms, platform_name);
entry!(ArchEntry, "architecture", "arch", ArchsBody.archs, arch_name);

/// All items visible to the caller.
pub(crate) async fn list<E: CatalogEntry>(service: &Service) -> Result<E::List, CliError> {
    service.get(&format!("/{}/list", E::PATH)).json().await
}

/// The item with this name.
///
/// # Errors
/// [`CliError::NotFound`] with the names that exist.
pub(crate) async fn find<E: CatalogEntry>(service: &Service, name: &str) -> Result<E, CliError> {
    let all = list::<E>(service).await?;
    let entries = E::entries(&all);
    entries.iter().find(|entry| entry.name() == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = entries.iter().map(CatalogEntry::name).collect();
        let text = unknown(E::NOUN, name, &names);
        // If a similar name exists, this is a typing error: do not suggest creating the item.
        CliError::NotFound(if text.contains("did you mean") {
            text
        } else {
            format!("{text}. {}", create_command::<E>(name))
        })
    })
}

/// Suggests the command that creates an item.
pub(crate) fn create_command<E: CatalogEntry>(name: &str) -> String {
    let name = if name.contains(' ') { format!("'{name}'") } else { name.to_owned() };
    format!("`spindrift {} create {name}` creates it", E::PATH)
}

/// The id of the item with this name.
pub(crate) async fn id<E: CatalogEntry>(service: &Service, name: &str) -> Result<Id, CliError> {
    Ok(find::<E>(service, name).await?.id().clone())
}

/// Shows all items in a table with these columns.
pub(crate) async fn show<E: CatalogEntry>(context: &Context, columns: &[Column<E>]) -> Result<(), CliError> {
    let all = list::<E>(&context.authenticated()?).await?;
    let row = |entry: &E| columns.iter().map(|(_, cell)| cell(entry)).collect();
    let rows: Vec<Vec<String>> = E::entries(&all).iter().map(row).collect();
    let headers: Vec<&str> = columns.iter().map(|(header, _)| *header).collect();
    context.output.rows(&all, &headers, &rows)
}

/// Creates an item from a JSON body.
pub(crate) async fn create<E: CatalogEntry>(
    context: &Context,
    name: &str,
    body: &impl Serialize,
) -> Result<(), CliError> {
    let path = format!("/{}/create", E::PATH);
    let answer = context.authenticated()?.post(&path).body_json(body).json().await?;
    report_created::<E>(context, name, &answer)
}

/// Reports that an item was created.
pub(crate) fn report_created<E: CatalogEntry>(
    context: &Context,
    name: &str,
    answer: &ResultBody<Id>,
) -> Result<(), CliError> {
    let text = format!("{} `{name}` created", E::NOUN);
    context.output.result(&json!({ "id": answer.value, "name": name }), &text)
}

/// Changes an item. `body` builds the JSON body from the item's id.
pub(crate) async fn update<E: CatalogEntry, B: Serialize>(
    context: &Context,
    name: &str,
    force: Force,
    body: impl FnOnce(String) -> B,
) -> Result<(), CliError> {
    let service = context.authenticated()?;
    let id = id::<E>(&service, name).await?;
    let body = body(id.to_string());
    let call = async |is_forced| {
        let path = force::path(&format!("/{}/update", E::PATH), is_forced);
        service.post(&path).body_json(&body).json::<ResultBody<bool>>().await
    };
    force.confirm_or_force(name, call).await?;
    report_updated::<E>(context, name, &id)
}

/// Reports that an item was changed.
pub(crate) fn report_updated<E: CatalogEntry>(
    context: &Context,
    name: &str,
    id: &Id,
) -> Result<(), CliError> {
    let text = format!("{} `{name}` updated", E::NOUN);
    context.output.result(&json!({ "id": id, "updated": true }), &text)
}

/// Deletes the item with this name.
pub(crate) async fn delete<E: CatalogEntry>(
    context: &Context,
    name: &str,
    force: Force,
) -> Result<(), CliError> {
    let service = context.authenticated()?;
    let id = id::<E>(&service, name).await?;
    let call = async |is_forced| {
        let path = force::path(&format!("/{}/delete", E::PATH), is_forced);
        service.delete::<ResultBody<u64>>(&path, &id).await
    };
    force.confirm_or_force(name, call).await?;
    let text = format!("{} `{name}` deleted", E::NOUN);
    context.output.result(&json!({ "id": id, "deleted": true }), &text)
}
