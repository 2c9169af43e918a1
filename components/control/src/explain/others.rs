//! The other updaters of the platform whose clients would get another answer.

use spindrift_api::DifferentAnswer;
use spindrift_core::explain::ExplainedClient;
use spindrift_core::{Decision, decide};
use spindrift_service::records::explanation::{self, ExplanationData};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};

use super::request::ExplainRequest;

/// The updaters, in the order of the platform. `decision`: the answer to the client.
pub(super) fn others(
    session: &Session<'_, impl Ports>,
    question: &ExplainRequest,
    (whole_of_client, client): (&ExplanationData, &ExplainedClient<'_>),
    decision: &Decision<'_>,
) -> Result<Vec<DifferentAnswer>, Failure> {
    let own = offered(decision);
    let mut all = Vec::new();
    let updaters = whole_of_client.record.updaters.entries().iter().map(|entry| entry.updater);
    for updater in updaters.filter(|updater| *updater != client.updater) {
        let other = explanation::load(
            session.ports,
            &session.conn,
            &question.scope,
            Some(updater.as_str()),
            question.at,
        )?;
        let facts = question.facts.read_valid(&other.record, question.at);
        let decision =
            decide(&other.record, client.version, updater.asker(client.device), &facts, question.at);
        let version = offered(&decision);
        if version != own {
            all.push(DifferentAnswer { updater: updater.to_string(), version });
        }
    }
    Ok(all)
}

/// The version that an answer offers.
fn offered(decision: &Decision<'_>) -> Option<String> {
    decision.version().filter(|_| decision.update_available).map(ToString::to_string)
}
