//! `group create|list|add|remove|key|delete`.

use clap::{Args, Subcommand};
use serde_json::json;
use spindrift_api::{
    DeviceGroupCreateBody, DeviceGroupDevicesBody, DeviceGroupEntry, DeviceGroupSizeBody, ErrorCode,
    MessageBody,
};
use spindrift_core::DeviceId;

use super::rollout::time;
use crate::context::Context;
use crate::error::CliError;
use crate::groups::{self, PATH};
use crate::names::CallNames;
use crate::service::Service;

#[derive(Debug, Subcommand)]
pub(crate) enum GroupCommand {
    /// Create a group of devices, such as testers.
    ///
    /// Prints its key, which no other command shows. Its members are the copies in which somebody
    /// types the key, and the devices in the group's list.
    Create(GroupCreateCommand),
    /// List the groups of an application.
    List {
        /// The application.
        #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
        app: String,
    },
    /// Add devices to the list of a group.
    Add(GroupDevicesCommand),
    /// Remove devices from the list of a group. Devices that send its key stay in the group.
    Remove(GroupDevicesCommand),
    /// Replace the key of a group. The previous key becomes invalid. CI tokens cannot do this.
    Key(GroupSelection),
    /// Delete a group that no release admits. CI tokens cannot do this.
    Delete(GroupSelection),
}

/// The group that a command is about.
#[derive(Debug, Args)]
pub(crate) struct GroupSelection {
    /// Name of the group.
    name: String,
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
}

#[derive(Debug, Args)]
pub(crate) struct GroupCreateCommand {
    #[command(flatten)]
    selection: GroupSelection,
    /// A reason for the audit log, up to 500 characters.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GroupDevicesCommand {
    #[command(flatten)]
    selection: GroupSelection,
    /// Device ids.
    #[arg(required = true, value_name = "DEVICE", value_parser = device)]
    devices: Vec<DeviceId>,
    /// A reason for the audit log, up to 500 characters.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

fn device(text: &str) -> Result<DeviceId, &'static str> {
    text.parse().map_err(|_| "a device id has 1 to 128 printable ASCII characters")
}

impl GroupCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Create(create) => create.run(context, &service).await,
            Self::List { app } => list(context, &service, &app).await,
            Self::Add(listed) => listed.run(context, &service, DeviceListChange::Add).await,
            Self::Remove(listed) => listed.run(context, &service, DeviceListChange::Remove).await,
            Self::Key(selection) => selection.new_key(context, &service).await,
            Self::Delete(selection) => selection.delete(context, &service).await,
        }
    }
}

impl GroupCreateCommand {
    async fn run(self, context: &Context, service: &Service) -> Result<(), CliError> {
        let Self { selection: GroupSelection { name, app }, reason } = self;
        let body = DeviceGroupCreateBody { app: Some(app.clone()), name: Some(name), reason };
        match service.post(PATH).body_json(&body).json().await {
            Err(error) => {
                let names = CallNames { app: Some(&app), ..CallNames::default() };
                Err(names.explain(service, error).await)
            }
            Ok(created) => show_key(context, &created),
        }
    }
}

/// Shows a group together with its new key.
fn show_key(context: &Context, group: &DeviceGroupEntry) -> Result<(), CliError> {
    context.output.message("keep the key: it is not shown again");
    let key = group.key.as_deref().unwrap_or_default();
    context.output.result(group, &format!("group {}\nkey {key}", group.name))
}

async fn list(context: &Context, service: &Service, app: &str) -> Result<(), CliError> {
    let found = groups::all(service, app).await?;
    let rows: Vec<Vec<String>> = found.groups.iter().map(row).collect();
    context.output.rows(&found, &["NAME", "DEVICES", "CREATED"], &rows)
}

fn row(group: &DeviceGroupEntry) -> Vec<String> {
    vec![group.name.clone(), group.devices.to_string(), time(&group.created_at)]
}

/// How to change a group's list.
#[derive(Debug, Clone, Copy)]
enum DeviceListChange {
    Add,
    Remove,
}

impl GroupDevicesCommand {
    async fn run(
        self,
        context: &Context,
        service: &Service,
        change: DeviceListChange,
    ) -> Result<(), CliError> {
        let group = groups::find(service, &self.selection.app, &self.selection.name).await?;
        let path = format!("{PATH}/{}/devices", group.id);
        let DeviceGroupSizeBody { devices } =
            service.post(&path).body_json(&self.body(change)).json().await?;
        let answer = json!({ "id": group.id, "name": group.name, "devices": devices });
        context.output.result(&answer, &list_size(&group.name, devices))
    }

