//! The page that asks before a change cuts off installed copies.

use spindrift_web::Response;

pub(super) use crate::force_confirmation::FORCE;
use crate::{Address, Context, MenuEntry, Result, force_confirmation};

/// A change that the service refused because it would cut off installed copies.
pub(super) struct CutOffConfirmation<'a> {
    /// The question, as a heading.
    pub(super) title: &'a str,
    /// The service's error text, with the number of devices.
    pub(super) problem: &'a str,
    pub(super) button: &'a str,
    /// Where the form is sent.
    pub(super) action: Address,
    /// The fields of the refused form.
    pub(super) fields: &'a [(String, String)],
}

impl CutOffConfirmation<'_> {
    pub(super) async fn show(&self, context: &Context<'_>) -> Result<Response> {
        let confirmation = force_confirmation::ForceConfirmation {
            title: self.title,
            problem: self.problem,
            consequence: "These copies will find no updates until they ask for existing names, \
                          or until you undo the change.",
            button: self.button,
            action: self.action.clone(),
            back: Address::page(["setup"]),
            place: MenuEntry::Setup,
            fields: self.fields,
        };
        confirmation.show(context).await
    }
}
