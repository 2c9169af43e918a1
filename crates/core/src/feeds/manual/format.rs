//! The format for clients without a feed.

use crate::Upload;
use crate::feeds::format::{FeedFormat, FormatFacts, Installs, NoFeed};
use crate::feeds::{CheckAnswer, FeedOffer, NativeAnswer, NativeQuestion};

pub(in crate::feeds) enum Manual {}

/// See [`FeedFormat::StoredForm`].
pub(in crate::feeds) type StoredForm = NoFeed;

impl FeedFormat for Manual {
    type StoredForm = StoredForm;

    const FACTS: FormatFacts = FormatFacts {
        alias: None,
        installs: Installs::Artifact(|_, _| true),
        signature: None,
        can_stage: true,
        answers_in_json: true,
        sends_device: true,
        works_for_private_apps: true,
        is_requested_name: |_| false,
    };

    fn missing(_: &Upload<'_>) -> Option<&'static str> {
        None
    }

    fn answer(_: &FeedOffer<'_, NoFeed>, _: &NativeQuestion<'_>) -> NativeAnswer {
        NativeAnswer::Nothing
    }

    /// Never called: the service answers these clients from all releases of the scope.
    fn check_answer(_: &FeedOffer<'_, NoFeed>, _: &NativeQuestion<'_>) -> CheckAnswer {
        CheckAnswer::Own(NativeAnswer::Nothing)
    }
}