    fn body(self, change: DeviceListChange) -> DeviceGroupDevicesBody {
        let Self { devices, reason, .. } = self;
        let devices = Some(devices.iter().map(|device| device.expose().to_owned()).collect());
        let (add, remove) = match change {
            DeviceListChange::Add => (devices, None),
            DeviceListChange::Remove => (None, devices),
        };
        DeviceGroupDevicesBody { add, remove, reason }
    }
}

fn list_size(group: &str, devices: u64) -> String {
    let devices = match devices {
        1 => "1 device".to_owned(),
        devices => format!("{devices} devices"),
    };
    format!("the list of the group {group} has {devices}")
}

impl GroupSelection {
    async fn new_key(self, context: &Context, service: &Service) -> Result<(), CliError> {
        let group = groups::find(service, &self.app, &self.name).await?;
        let changed: DeviceGroupEntry = service.post(&format!("{PATH}/{}/key", group.id)).json().await?;
        show_key(context, &changed)
    }

    async fn delete(self, context: &Context, service: &Service) -> Result<(), CliError> {
        let group = groups::find(service, &self.app, &self.name).await?;
        match service.delete::<MessageBody>(PATH, &group.id).await {
            Err(CliError::Refused(refusal)) if refusal.code == Some(ErrorCode::InUse) => {
                let description = format!(
                    "a release lets the group `{}` in: `spindrift release edit --no-groups` changes that",
                    group.name
                );
                Err(CliError::Conflict(description))
            }
            answered => {
                let _: MessageBody = answered?;
                let answer = json!({ "id": group.id, "name": group.name, "deleted": true });
                context.output.result(&answer, &format!("group `{}` deleted", group.name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use spindrift_core::Id;

    use super::*;
    use crate::args::{Arguments, Command};

    fn parse(words: &str) -> Result<GroupCommand, String> {
        let words = format!("spindrift group {words}");
        match Arguments::try_parse_from(words.split(' ')).map_err(|error| error.to_string())?.command {
            Command::Group(group) => Ok(group),
            _ => panic!("another command: {words}"),
        }
    }

    #[test]
    fn a_group_and_its_devices_are_named() {
        for words in [
            "create qa --app notes",
            "create qa --app notes --reason release",
            "list --app notes",
            "remove qa device-1 --app notes",
            "key qa --app notes",
            "delete qa --app notes",
        ] {
            assert!(parse(words).is_ok(), "{words}");
        }
        for (words, error) in [
            ("create --app notes", "<NAME>"),
            ("create qa", "--app"),
            ("add qa --app notes", "<DEVICE>"),
            ("add qa ä --app notes", "a device id has 1 to 128 printable ASCII characters"),
            // `--reason` is not accepted here.
            ("key qa --app notes --reason lost", "--reason"),
            ("delete qa --app notes --reason old", "--reason"),
        ] {
            let description = parse(words).unwrap_err();
            assert!(description.contains(error), "{words}: {description}");
        }
    }

    #[test]
    fn devices_are_added_or_removed() {
        let body = |words: &str| match parse(words).unwrap() {
            GroupCommand::Add(listed) => json!(listed.body(DeviceListChange::Add)),
            GroupCommand::Remove(listed) => json!(listed.body(DeviceListChange::Remove)),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            body("add qa device-1 device-2 --app notes --reason laptops"),
            json!({ "add": ["device-1", "device-2"], "reason": "laptops" })
        );
        assert_eq!(body("remove qa device-1 --app notes"), json!({ "remove": ["device-1"] }));
    }

    #[test]
    fn a_group_is_a_row_and_its_list_a_number() {
        let group = DeviceGroupEntry {
            id: Id::from_text("g1"),
            app: "notes".to_owned(),
            name: "qa".to_owned(),
            devices: 12,
            created_at: "2026-12-01T08:00:00+00:00".to_owned(),
            key: None,
        };
        assert_eq!(row(&group), ["qa", "12", "2026-12-01 08:00 UTC"]);
        for (devices, description) in [(0, "0 devices"), (1, "1 device"), (2, "2 devices")] {
            assert_eq!(list_size("qa", devices), format!("the list of the group qa has {description}"));
        }
    }
}
