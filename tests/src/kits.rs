//! Devices with applications that use a kit. The scripts that run them are in `tests/clients`.

use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use crate::packages::ClientPackage;

/// The JavaScript kit, with electron-updater. `None`: Node is not installed, a message reports that, and the test is
/// skipped.
pub fn javascript() -> Option<&'static ClientPackage> {
    static KIT: ClientPackage = ClientPackage::node("kit-js");
    KIT.available()
}

/// How a run of the application ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The process is killed.
    Crash,
    /// It sends its reports, and exits as it should.
    Exit,
}

impl End {
    fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Exit => "exit",
        }
    }
}

/// New devices with `notes` of `acme` on stable, Linux and amd64. Each has a folder of its own.
#[derive(Debug)]
pub struct KitDevices {
    url: String,
    report_key: String,
    folder: TempDir,
}

impl KitDevices {
    /// Devices that use the service at this URL.
    pub fn new(url: &str, report_key: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { url: url.to_owned(), report_key: report_key.to_owned(), folder }
    }

    /// Lets the application check for an update and end, with each of these versions in turn, on so many devices. Returns
    /// the runs of each device.
    pub fn run(&self, kit: &ClientPackage, devices: usize, runs: &[(&str, End)]) -> Vec<Vec<KitRun>> {
        let runs = runs.iter().map(|(version, end)| json!({ "version": version, "end": end.name() }));
        let mut answer = kit.run(
            "devices.mjs",
            &json!({
                "url": self.url,
                "owner": "acme",
                "app": "notes",
                "reportKey": self.report_key,
                "directory": self.folder.path(),
                "devices": devices,
                "runs": runs.collect::<Vec<_>>(),
            }),
        );
        let text = answer.to_string();
        serde_json::from_value(answer["devices"].take()).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// A run of the application.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KitRun {
    /// The version that the updater was offered.
    pub offered: Option<String>,
    /// The id that the kit has made.
    pub device_id: String,
    /// The `x-user-staging-id` header of each request of the updater.
    pub staging: Vec<Option<String>>,
}
