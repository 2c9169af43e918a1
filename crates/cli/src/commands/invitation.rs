//! `invitation create|list|revoke`.

use clap::Subcommand;
use serde_json::json;
use spindrift_api::{
    InvitationCreateBody, InvitationCreatedBody, InvitationEntry, InvitationsBody, MessageBody,
};
use spindrift_core::Id;

use super::user::{Granted, PermissionOptions};
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;

const PATH: &str = "/invitations";

#[derive(Debug, Subcommand)]
pub(crate) enum InvitationCommand {
    /// Make a link with which one person joins your team. It is good once, for 7 days.
    ///
    /// Prints the link. No other command shows it.
    Create {
        /// Name of the new user; if omitted, the person chooses it.
        name: Option<String>,
        #[command(flatten)]
        permissions: PermissionOptions,
    },
    /// List the invitations that can still be accepted.
    List,
    /// Revoke an invitation.
    Revoke {
        /// Id of the invitation, from `spindrift invitation list`.
        id: String,
    },
}

impl InvitationCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Create { name, permissions } => {
                let Granted { role, permissions } = permissions.read(&service).await?;
                let body = InvitationCreateBody { username: name, role, permissions };
                create(context, &service, &body).await
            }
            Self::List => list(context, &service).await,
            Self::Revoke { id } => {
                let id = Id::from_text(id);
                let _: MessageBody = service.delete(PATH, &id).await?;
                let text = format!("invitation {id} revoked");
                context.output.result(&json!({ "id": id, "revoked": true }), &text)
            }
        }
    }
}

async fn create(context: &Context, service: &Service, body: &InvitationCreateBody) -> Result<(), CliError> {
    let made: InvitationCreatedBody = service.post(PATH).body_json(body).json().await?;
    let text = format!(
        "invitation created, role {}, open until {}; its link is not shown again:",
        made.entry.role, made.entry.expires_at
    );
    context.output.message(&text);
    context.output.result(&made, &made.link)
}

async fn list(context: &Context, service: &Service) -> Result<(), CliError> {
    let all: InvitationsBody = service.get(PATH).json().await?;
    let row = |invitation: &InvitationEntry| {
        vec![
            invitation.username.clone().unwrap_or_default(),
            invitation.role.clone(),
            (invitation.permissions.apps.allowed.len() + invitation.permissions.apps.roles.len()).to_string(),
            invitation.expires_at.clone(),
            invitation.id.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = all.invitations.iter().map(row).collect();
    context.output.rows(&all, &["NAME", "ROLE", "APPS", "EXPIRES", "ID"], &rows)
}
