//! The values that a visitor has entered in the forms of a release, for showing them again.

use spindrift_web::Query;

use super::guard::GuardFields;
use super::requirements;
use crate::{FormFields, Problem};

/// The values of the forms. Empty at first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EnteredValues {
    /// `None`: the plan's form stays closed.
    pub(super) plan: Option<String>,
    pub(super) percent: String,
    pub(super) publish_at: String,
    pub(super) guard: GuardFields,
    pub(super) groups: Vec<String>,
    pub(super) requirements: requirements::RequirementFields,
    pub(super) reason: String,
    /// Which form was sent.
    pub(super) part: FormPart,
    /// Why the form was refused.
    pub(super) refusal: Option<FormRefusal>,
}

/// The forms that have a field for a reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum FormPart {
    #[default]
    Buttons,
    Plan,
    /// When clients see the release.
    Publication,
    Guard,
    Groups,
    Requirements,
    /// The promotion to another channel.
    Promotion,
}

/// The value of the field `part` in forms about the publication.
pub(super) const PUBLICATION: &str = "publication";
/// The value of `part` in the form for the guard.
pub(super) const GUARD: &str = "guard";
/// The value of `part` in the form for groups.
pub(super) const GROUPS: &str = "groups";
/// The value of `part` in the form for requirements.
pub(super) const REQUIREMENTS: &str = "requirements";
/// The value of `part` in forms for promotions.
pub(super) const PROMOTION: &str = "promotion";

impl FormPart {
    /// Whether the form is in the rollout section.
    fn is_of_rollout(self) -> bool {
        matches!(self, Self::Buttons | Self::Plan | Self::Publication)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormRefusal {
    /// For this reason.
    Problem(Problem),
    /// Somebody else has changed the release since the form was shown.
    Changed(Problem),
}

impl EnteredValues {
    /// The values in a form or an address.
    pub(super) fn of(sent: &Query) -> Self {
        let text = |name: &str| sent.get(name).unwrap_or_default().to_owned();
        let plan = sent.get("plan").map(ToOwned::to_owned);
        let part = match (&plan, sent.get("part")) {
            (Some(_), _) => FormPart::Plan,
            (None, Some(PUBLICATION)) => FormPart::Publication,
            (None, Some(GUARD)) => FormPart::Guard,
            (None, Some(GROUPS)) => FormPart::Groups,
            (None, Some(REQUIREMENTS)) => FormPart::Requirements,
            (None, Some(PROMOTION)) => FormPart::Promotion,
            (None, _) => FormPart::Buttons,
        };
        Self {
            plan,
            percent: text("percent"),
            publish_at: text("publish_at"),
            guard: GuardFields::sent(sent),
            groups: FormFields::from(sent.clone()).all("groups").map(ToOwned::to_owned).collect(),
            requirements: requirements::RequirementFields::sent(sent),
            reason: text("reason"),
            part,
            refusal: None,
        }
    }

    /// The platform and architecture in an address, for the requirements form.
    pub(super) fn for_requirements(address: &Query) -> Self {
        let requirements = requirements::RequirementFields::sent(address);
        Self { requirements, part: FormPart::Requirements, ..Self::default() }
    }

    /// The reason in a form. Empty unless that form was sent.
    pub(super) fn reason(&self, part: FormPart) -> &str {
        if self.part == part { &self.reason } else { "" }
    }

    /// Why this form was refused, if it was sent.
    pub(super) fn refusal(&self, part: FormPart) -> Option<&FormRefusal> {
        self.refusal.as_ref().filter(|_| self.part == part)
    }

    /// Why a form in the rollout section was refused.
    pub(super) fn refusal_of_rollout(&self) -> Option<&FormRefusal> {
        self.refusal.as_ref().filter(|_| self.part.is_of_rollout())
    }

    pub(super) fn with_refusal(self, refusal: FormRefusal) -> Self {
        Self { refusal: Some(refusal), ..self }
    }

    /// For the status of the page.
    pub(super) fn problem(&self) -> Option<&Problem> {
        self.refusal.as_ref().map(|(FormRefusal::Problem(problem) | FormRefusal::Changed(problem))| problem)
    }
}
