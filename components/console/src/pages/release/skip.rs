//! The page that asks before devices may skip an intermediate release.

use spindrift_web::{Query, Response};

use crate::force_confirmation::ForceConfirmation;
use crate::{Address, Context, MenuEntry, Result};

/// `problem`: the service's message. `action`: where the form was sent. `back`: the release's page.
pub(super) async fn ask(
    context: &Context<'_>,
    problem: &str,
    (action, back): (Address, Address),
    form: Query,
) -> Result<Response> {
    let confirmation = ForceConfirmation {
        title: "Let devices skip this release?",
        problem,
        consequence: "They will be offered the newest release at once. To stop this release and still hold \
            them back, halt it.",
        button: "Let them skip it",
        action,
        back,
        place: MenuEntry::Overview,
        fields: &form.into_pairs(),
    };
    confirmation.show(context).await
}
