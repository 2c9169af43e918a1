//! `doctor`: finds problems of the service, and suggests solutions.

mod clock;
mod copies;
mod cors;
pub(crate) mod finding;
mod login;
mod settings;
mod spin;
mod storage;
mod upload;

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;
use finding::Finding;

#[derive(Debug, Args)]
pub(crate) struct DoctorCommand {
    /// Try an upload for this application, up to the storage. It sends a few bytes, which expire, and creates
    /// no release.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: Option<String>,
    #[command(flatten)]
    target: upload::UploadTarget,
    /// URL of a web page that must be able to call the service, like `https://admin.example.com`.
    #[arg(long, value_name = "URL")]
    origin: Option<String>,
    /// Maximum difference between the clocks of this machine and the service, in seconds.
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    max_clock_skew: u64,
}

impl DoctorCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.service()?;
        let findings = self.examine(&service).await;
        let rows: Vec<Vec<String>> = findings.iter().map(Finding::row).collect();
        let problems = findings.iter().filter(|finding| finding.is_problem()).count();
        let all: Vec<_> = findings.iter().map(Finding::as_json).collect();
        let answer = json!({ "url": service.url(), "problems": problems, "checks": all });
        context.output.rows(&answer, &["", "CHECK", "FOUND"], &rows)?;
        if problems == 0 { Ok(()) } else { Err(CliError::Problems(problems)) }
    }

    async fn examine(&self, service: &Service) -> Vec<Finding> {
        let (reached, clock) = clock::health(&service.anonymous(), self.max_clock_skew).await;
        let is_there = reached.is_from_service();
        let mut findings = vec![reached];
        findings.extend(spin::spin(service.url()));
        findings.extend(clock);
        if !is_there {
            return findings;
        }
        findings.extend(settings::settings(&service.anonymous()).await);
        findings.push(login::check_login(service).await);
        findings.push(match &self.app {
            Some(app) => upload::upload(service, app, &self.target).await,
            None => storage::public_link(service).await,
        });
        findings.push(cors::cors(service, self.origin.as_deref()).await);
        findings.extend(copies::copies(service).await);
        findings
    }
}
