//! The final advice of `trust init`: which files to commit, to give to CI, and to move away.

use std::path::PathBuf;

use serde::Serialize;
use spindrift_api::{BootstrapState, Waiting};

use crate::context::Context;
use crate::error::CliError;
use crate::trust::calls::Calls;
use crate::trust::change::ListChange;
use crate::trust::key_ring::{KeyRing, RECOVERY, TARGETS_KEY};
use crate::trust::signing_session::service_keys;
use crate::trust::view::PinnedRoot;

/// The result of `trust init`.
#[derive(Debug, Serialize)]
pub(super) struct InitReport {
    app: String,
    repository: String,
    state: &'static str,
    trust_root: PathBuf,
    /// Whether the service signs the lists.
    online: bool,
    keys: Vec<InitKey>,
}

/// A key in the user's folder.
#[derive(Debug, Serialize)]
struct InitKey {
    role: &'static str,
    file: PathBuf,
    keyid: String,
}

impl InitReport {
    pub(super) fn new(
        calls: &Calls,
        state: &BootstrapState,
        pinned: &PinnedRoot,
        key_ring: &KeyRing,
    ) -> Result<Self, CliError> {
        let root = pinned.root.role();
        let services = service_keys(state);
        let mut keys = Vec::new();
        for key in key_ring.own()? {
            let is_recovery = key.path.file_stem().is_some_and(|stem| stem == RECOVERY);
            let role = if root.targets().key(key.public.id()).is_some() {
                "targets"
            } else if root.root().key(key.public.id()).is_none() {
                continue;
            } else if is_recovery {
                RECOVERY
            } else {
                "root"
            };
            keys.push(InitKey { role, file: key.path, keyid: key.public.id().to_string() });
        }
        Ok(Self {
            app: calls.app.clone(),
            repository: state.repository.clone(),
            state: match state.state {
                None => "complete",
                Some(Waiting::Signing) => "signing",
                Some(Waiting::Waiting) => "waiting",
            },
            trust_root: pinned.path.clone(),
            online: root.targets().keyids().iter().any(|id| services.contains(id.as_str())),
            keys,
        })
    }

    pub(super) fn show(&self, context: &Context, adopted: Option<&ListChange>) -> Result<(), CliError> {
        let mut text = self.as_text();
        if let Some(adopted) = adopted {
            text = format!("{text}\n\n{}", adopted.as_text());
        }
        context.output.result(&serde_json::json!({ "init": self, "adopted": adopted }), &text)
    }

    fn as_text(&self) -> String {
        let Self { app, repository, trust_root, .. } = self;
        let mut lines = vec![match self.state {
            "signing" => {
                format!("{app} has the repository {repository}, whose root waits for further signatures:")
            }
            "waiting" => format!("{app} has the repository {repository}, which waits for its first list:"),
            _ => format!("{app} has signed metadata now, in the repository {repository}:"),
        }];
        lines.push(format!(
            "  commit      {}: build it into the application, and keep it for publishing",
            trust_root.display()
        ));
        for key in &self.keys {
            let file = key.file.display();
            lines.push(match key.role {
                "targets" => format!("  give to CI  {file}: as secret {TARGETS_KEY}, and its passphrase as SPINDRIFT_KEY_PASSWORD"),
                RECOVERY => format!("  move away   {file}: to a safe place off this machine; it helps when the root key is lost"),
                _ => format!("  keep        {file}: it signs the occasional new root"),
            });
        }
        lines.push(match self.state {
            "signing" => format!(
                "The others who sign it run: spindrift trust sign --app {app}\n\
                 Then `spindrift trust status --app {app}` completes {}: commit that.",
                trust_root.display()
            ),
            "waiting" => format!("A publisher runs: spindrift trust sign --app {app} FILES"),
            _ if self.online => "The service signs what is published.".to_owned(),
            _ => format!("From now on `spindrift publish --app {app}` signs what it uploads."),
        });
        lines.join("\n")
    }
}
