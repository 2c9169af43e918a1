//! The page that asks before devices may skip a release that is an intermediate.

use spindrift_web::{Query, Response};

use crate::insist::Insist;
use crate::{Address, Context, Place, Result};

/// `problem`: the service's error text. `action`: where the form was sent. `back`: the page of the release.
pub(super) async fn ask(
    context: &Context<'_>,
    problem: &str,
    (action, back): (Address, Address),
    form: Query,
) -> Result<Response> {
    let insist = Insist {
        title: "Let devices skip this release?",
        problem,
        consequence: "They will be offered the newest release at once. To stop this release and still hold them back, halt it.",
        button: "Let them skip it",
        action,
        back,
        place: Place::Overview,
        fields: &form.into_pairs(),
    };
    insist.show(context).await
}
