//! The values that a visitor has entered into the forms of the rollout, to be shown again.

use spindrift_web::Query;

use crate::Problem;

/// Values of the forms; empty at first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entered {
    /// `None`: the form for a plan stays closed.
    pub(super) plan: Option<String>,
    pub(super) percent: String,
    pub(super) reason: String,
    /// Why the form was refused.
    pub(super) refusal: Option<Refusal>,
}

/// Why a form was refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// For this reason.
    Problem(Problem),
    /// Somebody else has changed the rollout since the form was shown.
    Changed(Problem),
}

impl Entered {
    /// The values that a form or an address has.
    pub(super) fn of(sent: &Query) -> Self {
        let text = |name: &str| sent.get(name).unwrap_or_default().to_owned();
        let plan = sent.get("plan").map(ToOwned::to_owned);
        Self { plan, percent: text("percent"), reason: text("reason"), refusal: None }
    }

    pub(super) fn refused(self, refusal: Refusal) -> Self {
        Self { refusal: Some(refusal), ..self }
    }

    /// For the status of the page.
    pub(super) fn problem(&self) -> Option<&Problem> {
        self.refusal.as_ref().map(|(Refusal::Problem(problem) | Refusal::Changed(problem))| problem)
    }
}
